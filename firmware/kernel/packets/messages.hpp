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
/// A message goes its chosen way until that way is lost. Then it has none: a round of questions
/// goes by all disjoint paths, each question names a path for its answer, and the first answer says
/// which two paths the message takes from now on. So do later messages to that node (Peer).
struct Outgoing {
    Outgoing(Messages& messages, NodeId to, Rule route);
    Outgoing(const Outgoing&) = delete;
    Outgoing& operator=(const Outgoing&) = delete;
    ~Outgoing();

    bool has_way() const { return paths.out != RoundTrip::kNone; }
    void lose_way() {
        paths.out = RoundTrip::kNone;
        lost = false;
    }
    /// A new round of questions begins: only answers that name this round, which is never 0, count.
    void begin_round() {
        next_round();
        asking = 0;
        lost_paths = 0;
    }
    void next_round() {
        if (++round == 0)
            round = 1;
    }
    /// Word has come: questions begin anew.
    void begin_anew() {
        asked = 0;
        silent = false;
    }
    /// The message is known to be taken, `bytes` of it at least. If a late word had it offered
    /// again, the offer need not leave, and those bytes count as sent.
    void take(std::uint32_t bytes) {
        taken = true;
        if (!offered)
            sent_bytes = bytes;
        offered = true;
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
    bool offered = false;   // since it was last told to offer
    bool again = false;     // an offer of it may be there
    bool called = false;    // its receiver has a place for it
    bool taken = false;     // at least its first packet
    bool heard = false;     // something has been said of it
    bool lost = false;      // its way
    bool moved = false;     // a round has been answered, or packets are missing
    bool unknown = false;   // at the node `to` nobody knows of it
    std::uint8_t asked = 0; // in a row
    const Rule route;       // the chosen way
    RoundTrip paths{};
    bool silent = false;               // no answer since the last question
    bool alive = false;                // the node `to`, when it was last asked
    Service question = Service::probe; // probe, or of a message that is sent: ask
    std::uint8_t round = 0;
    std::uint16_t asking = kAskedAll; // questions of the round that have left
    std::uint16_t lost_paths = 0;     // of the round: paths by which no question gets there
    bool any_way = true;              // if it loses its way it may take another
    bool detour = false;              // it has taken another way than the chosen one
    bool receives = false;            // it waits for an offer to a program, with tag `label`
    Messages& messages;
    const NodeId to;
    std::uint32_t about = 0;   // the number of a message of the other node, to probe for
    std::uint32_t label = 0;   // of the packets that it looks for: CallLabel::word()
    std::uint32_t message = 0; // number() gives it
    std::uint32_t sent_bytes = 0;
    std::uint32_t taken_bytes = 0;
    std::uint32_t arrived_bytes = 0;     // as the last answer said
    wire::ModelTime taken_at = 0;        // by the clock of the process that took it
    std::uint64_t ask_at = wire::kNever; // see Timebase::now()
    Outgoing* next = nullptr;
};

class Messages {
public:
    /// `critical_depth`: the links read the table as well. `start`: how often this node was started
    /// before (wire::Identity). The messages of a life have greater numbers than those of the lives
    /// before, so nobody takes them for old ones. That is so for 2^26 messages and questions of one
    /// life; with more of them a node must not be started again in a mesh that goes on.
    Messages(const Forwarder& forwarder, Counters& counters, CriticalDepth& critical_depth,
             unsigned start)
        : forwarder_(forwarder),
          counters_(counters),
          critical_depth_(critical_depth),
          numbers_(start << kLifeShift) {}

    /// Gives it a number, by which answers name it; neither 0 nor kAnyMessage.
    [[gnu::noinline]] void number(Outgoing& outgoing);
    /// The first of all that is under way, the others by `next`.
    const Outgoing* first() const { return first_; }
    /// The last message to the same node that was numbered before and that nobody has taken yet; 0
    /// if there is none.
    std::uint32_t before(const Outgoing& outgoing) const;
    /// A later message to the same node has been offered that may have been sent away with this
    /// one.
    bool more_behind(const Outgoing& outgoing) const;

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
    /// A node has room for a message of this node, which is offered again. False if there is none.
    bool on_call(const wire::PacketHeader& call);
    /// The message of this number is under way.
    bool is_under_way(std::uint32_t message) const { return find(message) != nullptr; }
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

    Outgoing* find(std::uint32_t message) const;
    Outgoing* first_behind(NodeId to, std::uint32_t last) const;
    static Outgoing* untaken(Outgoing* from, NodeId to);
    void end_round(Outgoing& outgoing, RoundTrip paths);
    [[gnu::noinline]] void on_later(Outgoing& outgoing, const wire::PacketHeader& word);
    static void on_lost(Outgoing& outgoing, const wire::PacketHeader& lost, unsigned paths);
    static void lose_path(Outgoing& outgoing, unsigned path, unsigned paths);
    bool cut_off(const Outgoing& outgoing) const;
    static void come_to(Outgoing& outgoing, std::uint32_t arrived_bytes);

    static constexpr unsigned kLifeShift = 26;
    static_assert((wire::Identity::kStarts - 1) >> (32 - kLifeShift) == 0);

    const Forwarder& forwarder_;
    Counters& counters_;
    CriticalDepth& critical_depth_;
    Outgoing* first_ = nullptr;
    std::uint32_t numbers_;
};

} // namespace mesh
