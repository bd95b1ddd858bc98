// The packet pool: every packet in a node lives in one of its buffers from the first byte received
// to the last acknowledgement, shared by all ports it leaves by and the mailbox. It is copied only
// to and from the place behind another one (a train: wire/frame.hpp).
//
// Invariant: a buffer is free exactly when its reference count is zero. Not interrupt safe; the
// kernel's thread is the only user.
#pragma once

#include "core/base/order.hpp"
#include "core/base/rules.hpp"
#include "core/base/types.hpp"
#include "hal/dma.hpp"
#include "kernel/base/packet_owner.hpp"
#include "wire/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

/// One packet in memory. `next` chains free buffers or the mailbox; a port's queue uses PortSlots.
struct PacketBuffer {
    /// Model time at which all of it is at this node.
    wire::ModelTime ready;
    PacketBuffer* next;
    std::uint16_t references;
    std::uint16_t number;    // in its pool
    std::uint16_t hops;      // links crossed so far
    std::uint16_t remaining; // most links that it may still cross from here
    Tags tags;               // for the next nodes
    Port arrival;            // by which it came, if it has crossed a link
    bool acknowledges;       // its sender is told when it is given back: Forwarder::acknowledge()
    bool waits;              // in the reserve: for a process, see PacketPool::room()
    [[no_unique_address]] OwnerMark mark;
    union { // the packet as the wire has it: its bytes, and the fields that they begin with
        alignas(hal::kDmaAlign) std::array<std::byte, wire::kPacketBytesMax> bytes;
        wire::PacketHeader header{};
    };

    /// The header and the payload that it tells of, as they go into a frame.
    std::span<std::byte> packet() {
        return std::span{bytes}.first(wire::kPacketHeaderBytes + header.payload_bytes);
    }
    /// The payload, of as many bytes as the header says.
    std::span<std::byte> payload() {
        return std::span{bytes}.subspan(wire::kPacketHeaderBytes, header.payload_bytes);
    }
#ifndef __arm__ // for MESH_EXPECT
    /// The code that runs may give it away.
    bool in_hand() const { return references != 0 && mark.is(PacketOwner::code); }
    /// It may write another packet there: nobody else has it.
    bool in_hand_alone() const { return references == 1 && in_hand(); }
#endif
};

/// A packet's place in the queue of one port.
struct PortSlot {
    wire::ModelTime arrival; // model time at which the peer will have it
    PacketBuffer* next;
};

#if __SIZEOF_POINTER__ == 8
/// Nodes of one process may lie interleaved in one memory, so that data that all of them use lie
/// close together: of every 2^log2 buffers the first is this node's, and the slots of each of its
/// ports.
struct Interleaving {
    unsigned log2 = 0;
};
#else
/// A chip has one node.
struct Interleaving {
    static constexpr unsigned log2 = 0;
};
#endif

/// Fixed pool over memory that the caller owns.
class PacketPool {
public:
    /// The most buffers that their numbers can tell apart, and that a link header can say are free.
    static constexpr std::size_t kBuffersMax = 0xFFFF;

    /// `buffers` and `slots` stay the caller's and must outlive the pool; there must be `ports`
    /// slots for each buffer. Buffers are not touched before first use.
    PacketPool(std::span<PacketBuffer> buffers, std::span<PortSlot> slots, unsigned ports,
               Interleaving interleaving = {})
        : buffers_(buffers),
          slots_(slots),
          interleaving_(interleaving),
          ports_(ports) {}

    /// A buffer with one reference, or nullptr if none is free. O(1).
    PacketBuffer* allocate();
    /// One more owner. O(1).
    void share(PacketBuffer* buffer);
    /// One owner less; the last one frees it. O(1).
    void release(PacketBuffer* buffer);

    /// Buffers of this node, free or not.
    unsigned capacity() const {
        const std::size_t others = (std::size_t{1} << interleaving_.log2) - 1;
        return static_cast<unsigned>((buffers_.size() + others) >> interleaving_.log2);
    }
    /// Buffers without an owner.
    unsigned free() const { return capacity() - used_; }
    /// Buffers that have an owner.
    unsigned used() const { return used_; }
    /// Buffers for packets that wait for a process; other packets never take the last of them.
    unsigned reserve() const { return reserve_; }
    /// Sets reserve(), before any packet waits.
    void set_reserve(unsigned buffers) { reserve_ = buffers; }
    /// Free buffers that forwarding may count on: packets that wait fill the reserve first.
    unsigned room() const {
        const unsigned kept = reserve() - least(reserve(), waiting_);
        return free() > kept ? free() - kept : 0;
    }
    /// The reserve has room for one more; for all that wait.
    bool may_wait() const { return waiting_ < reserve_; }
    /// More packets wait than the reserve has buffers.
    bool overdrawn() const { return waiting_ > reserve_; }
    /// A process may keep the packet waiting. It counts until its buffer is free again.
    void let_wait(PacketBuffer* buffer) {
        MESH_EXPECT(buffer->in_hand());
        waiting_ += buffer->waits ? 0 : 1;
        buffer->waits = true;
    }
    /// The most buffers that were used at a time: one is used for the first time when no other is
    /// free.
    unsigned used_max() const { return touched_; }

    /// The buffer of that number. Code that keeps many buffers keeps their numbers, which are
    /// smaller.
    PacketBuffer* at(std::size_t number) const { return &buffers_[number << interleaving_.log2]; }

    /// The place of `buffer`, which must be of this pool, in the queue of `port`.
    PortSlot& slot(const PacketBuffer* buffer, unsigned port) const {
        return slots_[(std::size_t{buffer->number} << interleaving_.log2) * ports_ + port];
    }

private:
    std::span<PacketBuffer> buffers_;
    std::span<PortSlot> slots_;
    [[no_unique_address]] Interleaving interleaving_;
    PacketBuffer* free_list_ = nullptr;
    unsigned ports_;
    unsigned touched_ = 0; // buffers beyond this index were never used
    unsigned used_ = 0;
    unsigned waiting_ = 0; // packets in the reserve
    unsigned reserve_ = 0;
};

} // namespace mesh
