// The messages that this node sends and the nodes that it waits for, with what receivers and nodes
// on the way have answered. A process that sends or waits asks here (kernel/api/message.hpp,
// kernel/api/await.hpp).
#pragma once

#include "kernel/base/critical_section.hpp"
#include "kernel/packets/forwarder.hpp"

#include <cstdint>

namespace mesh {

class Messages;

/// The sender's side of a message under way, or the side of a process that waits for a node. Lives
/// in the frame of that process, and is in the kernel's table for as long.
///
/// A message is offered under the next number to its receiver (MessageName), in the order in which
/// sends began. When the receiver calls, all that it has not taken in is held here, without a
/// number, and one of these is offered as the answer; the others wait for the next call, and so do
/// later messages to that node (kernel/packets/intake.hpp).
///
/// A message goes its chosen way until that way is lost. Then it has none: a round of questions
/// goes by all disjoint paths, each question names a path for its answer, and the first answer says
/// which two paths the message takes from now on. So do later messages to that node (Peer).
struct Outgoing {
    /// Enters the table of `messages`, which must outlive it. `route`: of its packets while that
    /// way is good.
    Outgoing(Messages& messages, NodeId to, Rule route);
    Outgoing(const Outgoing&) = delete;
    Outgoing& operator=(const Outgoing&) = delete;
    ~Outgoing();

    /// True while its packets have a way.
    bool has_way() const { return paths.out != RoundTrip::kNone; }
    /// It has no way any more: questions by all paths are to find one.
    void lose_way() {
        paths.out = RoundTrip::kNone;
        lost = false;
    }
    /// A new round of questions begins: only answers that name this round, which is never 0, count.
    void begin_round() {
        next_round();
        renamed = false;
        asking = 0;
        lost_paths = 0;
    }
    /// The number of a new round: answers to the one before count no more.
    void next_round() {
        if (++round == 0)
            round = 1;
    }
    /// Word has come: questions begin anew.
    void begin_anew() {
        asked = 0;
        silent = false;
    }
    /// The message waits here until its receiver calls. What was asked about its number counts no
    /// more: the receiver takes that for the number of a message that it has.
    void hold() {
        held = true;
        offered = false;
        message = 0;
        sent_bytes = 0;
        answers = 0;
        renamed = true;
    }
    /// A message to this node that is not known to be taken.
    bool is_untaken(NodeId node) const { return question == Service::ask && to == node && !taken; }
    /// A question, or some of a round, is still to be sent, or the time of the next one to be set.
    bool is_asking() const { return asking != kAskedAll; }
    /// An answer has come; the questions that have not left yet need not leave any more.
    void stop_asking() {
        if (is_asking())
            asking = kAnswered;
    }

    static constexpr std::uint16_t kAskedAll = 0xFFFF;
    static constexpr std::uint16_t kAnswered = kAskedAll - 1;

    // Bytes first, and the ones that a sender looks at before all others: short instructions reach
    // them.
    bool offered = false;     // under its number
    bool held = false;        // not to be offered before its receiver calls
    bool there = false;       // its receiver has taken the offer in, as far as is known
    bool taken = false;       // at least its first packet
    bool hints = false;       // its receiver is to call, by the way that was found
    std::uint8_t answers = 0; // the round of the call that its offer answers; 0: none
    bool heard = false;       // something has been said of it
    bool lost = false;        // its way
    bool moved = false;       // a round has been answered, or packets are missing
    bool renamed = false;     // since the round of questions began
    bool unknown = false;     // at the node `to` nobody knows of it
    std::uint8_t asked = 0;   // in a row
    const Rule route;         // the chosen way
    RoundTrip paths{};
    bool silent = false;               // no answer since the last question
    bool alive = false;                // the node `to`, when it was last asked
    Service question = Service::probe; // probe, or of a message that is sent: ask
    std::uint8_t round = 0;
    std::uint16_t asking = kAskedAll; // questions of the round that have left
    std::uint16_t lost_paths = 0;     // of the round: paths by which no question gets there
    std::uint16_t asks_as = 0;        // the number by which answers name its questions; 0: none yet
    bool any_way = true;              // if it loses its way it may take another
    bool detour = false;              // it has taken another way than the chosen one
    bool receives = false;            // it waits for an offer to a program, with tag `label`
    Messages& messages;
    const NodeId to;
    std::uint32_t about = 0;   // the number of a message of the other node, to probe for
    std::uint32_t label = 0;   // of the packets that it looks for: CallLabel::word()
    std::uint32_t message = 0; // MessageName::word(); 0: no message, or one that waits here
    std::uint32_t sent_bytes = 0;
    std::uint32_t taken_bytes = 0;
    std::uint32_t arrived_bytes = 0;     // as the last answer said
    wire::ModelTime taken_at = 0;        // by the clock of the process that took it
    std::uint64_t ask_at = wire::kNever; // see Timebase::now()
    Outgoing* next = nullptr;
};

/// The table of one node. It owns no Outgoing: each enters and leaves by itself. Lookups are
/// O(messages under way).
class Messages {
public:
    /// `critical_depth`: the links read the table as well. `life`: of this node.
    Messages(const Forwarder& forwarder, Counters& counters, CriticalDepth& critical_depth,
             std::uint16_t life)
        : forwarder_(forwarder),
          counters_(counters),
          critical_depth_(critical_depth),
          life_(life) {}

    /// Gives it the next number to its receiver.
    void number(Outgoing& outgoing);
    /// The offer of the number that it was just given has not left.
    void take_number_back(Outgoing& outgoing);
    /// True if it may be offered now: it answers a call, or none that was sent before waits here.
    bool in_turn(const Outgoing& outgoing) const;
    /// Another message to the same node waits here.
    bool holds_more(const Outgoing& outgoing) const { return holds(outgoing.to, &outgoing); }
    /// A message to `to`, other than `but`, waits here to be offered.
    bool holds(NodeId to, const Outgoing* but = nullptr) const;
    /// The first of all that is under way, the others by `next`.
    const Outgoing* first() const { return first_; }

    /// Nothing has been heard for long, or the way is lost: the next question is to be sent, by all
    /// paths if outgoing.has_way() does not hold then. False: nobody answers. `links_heard`: frames
    /// that have left by the links of this node have got to the other ends, so silence means
    /// something.
    bool next_question(Outgoing& outgoing, bool links_heard);
    /// Writes the question that comes next. `paths`: disjoint paths of the network. False if all of
    /// the round have left.
    bool write_question(const Outgoing& outgoing, unsigned paths, wire::PacketHeader& header) const;
    /// The question that was written has left, or its path begins with a dead link (`cut_off`).
    static void sent_question(Outgoing& outgoing, unsigned paths, bool cut_off);
    /// An answer has come: the message or wait under way that it is about hears it. `paths`: as
    /// above.
    void hear(const wire::PacketHeader& answer, unsigned paths);
    /// All that waits for `node` asks as soon as its process has a turn, and is pending until it
    /// has an answer; kNoNode: all that would ask in time anyway, whatever node it waits for.
    void ask_again(NodeId node);
    /// A node has room for a message of this node: one that is in the list of Want in the call, if
    /// it has a list. What it has not taken in is held, and the oldest that fits is offered. False
    /// if none fits.
    bool on_call(const PacketBuffer& call);
    /// The message of this name to `to` is under way.
    bool is_under_way(NodeId to, std::uint32_t message) const {
        return find(to, message) != nullptr;
    }
    /// Calls may have to be answered for which nothing is under way any more.
    bool any_owed() const { return owed_; }
    /// A node whose last call is one of these; it has its answer now. kNoNode if there is none.
    NodeId take_owed();
    /// A message of this call to `node` is under way.
    bool is_under_way(CallLabel label, NodeId node) const;
    /// Sets `outgoing.lost` if the first link of its way is dead. To be called once, when a send
    /// begins; on_dead_links() does the same whenever a link dies.
    void look_at_way(Outgoing& outgoing) const;
    /// Links have died. Sets `lost` of all that is under way by a way that begins with a dead link,
    /// also of messages that only wait for an answer.
    void on_dead_links();
    /// The time at which the first of them wants to ask whether its receiver is there, or kNever.
    std::uint64_t next_ask() const;
    /// The first offer in the mailbox that `match` takes is for another process: one that began to
    /// wait for it before `receiver` did.
    bool is_for_older(const Outgoing& receiver, const Match& match) const;
    /// How many wait for a node that has not shown yet that it is there.
    unsigned pending() const;

private:
    friend struct Outgoing;

    Outgoing* find(NodeId to, std::uint32_t word) const;
    std::uint16_t next_question_number();
    /// The name of its questions, which no message has, nor a question of another life.
    std::uint32_t question_word(const Outgoing& outgoing) const {
        return ~MessageName{outgoing.asks_as, life_}.word();
    }
    void come_up_to(NodeId to, std::uint16_t number);
    static Outgoing* untaken(Outgoing* from, NodeId to);
    void end_round(Outgoing& outgoing, RoundTrip paths);
    void owe(NodeId to, std::uint8_t round);
    static void on_lost(Outgoing& outgoing, const wire::PacketHeader& lost, unsigned paths);
    static void lose_path(Outgoing& outgoing, unsigned path, unsigned paths);
    bool cut_off(const Outgoing& outgoing) const;
    static void come_to(Outgoing& outgoing, std::uint32_t arrived_bytes);

    const Forwarder& forwarder_;
    Counters& counters_;
    CriticalDepth& critical_depth_;
    Outgoing* first_ = nullptr;
    std::uint16_t life_;
    std::uint16_t questions_ = 0;
    bool owed_ = false; // see any_owed()
};

} // namespace mesh
