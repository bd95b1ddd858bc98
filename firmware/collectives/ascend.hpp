// ASCEND and DESCEND: an algorithm that combines, for one dimension after the other, the values of
// all pairs of nodes across it. Prefix sums, sorting, the Fourier transform, transposition and many
// more are such algorithms, and differ in the operation only.
//
// The same operation runs on the cube, where pairs exchange their values, and on the UHC, where
// values go round cycles of four nodes; under half duplex and with both directions at once.
// core/schedules/ascend_steps.hpp says what each node does in which step.
#pragma once

#include "core/schedules/ascend_steps.hpp"
#include "kernel/base/limits.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh {

/// The values of a pair, and the node of it whose new value is wanted.
struct AscendOperands : AscendPair {
    std::span<const std::byte> lower; // of the node whose bit `dim` is 0
    std::span<const std::byte> upper;
};

/// The operation (OPER of huang-yang-tseng-2001). `operate` writes the new value of `pair.node` to
/// `result` and returns its bytes, at most those of `result`. Values may be of any size, 0 too, and
/// the operation may change it. Nodes work for each other: the new value may depend on the operands
/// and on data of `context` that is alike at every node, never on the node that runs `operate`.
struct AscendOperator {
    std::size_t (*operate)(const void* context, const AscendOperands& pair,
                           std::span<std::byte> result) = nullptr;
    const void* context = nullptr;
};

/// The plan of a pass, on which all nodes agree before it begins.
struct AscendPlan {
    AscendOperator oper;
    std::uint32_t packet_bytes = 0; // largest that a link moves as one; 0: a value, whatever its
                                    // size
    Tag tag = 0;
    unsigned dims = kDimMax; // dimensions 0 .. dims-1; at most all
};

/// A node's value, and memory for the values that come by. Nothing is copied: a value that is
/// received or computed stays where it is until it becomes the node's own.
class AscendBlock {
public:
    /// `memory`: the caller's, 8-byte aligned; a value can have room_bytes() of it.
    AscendBlock(Network network, std::span<std::byte> memory)
        : memory_(memory),
          room_bytes_(memory.size() / ascend_places(network) / kAlignment * kAlignment) {}

    /// Bytes that a value can have: a multiple of 8, the same share of the memory for each place.
    std::size_t room_bytes() const { return room_bytes_; }
    /// The node's own value, as the last resize() or pass left it; valid until the next pass.
    std::span<std::byte> value() { return at(Place::a); }
    /// Sets the size of the value (at most room_bytes()) and gives it to be filled.
    std::span<std::byte> resize(std::size_t bytes) {
        set_bytes(Place::a, bytes);
        return value();
    }
    /// Memory for a value to be made beside the present one, until the next pass.
    std::span<std::byte> spare() { return whole(Place::b); }
    /// The value in the spare memory, of `bytes`, becomes the node's own.
    void take_spare(std::size_t bytes) {
        set_bytes(Place::b, bytes);
        take(Place::b);
    }

    // For the passes.
    /// The value at `place`, of the size that was set for it.
    std::span<std::byte> at(Place place) { return whole(place).first(bytes_[number(place)]); }
    /// All of the memory at `place`, room_bytes() of it.
    std::span<std::byte> whole(Place place) {
        return memory_.subspan(where_[number(place)] * room_bytes_, room_bytes_);
    }
    /// The value at `place` has `bytes`, at most room_bytes().
    void set_bytes(Place place, std::size_t bytes) {
        bytes_[number(place)] = static_cast<std::uint32_t>(bytes);
    }
    /// The value at `place` becomes the node's own.
    void take(Place place) {
        std::swap(where_[0], where_[number(place)]);
        std::swap(bytes_[0], bytes_[number(place)]);
    }
    /// Why the value is wrong; ok if it is right. A failure stays for all passes.
    Status status() const { return status_; }
    /// A pass has failed with `status`; the first failure stays.
    void fail(Status status) { status_ = status_ == Status::ok ? status : status_; }
    /// Ports by which nothing comes any more.
    std::uint32_t& absent() { return absent_; }

private:
    static constexpr std::size_t kAlignment = 8;
    static constexpr std::size_t number(Place place) { return static_cast<std::size_t>(place); }

    std::span<std::byte> memory_;
    std::size_t room_bytes_;
    std::array<std::uint8_t, 4> where_{0, 1, 2, 3};
    std::array<std::uint32_t, 4> bytes_{};
    std::uint32_t absent_ = 0;
    Status status_ = Status::ok;
};

/// Combines the values of all pairs across dimension 0, then 1, .. plan.dims-1. All nodes call it
/// alike; the new value is in `block`. ok; bad_argument: a network without dimensions (star), no
/// operation, or a value larger than a message; truncated: a neighbour's value is larger than
/// room_bytes(); unreachable: a neighbour is, or misses a value; no_memory: of the processes'
/// arena. If not ok the value is that of some round before, and so it is for all passes that
/// follow: the node goes through them, so that nobody waits for it in vain.
Task<Status> ascend(Kernel& kernel, const AscendPlan& plan, AscendBlock& block);

/// The same from dimension plan.dims-1 down to 0.
Task<Status> descend(Kernel& kernel, const AscendPlan& plan, AscendBlock& block);

} // namespace mesh
