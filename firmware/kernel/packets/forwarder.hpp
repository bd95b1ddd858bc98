// Where packets go: from a link, or from a process, to the links that the rule names and to this
// node's mailbox, without any process seeing transit traffic and without copying.
//
// It sends down by `Links` and calls nothing above: a packet that has come to this node is
// returned.
//
// Control of messages needs no queue. A packet that is answered becomes its answer, in its own
// buffer; a `call` that a node has to send by itself is a bit of a Peer until a buffer is free.
#pragma once

#include "kernel/links/links.hpp"
#include "kernel/packets/calls.hpp"
#include "kernel/packets/intake.hpp"
#include "kernel/packets/mailbox.hpp"
#include "kernel/packets/peers.hpp"
#include "wire/bytes.hpp"

#include <cstdint>
#include <span>
#include <utility>

namespace mesh {

/// The service that a header names.
inline Service service_of(const wire::PacketHeader& header) {
    return static_cast<Service>(header.service);
}

/// Control packets have 64 bits of detail where others have the sizes of a message and its call.
/// alive: bytes that are consumed; taken: when, in model time; look, here, gone: CallLabel::word();
/// nothing, lost: the node that was called or asked, which may not be the one that answers.
inline std::uint64_t detail_of(const wire::PacketHeader& header) {
    return wire::load<std::uint64_t>(wire::bytes_of(header), wire::packet_offset::kTotalBytes);
}
/// Writes what detail_of() reads.
inline void put_detail(wire::PacketHeader& header, std::uint64_t detail) {
    wire::store(std::as_writable_bytes(std::span{&header, 1}), wire::packet_offset::kTotalBytes,
                detail);
}
/// The node of `nothing` and `lost`: detail_of().
inline NodeId callee_of(const wire::PacketHeader& answer) {
    return node_at(static_cast<std::uint32_t>(detail_of(answer)));
}
/// The position of a `call`, and of the offer or `nothing` that answers it, is the round of the
/// call, never 0, and above kLifeShift the life of the node that calls. So no answer to a call of
/// its life before is taken for one. Other offers have round 0, and the life of their receiver as
/// their sender knows it: 0 if it has heard of none, so that they are for Identity::kFirstLife. A
/// call also says: others hold messages for this node as well; its program has ended. `nothing`
/// also says: call again, with the password that is the `message` of this answer as total_bytes.
inline constexpr std::uint32_t kOthersWait = 0x100, kEnded = 0x200, kCallAgain = 0x400;
inline constexpr unsigned kLifeShift = 16;
/// The life of the node that calls, of a `call` and what answers it.
inline std::uint16_t life_called(const wire::PacketHeader& call) {
    return static_cast<std::uint16_t>(call.position >> kLifeShift);
}
/// The position of such a packet, of `round` and `life`.
constexpr std::uint32_t answers_word(unsigned round, std::uint16_t life) {
    return round | std::uint32_t{life} << kLifeShift;
}
/// The tag of answers says of which round of questions they are (0: of none), and which path out
/// the packet took that they answer.
inline std::uint8_t round_of(const wire::PacketHeader& answer) {
    return static_cast<std::uint8_t>(answer.tag >> 8);
}
/// The path out of the packet that `answer` answers, as in RoundTrip.
inline std::uint8_t path_answered(const wire::PacketHeader& answer) {
    return static_cast<std::uint8_t>(answer.tag);
}

/// Writes the paths of a packet that will be answered; `shortest`: the rule of kShortest.
void put_paths(wire::PacketHeader& header, RoundTrip paths, Rule shortest);
/// Reads the paths that put_paths() wrote.
RoundTrip paths_of(const wire::PacketHeader& header);

/// A function that returns a packet returns the one that has come to this node by the call: a
/// packet that is in the mailbox now, or a control packet for the caller, with its reference: an
/// answer to a message under way, or a question (probe, call, look). nullptr if none has come.
class Forwarder {
public:
    /// All of these must outlive it. `peers`: as in Intake.
    Forwarder(const Here& here, PacketPool& pool, Counters& counters, Links& links,
              Admission& admission, Peers peers)
        : here_(here),
          pool_(pool),
          counters_(counters),
          links_(links),
          admission_(admission),
          intake_(peers, mailbox_, limits::offers_max(pool.capacity())),
          calls_(here.identity.start != 0) {}

    /// Forwards a packet that the link at `arrival` has accepted; takes over its reference. `tag`:
    /// the tag that the last node gave it (Tags).
    PacketBuffer* forward(PacketBuffer* buffer, Port arrival, std::uint8_t tag);
    /// Sends a packet of this node on its way; takes over the caller's reference. The first port
    /// may start at model time buffer->ready.
    PacketBuffer* inject(PacketBuffer* buffer);
    /// Turns a packet that came here, or got no further than here, into its answer, and sends it;
    /// takes over the reference, which must be the only one. Precondition: is_answered().
    /// `more`: with `nothing`, this node holds messages for the one that asked.
    [[gnu::noinline]] PacketBuffer* answer(PacketBuffer* buffer, Service with, bool more = false);
    /// The process that had a packet of a message gives it back: its sender hears that all bytes up
    /// to the packet's end are consumed, since model time buffer->ready.
    PacketBuffer* acknowledge(PacketBuffer* buffer);

    /// Gives up a packet that was to leave by `port`, whose link is dead; takes over its reference.
    /// Its sender is told, if it waits for an answer.
    PacketBuffer* give_up(PacketBuffer* buffer, Port port);
    /// The node that is to be called next; kNoNode if there is no room, the pool does not allow it,
    /// or none holds a message for this one.
    NodeId next_call() {
        return admission_.may_ask() && pool_.may_wait() ? intake_.next_call() : kNoNode;
    }
    /// Calls that node.
    PacketBuffer* call(NodeId node);
    /// True if a node holds messages for this one.
    bool any_more() const { return intake_.any_more(); }
    /// True if the pool allows answer_late() now.
    bool may_answer_late() const { return admission_.may_ask(); }
    /// Answers the last call of `node`, for which no message is left, by `nothing`. `more`: this
    /// node holds messages for it that it did not ask for. Precondition: may_answer_late().
    PacketBuffer* answer_late(NodeId node, bool more);

    /// True if there may be a node to be asked for what processes wait for.
    bool may_pull() const { return overflow_ == nullptr && intake_.may_pull(); }
    /// From now on find() adds to `wants` what it does not find; nullptr: not any more.
    void collect(Wants* wants) { wants_ = wants; }
    /// Asks the next node that may hold some of this. `new_waits`: processes have begun to wait
    /// since the last time.
    PacketBuffer* pull(const Wants& wants, bool new_waits);
    /// Once: since the last time a node was noted that holds messages for this one.
    bool take_news() { return intake_.take_news(); }
    /// `nothing` has come for a call of this node. From another node than the one that was called
    /// it says that the call was lost on its way. Gives what comes of the call that it asks for.
    PacketBuffer* on_nothing(PacketBuffer* come);
    /// A call has come without the password that it needs (Intake::password()): `nothing`, which
    /// says the password, is its answer. If the life of the call is over, nobody hears that.
    bool lacks_password(wire::PacketHeader& call) const;
    /// A call has come that may be heard. False if it is one that is too late.
    bool hear_call(const wire::PacketHeader& call) {
        return intake_.hear_call(call.source, life_called(call), call.position & kRoundMask);
    }

    /// The offer in the overflow slot: there was no room for it; nullptr if there is none.
    const PacketBuffer* overflow() const { return overflow_; }
    /// No process has taken that offer in its turn: its sender is called again. Not in a preemptive
    /// poll: a process may have seen the offer.
    void send_overflow_away() { send_away(overflow_); }
    /// Packets of calls wait that no process takes yet, and the reserve has no room for them:
    /// offers that no process has taken in its turn go back to their senders, the newest first. As
    /// above, not in a preemptive poll.
    void make_room();
    /// A question has done its work and needs no answer.
    void drop(PacketBuffer* question) {
        MESH_EXPECT(question->in_hand());
        pool_.release(question);
    }
    /// The processes that take the packets that come to this node.
    enum class Audience : std::uint8_t {
        processes,
        ended,  // all processes of a program that has run: nothing that comes is taken any more
        nobody, // the node only forwards
    };
    /// Senders of messages are told if no process takes them, and their packets are not kept.
    void set_audience(Audience audience) { audience_ = audience; }
    /// See set_audience().
    Audience audience() const { return audience_; }
    /// All processes of a program that has run have ended. Senders that wait for them are called.
    void end_audience() {
        audience_ = Audience::ended;
        intake_.call_who_waits();
    }

    /// The first link on the way of a packet of `rule` (`path`: of Rule::disjoint) to `to` is dead.
    bool cut_off(NodeId to, Rule rule, unsigned path = 0) const;

    /// The packets that have come for this node.
    const Mailbox& mailbox() const { return mailbox_; }
    /// The first packet that matches, left where it is; nullptr if there is none. Then a process
    /// waits for such a packet, and nodes that hold messages are asked for it.
    const PacketBuffer* find(const Match& match) const;
    /// The address of this node.
    NodeId node() const { return here_.node(); }
    /// Its life (wire::Identity).
    std::uint16_t life() const { return here_.identity.life(); }
    /// Takes the first packet that matches (there must be one) out of the mailbox.
    PacketBuffer* take(const Match& match);
    /// A process takes the message whose offer it has taken; then it has all of it, or leaves it.
    void begin(Incoming& incoming) { intake_.begin(incoming); }
    /// That process has `taken` all of the message, or leaves it: what is left of it in the mailbox
    /// is dropped, and its sender hears `unknown`.
    PacketBuffer* end(Incoming& incoming, bool taken);
    /// The record of `node`, which must be one of the network.
    Peer& peer(NodeId node) const { return intake_.peer(node); }
    /// Nodes of the network.
    std::uint32_t nodes() const { return here_.rules.node_count(here_.network()); }
    /// `source` has asked for this node: Intake::note_wait().
    void note_wait(NodeId source) { intake_.note_wait(source); }
    /// Offers that were refused since no process takes them any more, and the last of them.
    struct Refused {
        std::uint32_t offers = 0;
        NodeId source = kNoNode;
        Tag tag = 0;
    };
    /// All of them since the node began.
    const Refused& refused() const { return refused_; }

    /// The calls of collectives.
    Calls& calls() { return calls_; }
    /// The same.
    const Calls& calls() const { return calls_; }
    /// This node does not wait any more for packets of a call that `node` was to send across their
    /// cable. Packets of that call count as lost there, so `node` hears `gone` when it looks.
    void part(CallLabel label, NodeId node);
    /// The next call of this tag begins. Packets that find_old_call() gives then are to be dropped.
    void begin_call(CallRecord& record) { calls_.begin(record, newest_call(record)); }
    /// A packet or an offer in the mailbox of a call that is over, or any offer when the audience
    /// has ended; nullptr if there is none.
    PacketBuffer* find_old_call();
    /// Drops a packet that find_old_call() gave. The sender of an offer hears that nobody knows of
    /// it.
    PacketBuffer* drop_old_call(PacketBuffer* buffer);
    /// A hash of all deliveries so far, in their order.
    std::uint32_t delivery_hash() const { return delivery_hash_; }

private:
    bool pass(PacketBuffer*& buffer, Port arrival, std::uint8_t tag, PacketBuffer*& come);
    PacketBuffer* start(PacketBuffer* buffer);
    PacketBuffer* answer_to_loss(PacketBuffer* buffer, Port port, Port arrival, std::uint8_t tag);
    void send_away(PacketBuffer* offer);
    bool asks_instead(PacketBuffer& buffer) const;
    PacketBuffer* turn_back(const wire::PacketHeader& answer, Port port, Port arrival,
                            std::uint8_t tag);
    bool is_heard(Service service) const;
    bool deliver(PacketBuffer* buffer, PacketBuffer*& come);
    PacketBuffer* new_word(NodeId to, Service service, std::uint32_t position);
    PacketBuffer* new_call(NodeId to, bool pull);
    bool on_offer(PacketBuffer* buffer, PacketBuffer*& come);
    bool is_kept(NodeId source, std::uint32_t message) const;
    void on_ask(PacketBuffer* buffer);
    PacketBuffer* put(PacketBuffer* buffer);
    void count(PacketBuffer* buffer);
    void accept(PacketBuffer* offer);
    void refuse(PacketBuffer* offer);
    void write_answer(PacketBuffer* buffer, Service with);
    void prepare(PacketBuffer* buffer);
    void choose_path(wire::PacketHeader& header, unsigned number) const;
    bool says_too_much(Port port, const wire::PacketHeader& header);
    void note_loss(Port port, const wire::PacketHeader& header);
    unsigned newest_call(const CallRecord& record) const;
    void leave_mailbox(PacketBuffer* buffer);

    Audience audience_ = Audience::processes;
    PacketBuffer* overflow_ = nullptr;
    Wants* wants_ = nullptr;
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
