// Where packets go: from a link, or from a process, to the links that the rule names and to this
// node's mailbox, without any process seeing transit traffic and without copying.
//
// It sends down by `Links` and calls nothing above: what a packet has come to here is returned.
#pragma once

#include "kernel/links.hpp"
#include "kernel/mailbox.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace mesh {

/// What has come to this node: a packet for its mailbox (Service::packet, message, fragment), or
/// word of a message that it sends (Service::taken, later, lost, alive).
struct News {
    Service service{};
    std::uint32_t message = 0;
    std::uint32_t position = 0;
};

class Forwarder {
public:
    Forwarder(const Here& here, PacketPool& pool, Counters& counters, Links& links,
              Admission& admission)
        : here_(here),
          pool_(pool),
          counters_(counters),
          links_(links),
          admission_(admission) {}

    /// Forwards a packet that the link at `arrival` has accepted; takes over its reference. `tag`:
    /// what the last node said.
    std::optional<News> forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag);
    /// Sends a packet of this node on its way; takes over the caller's reference. `ready`: model
    /// time at which the first port may start.
    std::optional<News> inject(PacketBuffer* buffer, wire::ModelTime ready);

    /// Gives up a packet at a dead link. False if there is none, or if its sender could not be told
    /// now: that is done no faster than notices leave.
    bool give_up(std::optional<News>& news);
    /// Notices for senders elsewhere (see Service::later, lost, alive) leave when the pool allows.
    void send_notices() {
        if (notice_count_ != 0)
            send_waiting_notices();
    }
    unsigned pending() const { return notice_count_; }
    /// This node only forwards: nobody here takes a packet, and senders of messages are told so.
    void be_deaf(bool deaf) { deaf_ = deaf; }

    /// The first link on the way of a packet of `rule` to `to` is dead.
    bool cut_off(NodeId to, Rule rule) const;

    const Mailbox& mailbox() const { return mailbox_; }
    /// Takes the first packet that matches (there must be one) out of the mailbox.
    PacketBuffer* take(const Match& match);
    /// Depends on all deliveries so far and their order.
    std::uint32_t delivery_hash() const { return delivery_hash_; }

private:
    struct Notice {
        NodeId to{0};
        std::uint32_t message = 0;
        Service service{};
    };
    static constexpr unsigned kNotices = 16;

    void send_waiting_notices();
    std::optional<News> deliver(PacketBuffer* buffer);
    std::optional<News> undeliverable(const wire::PacketHeader& header);
    std::optional<News> tell_lost(const wire::PacketHeader& header);
    std::optional<News> notify(const wire::PacketHeader& about, Service service);

    const Here& here_;
    PacketPool& pool_;
    Counters& counters_;
    Links& links_;
    Admission& admission_;
    Mailbox mailbox_;
    std::array<Notice, kNotices> notices_{};
    std::uint8_t notice_first_ = 0;
    std::uint8_t notice_count_ = 0;
    std::uint16_t unexpected_ = 0; // messages in the mailbox that no process has taken
    bool deaf_ = false;
    std::uint32_t delivery_hash_ = 0;
};

} // namespace mesh
