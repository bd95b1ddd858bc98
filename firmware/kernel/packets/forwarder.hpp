// Where packets go: from a link, or from a process, to the links that the rule names and to this
// node's mailbox, without any process seeing transit traffic and without copying.
//
// It sends down by `Links` and calls nothing above: what a packet has come to here is returned.
//
// Control of messages needs no queue. A packet that is answered becomes its answer, in its own
// buffer; what a node has to say by itself (`later`) is a bit of a Peer until a buffer is free.
#pragma once

#include "kernel/links/links.hpp"
#include "kernel/packets/calls.hpp"
#include "kernel/packets/intake.hpp"
#include "kernel/packets/mailbox.hpp"
#include "kernel/packets/peers.hpp"

#include <cstdint>
#include <utility>

namespace mesh {

/// What has come to this node: something for its mailbox (Service::packet, and nothing else is
/// said), an answer to what it has under way, or a question that only the
/// processes' side of the kernel can answer (probe, call, look), with the buffer for that. In
/// `call` and `later` the position is 1 if others wait for room as well.
struct Event {
    Service service = Service::kCount; // nothing else is set then
    RoundTrip paths{};                 // of the packet that it answers
    std::uint8_t round = 0;            // of questions; 0: not the answer to a question by all paths
    NodeId peer = kNoNode;             // where it comes from
    std::uint32_t message = 0;
    std::uint32_t position = 0;
    std::uint64_t detail = 0; // alive: bytes that are consumed; taken: when, in model time;
                              // look, here: a CallLabel::word()
    PacketBuffer* question = nullptr;

    explicit operator bool() const { return service != Service::kCount; }
};

/// An answer, as the packet says it.
struct Answer {
    Service service;
    std::uint32_t position = 0;
    std::uint64_t detail = 0;
};

/// Control packets have 64 bits of detail where others have the sizes of a message.
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

/// Of packets with an answer: writes the paths; `shortest`: the rule of kShortest.
void put_paths(wire::PacketHeader& header, RoundTrip paths, Rule shortest);
/// And reads them.
RoundTrip paths_of(const wire::PacketHeader& header);

class Forwarder {
public:
    Forwarder(const Here& here, PacketPool& pool, Counters& counters, Links& links,
              Admission& admission, Peers peers)
        : here_(here),
          pool_(pool),
          counters_(counters),
          links_(links),
          admission_(admission),
          intake_(peers, mailbox_, limits::offers_max(pool.capacity()), here.identity.start != 0),
          calls_(here.identity.start != 0) {}

    /// Forwards a packet that the link at `arrival` has accepted; takes over its reference. `tag`:
    /// what the last node said. Gives what in it is for this node.
    Event forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag);
    /// Sends a packet of this node on its way; takes over the caller's reference. `ready`: model
    /// time at which the first port may start.
    Event inject(PacketBuffer* buffer, wire::ModelTime ready);
    /// Makes of a packet that came here, or got no further than here, the answer to it, and sends
    /// that; takes over the reference, which must be the only one. Precondition: is_answered().
    Event answer(PacketBuffer* buffer, const Answer& with);
    /// The process that had a packet of a message gives it back: its sender hears that all before
    /// this place is consumed, since model time buffer->ready.
    Event acknowledge(PacketBuffer* buffer);

    /// Gives up a packet at a dead link; false if there is none. Its sender is told, if it waits
    /// for an answer.
    bool give_up(Event& event);
    /// Calls one of the senders that were sent away, if there is room and the pool allows. False if
    /// nobody was called.
    bool call_sender(Event& event);
    /// Somebody waits to be called.
    bool any_away() const { return intake_.any_away(); }

    /// An offer that is there although there was no room for it; nullptr if there is none.
    const PacketBuffer* guest() const { return guest_; }
    /// No process has taken it in its turn: its sender is called again. Not in an interlude: a
    /// process may have seen it.
    void send_guest_away();
    /// A question has done its work and needs no answer.
    void drop(PacketBuffer* question) { pool_.release(question); }
    /// Who takes what comes to this node.
    enum class Audience : std::uint8_t {
        processes,
        ended,  // all processes of a program that has run: nothing that comes is taken any more
        nobody, // the node only forwards
    };
    /// Senders of messages are told so, and nothing is kept for nobody.
    void set_audience(Audience audience) { audience_ = audience; }
    Audience audience() const { return audience_; }
    /// Tells the sender of an offer that waits that nobody will take it; false if there is none.
    bool refuse_offer(Event& event);

    /// The first link on the way of a packet of `rule` (`path`: of Rule::disjoint) to `to` is dead.
    bool cut_off(NodeId to, Rule rule, unsigned path = 0) const;

    const Mailbox& mailbox() const { return mailbox_; }
    /// The first packet that matches, left where it is; nullptr if there is none. A process waits
    /// for it: if it is an offer that was sent away, its sender will be called.
    const PacketBuffer* find(const Match& match) const;
    /// Takes the first packet that matches (there must be one) out of the mailbox.
    PacketBuffer* take(const Match& match);
    /// A process takes the message whose offer it has taken; it has all of it, or leaves it.
    void begin(Incoming& incoming) { intake_.begin(incoming); }
    Event end(Incoming& incoming, bool taken);
    Peer& peer(NodeId node) const { return intake_.peer(node); }
    /// Offers that were refused since nobody takes them any more, and the last of them.
    struct Refused {
        std::uint32_t offers = 0;
        NodeId source = kNoNode;
        Tag tag = 0;
    };
    const Refused& refused() const { return refused_; }

    /// Of collectives.
    Calls& calls() { return calls_; }
    const Calls& calls() const { return calls_; }
    /// The next call of this tag begins; to be followed by drop_old_call().
    void begin_call(CallRecord& record) { calls_.begin(record, newest_call(record)); }
    /// Drops a packet or an offer of a call that is over; false if there is none. The sender of an
    /// offer hears that nobody knows of it.
    bool drop_old_call(Event& event);
    /// Depends on all deliveries so far and their order.
    std::uint32_t delivery_hash() const { return delivery_hash_; }

private:
    PacketBuffer* pass(PacketBuffer* buffer, Port arrival, std::uint8_t tag, Event& event);
    PacketBuffer* turn_back(const PacketBuffer& answer, Port arrival, std::uint8_t tag, Port port);
    bool is_heard(Service service) const;
    bool deliver(PacketBuffer* buffer, Event& event);
    bool on_offer(PacketBuffer* buffer, Event& event);
    void on_ask(PacketBuffer* buffer);
    void put(PacketBuffer* buffer, Event& event);
    void count(PacketBuffer* buffer);
    void accept(PacketBuffer* offer);
    void refuse(PacketBuffer* offer);
    void write_answer(PacketBuffer* buffer, const Answer& with, wire::ModelTime ready = 0);
    void prepare(PacketBuffer* buffer, wire::ModelTime ready);
    RoundTrip way_home(NodeId to, RoundTrip paths) const;
    bool says_too_much(Port port, const wire::PacketHeader& header);
    bool say_what_was_lost(PacketBuffer* buffer);
    void note_loss(Port port, const wire::PacketHeader& header);
    unsigned newest_call(const CallRecord& record) const;
    void leave_mailbox(PacketBuffer* buffer);

    Audience audience_ = Audience::processes;
    PacketBuffer* guest_ = nullptr;
    Refused refused_;
    std::uint32_t delivery_hash_ = 0;
    const Here& here_;
    PacketPool& pool_;
    Counters& counters_;
    Links& links_;
    Admission& admission_;
    Mailbox mailbox_;
    Intake intake_;
    Calls calls_;
};

} // namespace mesh
