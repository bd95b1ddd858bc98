// What this node has under way: messages that it sends, and nodes that it waits for; what their
// receivers, and the nodes on the way, have said of them. Whoever sends or waits asks here
// (kernel/api/message.hpp, kernel/api/await.hpp).
#pragma once

#include "kernel/base/hold.hpp"
#include "kernel/packets/forwarder.hpp"

#include <cstdint>

namespace mesh {

class Messages;

/// The sender's side of a message under way, or the side of somebody who waits for a node. Lives in
/// the frame of who waits, and is in the kernel's table for as long.
///
/// It goes its chosen way until that is lost. Then it has none: a round of questions goes by all
/// disjoint paths, and the first answer says which of them it takes from now on.
struct Outgoing {
    Outgoing(Messages& messages, NodeId to, Rule route);
    Outgoing(const Outgoing&) = delete;
    Outgoing& operator=(const Outgoing&) = delete;
    ~Outgoing();

    bool has_way() const { return way != Way::kNone; }
    /// The rule that its packets take, and the path if that is Rule::disjoint.
    Rule rule() const { return way == Way::kChosen ? route : Rule::disjoint; }
    unsigned path() const { return way == Way::kChosen ? 0 : way - 1u; }
    void lose_way() {
        way = Way::kNone;
        lost = false;
    }
    /// Questions go out that only answers of this round, which is never 0, are answers to.
    void begin_round() {
        if (++round == 0)
            round = 1;
    }
    /// Word has come: questions begin anew.
    void begin_anew() {
        asked = 0;
        silent = false;
    }

    const Rule route;                  // the chosen way
    Service question = Service::probe; // probe, or of a message that is sent: ask
    bool any_way = true;               // if it loses its way it may take another
    bool silent = false;               // since it was last asked
    std::uint8_t asked = 0;            // in a row
    std::uint8_t way = Way::kChosen;
    std::uint8_t round = 0;
    bool detour = false; // it has taken another way than the chosen one
    bool taken = false;  // at least its first packet
    bool later = false;
    bool lost = false;    // its way
    bool moved = false;   // a round has been answered
    bool unknown = false; // where it goes to, nobody knows of it
    bool alive = false;   // who it goes to, when that one was last asked
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
    /// `holds`: the links read the table as well.
    /// `start`: how often this node was started before (wire::Identity). The messages of a life
    /// have greater numbers than those of the lives before, so nobody takes them for old ones. That
    /// holds for 2^26 messages and questions of one life; with more of them a node must not be
    /// started again in a mesh that goes on.
    Messages(Counters& counters, Holds& holds, unsigned start)
        : counters_(counters),
          holds_(holds),
          numbers_(start << kLifeShift) {}

    /// Gives it a number, by which answers name it; neither 0 nor kAnyMessage.
    [[gnu::noinline]] void number(Outgoing& outgoing);
    /// The first of all that is under way, the others by `next`.
    const Outgoing* first() const { return first_; }
    /// The last message to the same node that was numbered before and that nobody has taken yet; 0
    /// if there is none.
    std::uint32_t before(const Outgoing& outgoing) const;

    /// Nothing has been heard for long, or the way is lost: gives the next question. It is to go by
    /// all paths if outgoing.has_way() does not hold then. False: nobody answers. `heard`: what has
    /// left by the links of this node has got to their other ends, so silence means something.
    bool next_question(Outgoing& outgoing, bool heard, News& question);
    /// News came: if it is of something under way, that hears it.
    void hear(const News& news);
    /// Makes of a probe the answer to it.
    void answer(News& probe) const;
    /// Links have died, and with them the ways that begin with them, also of those that are waiting
    /// for an answer only.
    void on_dead_links(const Forwarder& forwarder);
    /// When the first of them wants to ask whether its receiver is there, or kNever; of those that
    /// want to at `from` or later.
    std::uint64_t next_ask(std::uint64_t from = 0) const;
    /// How many wait for a node that has not shown yet that it is there.
    unsigned pending() const;

private:
    friend struct Outgoing;

    Outgoing* find(std::uint32_t message) const;
    bool end_round(Outgoing& outgoing, const News& news);
    static void come_to(Outgoing& outgoing, std::uint32_t arrived_bytes);

    static constexpr unsigned kLifeShift = 26;
    static_assert((wire::Identity::kStarts - 1) >> (32 - kLifeShift) == 0);

    Counters& counters_;
    Holds& holds_;
    Outgoing* first_ = nullptr;
    std::uint32_t numbers_;
};

} // namespace mesh
