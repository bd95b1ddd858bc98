// Where packets go: from a link, or from a process, to the links that the rule names and to this
// node's mailbox, without any process seeing transit traffic and without copying.
//
// It sends down by `Links` and calls nothing above: what a packet has come to here is returned.
#pragma once

#include "kernel/links/links.hpp"
#include "kernel/packets/calls.hpp"
#include "kernel/packets/intake.hpp"
#include "kernel/packets/mailbox.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// By which way a packet of a message goes, in one byte: 0 for the way that its sender chose, else
/// the number of a disjoint path, plus 1.
struct Way {
    static constexpr std::uint8_t kChosen = 0;
    static constexpr std::uint8_t kNone = 0xFF;
    static constexpr std::uint8_t of(const wire::PacketHeader& header) {
        return header.rule == Rule::disjoint ? static_cast<std::uint8_t>(header.subtree + 1u)
                                             : kChosen;
    }
    /// Questions and answers have in their tag which way the question went, and of which round.
    static constexpr std::uint16_t tag(std::uint8_t way, std::uint8_t round) {
        return static_cast<std::uint16_t>((round << 8) | way);
    }
};

/// What has come to this node: a packet for its mailbox (Service::packet, message, fragment), or
/// word about a message (all others), or nothing (kCount). Also what is said of a packet to the
/// node it came from.
struct News {
    Service service = Service::kCount; // nothing else is set then
    Rule rule;                         // by which it is told
    std::uint8_t way;   // of the packet that it is about; if not kChosen: told by all paths
    std::uint8_t round; // of questions; 0: not the answer to one by all paths
    NodeId peer;        // where it comes from, or goes to
    std::uint32_t message;
    std::uint32_t position;
    std::uint64_t detail; // alive: bytes that are consumed; taken: when, in model time; look,
                          // here: a CallLabel::word()

    explicit operator bool() const { return service != Service::kCount; }
    void clear() { service = Service::kCount; }
    /// Becomes the answer to itself.
    [[gnu::noinline]] void answer(Service word) {
        service = word;
        position = 0;
        detail = 0;
    }
};

/// Control packets have the detail of their news where others have the sizes of a message.
inline std::uint64_t detail_of(const wire::PacketHeader& header) {
    const std::uint32_t high = header.unit_bytes | std::uint32_t{header.call} << wire::kUnitBits;
    return header.total_bytes | std::uint64_t{high} << 32;
}
inline void put_detail(wire::PacketHeader& header, std::uint64_t detail) {
    header.total_bytes = static_cast<std::uint32_t>(detail);
    const auto high = static_cast<std::uint32_t>(detail >> 32);
    header.unit_bytes = high & wire::kUnitBytesMax;
    header.call = CallLabel::of(0, high >> wire::kUnitBits).call;
}

class Forwarder {
public:
    /// `senders`: places to remember senders in; the caller's.
    Forwarder(const Here& here, PacketPool& pool, Counters& counters, Links& links,
              Admission& admission, std::span<Sender> senders)
        : here_(here),
          pool_(pool),
          counters_(counters),
          links_(links),
          admission_(admission),
          intake_(senders, mailbox_, here.identity.start != 0),
          calls_(here.identity.start != 0) {}

    /// Forwards a packet that the link at `arrival` has accepted; takes over its reference. `tag`:
    /// what the last node said. Gives the news in it.
    void forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag, News& news);
    /// Sends a packet of this node on its way; takes over the caller's reference. `ready`: model
    /// time at which the first port may start.
    void inject(PacketBuffer* buffer, wire::ModelTime ready, News& news);

    /// Gives up a packet at a dead link; false if there is none. Its sender is told, unless
    /// there is no room for one more notice after they have left as far as they can: then he will
    /// ask. Else what waits at dead links might have all buffers for ever.
    bool give_up(News& news);
    /// Sends word to another node, the answer to what came from there: by all disjoint paths if
    /// that came by one of them. What is left in `news` is for this node.
    void tell(News& news);
    /// A process may tell something: what frames bring about has its room beside.
    bool may_tell() const { return notice_count_ < kNotices / 2; }
    /// What was told (Service::later, lost, alive, ...) leaves when the pool allows.
    /// True if a process that waits to tell something may do so now.
    bool send_notices() { return notice_count_ != 0 && send_waiting_notices(); }
    /// An offer that is there although there was no room for it; nullptr if there is none.
    const PacketBuffer* guest() const { return guest_; }
    /// No process has taken it in its turn: it goes back to wait at its source. Not in an
    /// interlude: a process may have seen it. What is left in `news` is for this node.
    void send_guest_back(News& news);
    unsigned pending() const { return notice_count_; }
    /// This node only forwards: nobody here takes a packet, and senders of messages are told so.
    void be_deaf(bool deaf) { deaf_ = deaf; }

    /// The first link on the way of a packet of `rule` (`path`: of Rule::disjoint) to `to` is dead.
    bool cut_off(NodeId to, Rule rule, unsigned path = 0) const;

    const Mailbox& mailbox() const { return mailbox_; }
    /// Takes the first packet that matches (there must be one) out of the mailbox.
    PacketBuffer* take(const Match& match);
    /// A process takes the message whose offer it has taken; it has all of it, or leaves it.
    void begin(Incoming& incoming) { intake_.begin(incoming); }
    void end(Incoming& incoming, bool taken);

    /// Of collectives.
    Calls& calls() { return calls_; }
    const Calls& calls() const { return calls_; }
    /// The next call of this tag begins; to be followed by drop_old_call().
    void begin_call(CallRecord& record) { calls_.begin(record, newest_call(record)); }
    /// Drops a packet or an offer of a call that is over; false if there is none. The sender of an
    /// offer hears that nobody knows of it, or does so when it asks. What is left in `news` is for
    /// this node.
    bool drop_old_call(News& news);
    /// Depends on all deliveries so far and their order.
    std::uint32_t delivery_hash() const { return delivery_hash_; }

private:
    static constexpr unsigned kNotices = 16;

    bool send_waiting_notices();
    void send_notice(const News& notice, Path path, bool by_path);
    void deliver(PacketBuffer* buffer, News& news);
    void put(PacketBuffer* buffer);
    void count(PacketBuffer* buffer);
    void accept(PacketBuffer* offer);
    void on_offer(PacketBuffer* buffer, News& news);
    void on_ask(News& news);
    void answer_itself(News& news);
    bool says_too_much(Port port, const wire::PacketHeader& header);
    bool say_what_was_lost(PacketBuffer* buffer);
    void note_loss(Port port, const wire::PacketHeader& header);
    void tell_sender(const wire::PacketHeader& header, Service word, News& news);
    unsigned newest_call(const CallRecord& record) const;
    void leave_mailbox(PacketBuffer* buffer);

    std::uint8_t notice_path_ = 0; // of the first one: paths before have it
    std::uint8_t notice_first_ = 0;
    std::uint8_t notice_count_ = 0;
    bool deaf_ = false;
    std::uint16_t unexpected_ = 0;  // messages in the mailbox that no process has taken, and ...
    PacketBuffer* guest_ = nullptr; // ... one more, which is not taken in before a process takes it
    std::uint32_t delivery_hash_ = 0;
    const Here& here_;
    PacketPool& pool_;
    Counters& counters_;
    Links& links_;
    Admission& admission_;
    Mailbox mailbox_;
    Intake intake_;
    Calls calls_;
    std::array<News, kNotices> notices_;
};

} // namespace mesh
