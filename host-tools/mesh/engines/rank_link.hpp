// The talk of a rig with the rigs of other ranks that share its nodes. Rank 0 has the loom; a frame
// of a node that another rank has comes from there, and goes there, instead of by a socket of the
// node's emulator.
#pragma once

#include "host-tools/mesh/common/bytes.hpp"
#include "host-tools/mesh/ranks/parts.hpp"
#include "host-tools/mesh/ranks/uplink.hpp"
#include "host-tools/mesh/rig/rig_plan.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace mesh::host {

/// The subject of a look into a node.
enum class Look : std::uint8_t { waits, place, stack };

/// The bytes of a message, which live on when it is gone.
inline Bytes copy_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

class RankLink {
public:
    /// Must outlive it. There may be no other rank.
    explicit RankLink(const RigPlan& plan) : plan_(plan), uplink_(plan.uplink) {}

    /// The way to the others; nullptr: there are none.
    Uplink* uplink() const { return uplink_; }
    /// This process has nodes for rank 0, and no more.
    bool serves() const { return uplink_ != nullptr && uplink_->rank() != 0; }
    /// This process drives the run, and another one has the node.
    bool is_far(NodeId node) const {
        return uplink_ != nullptr &&
               part_of(plan_.network, node, uplink_->ranks()) != uplink_->rank();
    }
    /// Rank 0 has ended the run.
    bool over() const { return over_; }
    /// Bytes on the cables of nodes that other ranks have.
    std::uint64_t cable_bytes() const;

    /// To the rank that has the node.
    void order(NodeId node, What what, std::uint8_t detail = 0,
               std::span<const std::byte> bytes = {});
    /// To rank 0.
    void report(NodeId node, What what, std::span<const std::byte> bytes = {},
                std::uint8_t detail = 0);
    /// Sends all; `cable_bytes` are those of this rank so far.
    void flush(std::uint64_t cable_bytes);
    /// The end of the run, for all ranks. Those that do not hear of it see that rank 0 is gone.
    void end();
    /// Takes all that has come from other ranks: `take` gets the orders of rank 0, or what became
    /// of nodes that others have. RunError: one is gone.
    void hear(const std::function<void(const Message&)>& take);
    /// Looks into a node that another rank has. Nothing if there is nothing to be seen, or the rank
    /// does not answer; then no rank is asked any more.
    Bytes look(NodeId node, Look what);

private:
    struct Kept { // while an answer was waited for
        unsigned from;
        What what;
        std::uint8_t detail;
        NodeId node;
        Bytes bytes;
    };

    void hear(unsigned from, const Message& message,
              const std::function<void(const Message&)>& take);

    const RigPlan& plan_;
    Uplink* const uplink_;
    std::vector<Kept> kept_;
    std::map<unsigned, std::uint64_t> far_cables_; // by rank: bytes on the cables of its nodes
    std::uint64_t cables_told_ = 0;                // of those of this rank, to rank 0
    bool over_ = false;
    bool mute_ = false; // a rank has not answered a look
};

} // namespace mesh::host
