// Moves packets: from a port to the ports that the routing rule names and to this node's mailbox,
// without any process seeing transit traffic and without copying.
//
// Why forwarding cannot deadlock (Toueg and Ullman 1979, forward-count controller). Every packet
// knows an upper bound on the links it may still cross: the height of its rule minus the links
// crossed. A node accepts a packet only if more buffers are free than that bound. Suppose packets
// were stuck for ever; take one, p, with the smallest bound s among them. The next node refuses
// it, so at most s-1 buffers are free there. The last packet q that was accepted there and is
// stuck found more free buffers than its bound, and since then buffers only became free, so its
// bound is at most s-1: smaller than the smallest. Contradiction; it needs only that a pool has
// more buffers than the longest path has links, and that the mailbox is emptied: messages that no
// process takes are sent back to wait at their source, single packets wait in the pool.
// The argument knows no topology, so it holds for every rule in core/.
#pragma once

#include "kernel/link.hpp"
#include "kernel/mailbox.hpp"
#include "kernel/model_clock.hpp"
#include "kernel/rule_set.hpp"

#include <array>
#include <span>

namespace mesh {

class Forwarder {
public:
    /// `links`: one per port; the caller's.
    Forwarder(const wire::Identity& identity, std::span<Link> links, LinkContext& context);

    /// Judges a received data frame whose packet (already in `buffer`, header read) is intact.
    /// Returns true if it was accepted: `buffer` is the forwarder's then.
    bool on_data(unsigned port, const wire::LinkHeader& link, PacketBuffer* buffer);

    /// An answer (ack, hello_answer) came in by `port`. The port of the link that it is for;
    /// kNoPort if it is on its way to another node, and was passed on, or has lost it.
    Port on_answer(Port port, const wire::LinkHeader& header);
    /// An answer waits to be passed on: no frame may be taken, it could be another one.
    bool passing() const { return passing_.kind != wire::Kind::data; }

    /// Sends a packet of this node on its way; takes over the caller's reference. `ready`: model
    /// time at which the first port may start.
    void inject(PacketBuffer* buffer, wire::ModelTime ready);

    /// True if a process may start a packet of `rule` now.
    bool may_inject(Rule rule) const;

    /// Handles what time brings: retransmissions, links that died.
    void on_time();
    std::uint64_t next_deadline() const;

    /// Tells refused peers that there are buffers again, if so.
    void on_quiet();
    /// Notices for senders elsewhere (see Service::later, lost) leave when the pool allows.
    void send_notices();
    void flush_acknowledgements();

    /// The next frame of any port.
    bool next_frame(wire::LinkHeader& header, PacketBuffer*& packet);

    unsigned pending() const;
    std::uint32_t dead_ports() const;
    /// The first link on the way of a unicast to `to` is dead.
    bool cut_off(NodeId to) const;

    /// For a change: the link may have a frame to send then.
    Link& link(unsigned port) {
        touched_ |= 1u << port;
        return links_[port];
    }
    const Link& link(unsigned port) const { return links_[port]; }
    unsigned ports() const { return static_cast<unsigned>(links_.size()); }
    const NetworkRules& rules() const { return rules_; }
    std::uint32_t out_ports() const { return rules_.out_ports(identity_.network, identity_.node); }
    ModelClock& clock() { return clock_; }
    const ModelClock& clock() const { return clock_; }
    const Mailbox& mailbox() const { return mailbox_; }
    /// Takes the first packet that matches (there must be one) out of the mailbox.
    PacketBuffer* take(const Match& match);

    /// A packet for this node that is not for the mailbox: end-to-end control of messages.
    using Control = void (*)(void* context, const wire::PacketHeader& header);
    void on_control(Control control, void* context) {
        control_ = control;
        control_context_ = context;
    }
    std::uint32_t delivery_hash() const { return delivery_hash_; }
    std::uint32_t next_message() { return ++messages_; }

private:
    struct Notice {
        NodeId to{0};
        std::uint32_t message = 0;
        Service service{};
    };
    static constexpr unsigned kNotices = 16;

    void forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag);
    void send(unsigned port, PacketBuffer* buffer);
    void start_on(Link& link, PacketBuffer* buffer, wire::ModelTime earliest);
    wire::ModelTime appointed(unsigned port, const PacketBuffer* buffer) const;
    void deliver(PacketBuffer* buffer);
    void undeliverable(const PacketBuffer* buffer);
    void empty_dead_links();
    void notify(const wire::PacketHeader& about, Service service);
    bool has_room(const PacketBuffer* buffer) const;

    wire::Identity identity_;
    const NetworkRules& rules_;
    std::span<Link> links_;
    LinkContext& context_;
    ModelClock clock_;
    Mailbox mailbox_;
    Control control_ = nullptr;
    void* control_context_ = nullptr;
    wire::LinkHeader passing_{.kind = wire::Kind::data}; // an answer, or nothing
    std::array<Notice, kNotices> notices_{};
    // Sets of ports, so that a frame costs what its links need and not what all links would.
    std::uint32_t touched_ = 0; // may have a frame to send
    std::uint32_t owing_ = 0;   // took data since acknowledgements were last flushed
    std::uint8_t notice_first_ = 0;
    std::uint8_t notice_count_ = 0;
    std::uint8_t next_port_ = 0;
    bool starved_ = false;         // some link is
    std::uint16_t unexpected_ = 0; // messages in the mailbox that no process has taken
    std::uint32_t delivery_hash_ = 0;
    std::uint32_t messages_ = 0;
};

} // namespace mesh
