// The cables of a node. Every frame of a neighbour comes in and every frame to one leaves here. The
// links know which node is at the other end, what a frame acknowledges, whether it brings a packet,
// which frame is sent next and when, and which links are dead.
//
// Above this floor there are packets only. A packet that a link has accepted goes up as the result
// of on_frame(), a packet to be sent comes down by send(); nothing here calls a higher floor. Model
// time is booked here as well, since it passes on cables only.
#pragma once

#include "core/base/order.hpp"
#include "kernel/base/admission.hpp"
#include "kernel/base/here.hpp"
#include "kernel/base/model_clock.hpp"
#include "kernel/links/link.hpp"
#include "wire/host_messages.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace mesh {

/// False, and counted, if a frame or packet that came in is damaged or malformed.
bool is_intact(wire::Parse parse, Counters& counters);

/// The links of all ports of one node. Of interrupts only a preemptive poll may call it.
class Links {
public:
    /// The effects of a frame.
    struct Arrived {
        bool packet = false;  // accepted: the buffer is the caller's to forward
        bool freed = false;   // an acknowledgement gave buffers back
        std::uint8_t tag = 0; // of that packet, from the last node: see Tags
    };

    /// `links`: one per port; the caller's.
    Links(const Here& here, std::span<Link> links, const PacketPool& pool, const Cables& cables,
          const Admission& admission);

    // Frames --------------------------------------------------------------------------------------

    /// A frame came in by `port`. For data, the packet is in `buffer`, with one reference.
    Arrived on_frame(Port port, const wire::LinkHeader& header, PacketBuffer* buffer);
    /// Sends the packet by `port`, with one more reference; its booking decides when. False if the
    /// link is dead: nothing was done.
    bool send(Port port, PacketBuffer* buffer);
    /// The next frame of any port of `ready`, and the packet it carries, or nullptr. False if there
    /// is none.
    bool next_frame(wire::LinkHeader& header, PacketBuffer*& packet, PortSet ready);
    /// Just after next_frame() has given a packet for `port`: the next packet for the same port and
    /// the header of its frame, if it surely has one, of at most `room` bytes. Not in lockstep.
    bool next_behind(Port port, std::size_t room, wire::LinkHeader& header, PacketBuffer*& packet);
    /// False if next_behind() would be.
    bool may_follow(Port port) const { return (touched_ & bit_of(port)) != 0; }
    /// Another port may have a frame to send.
    bool more_frames() const { return touched_ != 0 || passing(); }
    /// An answer waits to be passed on: no frame may be taken, since it could be another answer.
    bool passing() const { return passing_.has_value(); }
    /// No frame lies in the receiver: acknowledgements that no packet has carried leave by
    /// themselves, if their senders have asked for them or have waited long enough (all:
    /// `at_once`).
    void acknowledge(bool at_once);
    /// Tells refused peers that there are buffers again, if so.
    void on_buffers_free() {
        if (starved_)
            tell_of_buffers();
    }

    // Hello: which node is there ------------------------------------------------------------------

    /// Asks at every port at which no node has answered which node is there; repeated, more and
    /// more slowly.
    void say_hello();
    /// Calls say_hello() if it is time. In lockstep hellos set no timer: links that may be dead for
    /// ever must not keep a mesh at rest busy. They ask again when model time moves for other
    /// reasons.
    void repeat_hello() {
        if (context_.time.now() >= hello_at_)
            say_hello();
    }
    /// Of the ports in `changed`, the cables of those in `connected` were plugged in: their links
    /// ask at once which node is there. The others were pulled: their links are dead at once.
    void on_cables(PortSet changed, PortSet connected);
    /// Time counts from another beginning now.
    void on_new_time();
    /// The result of the hellos, once: when all ports are right or one is wrong.
    bool take_ready(wire::Ready& ready) { return !ready_told_ && complete_ready(ready); }

    // Time ----------------------------------------------------------------------------------------

    /// Does what is due: retransmissions, packets held until now, links that died.
    void on_time();
    /// When on_time() is due next (see Timebase::now()), or kNever.
    std::uint64_t next_deadline() const;
    /// Sets the least time before a frame is sent again, in microseconds; not below that of the
    /// cables.
    void set_rto_min(std::uint32_t rto_us) {
        context_.rto_min_us = greatest(context_.cables.rto_us, rto_us);
    }
    /// That time, in microseconds.
    std::uint32_t rto_min() const { return context_.rto_min_us; }
    /// The bookings of this node.
    ModelClock& clock() { return clock_; }
    /// The same.
    const ModelClock& clock() const { return clock_; }

    /// The state that the links share with the floors above: the pool, the counters, the time.
    LinkContext& context() { return context_; }
    /// The same.
    const LinkContext& context() const { return context_; }

    // State ---------------------------------------------------------------------------------------

    /// Number of ports.
    unsigned count() const { return static_cast<unsigned>(links_.size()); }
    /// The link at `port`, 0 to count() - 1.
    const Link& at(Port port) const { return links_[index(port)]; }
    /// The ports whose links are dead.
    PortSet dead_ports() const { return dead_; }
    /// Links have died, or come back, since take_changed() was last called.
    bool changed() const { return changed_; }
    /// Once: changed() since the last time.
    bool take_changed() { return std::exchange(changed_, false); }
    /// A neighbour has not answered in time: frames that left by its link may still get there,
    /// until the link is dead.
    bool retrying() const {
        return any_of(links_, [](const Link& link) { return link.retrying(); });
    }
    /// A packet at a dead link, with its reference, and which link that is; nullptr when there are
    /// no more.
    PacketBuffer* take_undeliverable(Port& port);
    /// Packets that wait for a port or an acknowledgement.
    unsigned pending() const;

private:
    /// For a change: the link may have a frame to send then.
    Link& touch(Port port) {
        touched_ |= 1u << index(port);
        return links_[index(port)];
    }
    void touch_if_able(Port port) {
        if (at(port).may_send())
            touched_ |= 1u << index(port);
    }
    bool complete_ready(wire::Ready& ready);
    std::uint64_t next_hello() const;
    void note_death(Port port);
    void give_up_silent(PortSet out);
    void tell_of_buffers();
    Port answered_link(Port port, const wire::LinkHeader& header);
    Arrived on_hello(Port port, const wire::LinkHeader& header, bool right_port);
    Arrived on_data(Port port, const wire::LinkHeader& header, PacketBuffer* buffer);
    Arrived take_data(Port port, const wire::LinkHeader& header, PacketBuffer* buffer);
    bool judge(Port port, const wire::LinkHeader& header, PacketBuffer* buffer);
    void book_arrival(Link& link, wire::ModelTime time, PacketBuffer* buffer);
    void start_on(Link& link, PacketBuffer* buffer, wire::ModelTime earliest);
    wire::ModelTime appointed(Port port, const PacketBuffer* buffer) const;

    std::uint8_t next_port_ = 0;
    std::uint8_t hellos_ = 0;  // in a row, as far as it matters
    std::uint8_t in_vain_ = 0; // hellos of a life that is not the first
    bool starved_ = false;     // some link is
    bool ready_told_ = false;
    bool changed_ = false; // which links are dead
    // Sets of ports, so that a frame costs what its links need and not what all links would.
    PortSet touched_ = 0; // may have a frame to send
    PortSet owing_ = 0;   // took data that no frame has acknowledged since
    PortSet asked_ = 0;   // asked to acknowledge since no frame last lay in the receiver
    PortSet dead_ = 0;
    PortSet timed_ = 0; // may have a packet, and so a timer
    const Here& here_;
    std::span<Link> links_;
    const Admission& admission_;
    LinkContext context_;
    std::optional<wire::LinkHeader> passing_; // an answer
    std::uint64_t hello_at_ = wire::kNever;
    std::uint64_t acknowledge_at_ = wire::kNever; // all that is owed then
    ModelClock clock_;
    wire::Ready ready_{};
};

} // namespace mesh
