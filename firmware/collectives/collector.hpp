// Collects the packets of an exchange: the first copy of each goes to its place in the memory, the
// others are compared with it. Used where blocks are single packets.
#pragma once

#include "collectives/await.hpp"
#include "collectives/personalised.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// The packets of an exchange at one node, put into place. It owns none of its memory.
class Collector {
public:
    /// `places`: of a block for each node. `marks`: nodes * packets bytes.
    Collector(NodeId self, const Segmentation& segmentation, std::span<std::byte> places,
              std::span<std::byte> marks, Arrivals& arrivals);

    /// Puts a packet of `from` where it belongs: into the block of node `place`. Any bytes are
    /// safe; false for a packet that does not belong to the exchange.
    bool take(NodeId from, NodeId place, const Packet& packet);

    /// Every block that is due has come.
    bool complete() const { return arrivals_.blocks == arrivals_.blocks_due; }
    /// Every copy of every packet that is due has come.
    bool finished() const { return arrivals_.copies == arrivals_.copies_due; }
    /// The counts, which the caller of the exchange owns.
    Arrivals& arrivals() { return arrivals_; }

private:
    std::span<std::byte> place_of(NodeId node, std::uint32_t packet) const;

    NodeId self_;
    Segmentation segmentation_;
    std::span<std::byte> places_;
    std::span<std::byte> marks_; // copies of each packet so far
    Arrivals& arrivals_;
};

/// Process that collects packets by their source until all copies are there, it is given up or the
/// next call begins; `to_self`: into this node's own place (scatter).
Process collect(Kernel& kernel, Collector collector, CallLabel label, bool to_self);

/// `Status s = co_await BlockSearch{...}`: waits until all blocks are there. When nothing has come
/// for long, it looks for every node of which a packet is missing, to see whether a copy of that
/// packet can still come. ok; unreachable: some cannot come any more (see Arrivals::gone). `marks`:
/// those of the collector.
class BlockSearch final : public Search {
public:
    [[gnu::noinline]] BlockSearch(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                                  std::span<std::byte> marks, Arrivals& arrivals);
    [[gnu::warn_unused_result]] Status await_resume() const {
        return arrivals_.gone != 0 ? Status::unreachable : Status::ok;
    }

private:
    bool is_over() const override;
    std::uint32_t heard() const override { return arrivals_.copies; }
    bool choose(bool first, Subject& subject) override;
    void found(Status there) override;

    std::span<std::byte> marks_of(std::uint32_t from) const;
    std::uint32_t first_missing(std::uint32_t from) const;

    const PersonalPlan& plan_;
    Exchange what_;
    std::span<std::byte> marks_;
    Arrivals& arrivals_;
    std::uint32_t from_ = 0;   // the node behind that which is looked for
    std::uint32_t number_ = 0; // its first packet that has not come
    std::uint32_t trees_ = 0;  // over which that may still come
};

/// Memory of an exchange by packets: blocks, a second set of them, tables.
struct ExchangeMemory {
    std::span<std::byte> blocks;
    std::span<std::byte> second;
    std::span<std::byte> tables; // at least nodes * packets + nodes * 4 * (kPortsMax - 1) bytes

    /// Divides `memory`, which must have twice `blocks_bytes` and the tables behind them.
    ExchangeMemory(std::span<std::byte> memory, std::size_t blocks_bytes)
        : blocks(memory.first(blocks_bytes)),
          second(memory.subspan(blocks_bytes, blocks_bytes)),
          tables(memory.subspan(2 * blocks_bytes)) {}
};

/// exchange() with Schedule::dfs_ack.
Task<Status> allgather_depth_first(Kernel& kernel, const PersonalPlan& plan,
                                   const ExchangeMemory& memory, Arrivals& arrivals);

} // namespace mesh
