// Whether a node is in order: its lists end where they say, every reference to a packet has a
// holder, every buffer is free or held, and windows, counts and timers of its links fit together.
//
// Called at rest by the code that runs nodes in a test (tests/kernel/rig.hpp, tests/verify/soak,
// tests/verify/model); no image has any of it.
#pragma once

#include "kernel/node/node_core.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace mesh {

/// The memory of a node's packets; the node's owner has it.
struct PacketMemory {
    std::span<const PacketBuffer> buffers;
    std::span<const PortSlot> slots;
    unsigned ports;

    std::size_t number(const PacketBuffer* buffer) const {
        return static_cast<std::size_t>(buffer - buffers.data());
    }
    const PortSlot& slot(const PacketBuffer* buffer, unsigned port) const {
        return slots[number(buffer) * ports + port];
    }
};

/// The state of a link that tests see. Times are left out: a timer that is set may go off.
struct LinkState {
    static unsigned in_flight(const Link& link) { return link.in_flight_; }
    static std::uint16_t base(const Link& link) { return link.base_; }
    static std::uint16_t expected(const Link& link) { return link.expected_; }
    static std::uint16_t mine(const Link& link) { return link.mine_; }
    static std::uint16_t theirs(const Link& link) { return link.theirs_; }
    static std::uint32_t refused(const Link& link) { return link.refused_; }
    /// is_of(): the frame, which the link sent, is of its present session; is_of_peer(): the frame
    /// is of the session that the link takes its peer to be in.
    static bool is_of(const Link& link, const wire::LinkHeader& header) {
        return ((session_of(header) ^ link.session_) & wire::link_flag::kSessionMask) == 0;
    }
    static bool is_of_peer(const Link& link, const wire::LinkHeader& header) {
        return link.is_current(session_of(header));
    }
    static std::uint16_t session_of(const wire::LinkHeader& header) {
        return header.kind == wire::Kind::data ? header.flags : header.sequence;
    }
    /// True if `link` takes frames of `peer` as frames of its session.
    static bool hears(const Link& link, const Link& peer) { return link.is_current(peer.session_); }
    static void set_retries(Link& link, bool last) {
        link.retries_ = last ? std::uint8_t{limits::kRetriesMax} : std::uint8_t{0};
    }
    static void bound_probes(Link& link) { link.probes_ = std::min<std::uint8_t>(link.probes_, 1); }

    /// Numbers of the packets in flight, oldest first, and of those that wait.
    template <class Each>
    static void each_packet(const Link& link, const LinkContext& context, Each each) {
        for (unsigned place = 0; place < link.in_flight_; ++place)
            each(link.flight(context, place)->header.message);
        for (PacketBuffer* one = link.first_; one != nullptr; one = link.slot(context, one).next)
            each(one->header.message);
    }
    /// The error in a link's state, or nothing; `each` gets each packet to which the link refers.
    template <class Each>
    static const char* audit(const Link& link, const PacketMemory& memory, unsigned port,
                             Each each) {
        std::uint32_t flight_bytes = 0;
        for (unsigned place = 0; place < link.in_flight_; ++place) {
            const unsigned at = (link.base_place_ + place) % limits::kWindowFrames;
            const PacketBuffer* const buffer = &memory.buffers[link.flight_[at]];
            flight_bytes += static_cast<std::uint32_t>(Link::frame_bytes(buffer));
            each(buffer);
        }
        unsigned waiting = 0;
        const PacketBuffer* last = nullptr;
        bool has_taken_back = link.taken_back_ == nullptr;
        for (const PacketBuffer* at = link.first_; at != nullptr; at = memory.slot(at, port).next) {
            if (++waiting > link.waiting_)
                return "a link has lost count of the packets that wait, or they wait in a circle";
            has_taken_back = has_taken_back || at == link.taken_back_;
            last = at;
            each(at);
        }
        for (const PacketBuffer* at = link.held_first_; at != nullptr;) {
            const PortSlot& slot = memory.slot(at, port);
            if (slot.next != nullptr && memory.slot(slot.next, port).arrival < slot.arrival)
                return "packets with an appointment are not in their order";
            each(at);
            at = slot.next;
        }
        if (waiting != link.waiting_ || last != link.last_ || !has_taken_back)
            return "the queue of a link does not end where it says";
        if (link.in_flight_ > limits::kWindowFrames)
            return "a link has more frames in flight than its window";
        if (link.resend_next_ > link.resend_end_ || link.resend_end_ > link.in_flight_)
            return "a link sends frames again that are not in flight";
        if (link.blocked_ && link.waiting_ == 0)
            return "a link waits for buffers for no packet";
        if (link.dead())
            return nullptr; // packets in flight are given up
        if (flight_bytes != link.flight_bytes_)
            return "the bytes in flight are counted wrong";
        if (link.in_flight_ != 0 && link.deadline_ == wire::kNever)
            return "a link has frames in flight and no timer";
        if ((link.closed_ & Link::kDraining) != 0 && link.in_flight_ == 0)
            return "a link waits for frames in flight, of which there are none";
        return nullptr;
    }
    static unsigned place_of_taken_back(const Link& link, const LinkContext& context) {
        unsigned place = 0;
        for (PacketBuffer* one = link.first_; link.taken_back_ != nullptr && one != nullptr;
             one = link.slot(context, one).next) {
            ++place;
            if (one == link.taken_back_)
                return place;
        }
        return 0;
    }
    static std::uint32_t flags(const Link& link) {
        std::uint32_t word = 0;
        for (const bool flag :
             {link.deadline_ != wire::kNever, link.blocked_, link.starved_, link.owes_,
              link.acknowledge_now_, link.gap_, link.gap_told_, link.probes_ != 0,
              link.peer_free_ != 0, (link.session_ & wire::link_flag::kEpochMask) != 0})
            word = word << 1 | (flag ? 1u : 0u);
        word = word << 2 | (link.refusing_epoch_ & 3u);
        word = word << 3 | link.closed_;
        word = word << 2 | (static_cast<unsigned>(link.hello_) & 3u);
        return word << 4 | link.resend_next_ << 2 | link.resend_end_;
    }
};

/// The error in the state of a node that rests, or nothing. `links`: its own.
inline const char* audit(Kernel& kernel, const PacketMemory& memory, std::span<const Link> links) {
    constexpr unsigned kLent = 2; // to the receiver and to the host port
    std::vector<unsigned> holders(memory.buffers.size());
    const char* wrong = nullptr;
    const auto holds = [&](const PacketBuffer* packet) { ++holders[memory.number(packet)]; };
    for (unsigned port = 0; port < links.size() && wrong == nullptr; ++port)
        wrong = LinkState::audit(links[port], memory, port, holds);
    std::size_t left = memory.buffers.size();
    for (const PacketBuffer* at = kernel.mailbox().first(); at != nullptr; at = at->next) {
        if (left-- == 0)
            return "the mailbox is a circle";
        holds(at);
    }
    unsigned used = 0, others = 0;
    for (std::size_t number = 0; number < holders.size() && wrong == nullptr; ++number) {
        const unsigned references = memory.buffers[number].references;
        used += references != 0 ? 1 : 0;
        if (references < holders[number])
            return "a packet has more holders than references";
        others += references - holders[number];
    }
    if (wrong != nullptr)
        return wrong;
    if (used != kernel.pool().used())
        return "the pool has lost count of its buffers";
    const bool may_have_more = kernel.scheduler().any(); // processes
    if (may_have_more ? others < kLent : others != kLent)
        return "a buffer was lost, or is used twice";
    return nullptr;
}

} // namespace mesh
