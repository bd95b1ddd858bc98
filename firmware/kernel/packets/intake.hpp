// The messages of other nodes to this one: which of them are here, and which nodes hold some more,
// to call those when there is room. So each message is taken once, and those of one sender in the
// order in which they were sent, by whatever path their packets come.
//
// A node numbers its offers to each receiver: 1, 2, 3 ... A receiver takes in the offer that comes
// next by its number, if it has room. It drops every other one, and notes that the sender holds
// `more`: one bit, which no later offer clears. A call clears it. The sender that is called says
// anew what it holds: it offers one message, under a new number that the receiver takes for the
// last one whatever it was before, and says with it whether it holds more; or it says that it holds
// nothing. What it has offered in vain until then counts no more, and waits at the sender for a
// call. While a node is called, all its other offers are dropped. So
//
// - a message that was dropped is called again: its sender holds it, and its receiver has `more`,
//   or a call or its answer is under way (tests/verify/model/mailbox.m)
// - no message is taken twice: the offers that a call makes void have numbers that are not the next
//   one before the answer to it comes, and not the next one afterwards
// - it does not matter what either node remembers: a node that has lost its memory, or one that is
//   taken for another, offers a number that does not fit, and is called
//
// Offers wait in a share of the pool. When a process takes one, the next sender that holds more is
// called, in turns, and its offer has a place that no other one gets. So a message costs two offers
// and a call at the most, however many senders there are, and none of them waits longer than for
// the others' turns.
//
// A process may wait for a message whose sender holds it while others fill the room. Then the
// senders that hold more are asked for what processes wait for, one after the other: the call has a
// list of that (Want). The offer that comes has the overflow slot, beside the room, and is sent
// away again if no process takes it in its turn.
#pragma once

#include "core/base/expect.hpp"
#include "core/base/order.hpp"
#include "kernel/base/limits.hpp"
#include "kernel/packets/mailbox.hpp"
#include "kernel/packets/peers.hpp"
#include "wire/counters.hpp"
#include "wire/frame.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh {

/// The receiver's side of a message that a process is taking; lives in its Message.
struct Incoming {
    NodeId source = kNoNode;
    std::uint32_t message = 0;
    std::uint32_t arrived = 0;  // bytes, all that came before included
    std::uint32_t consumed = 0; // bytes of which the sender was told that they are consumed
    Incoming* next = nullptr;
};

/// One message that a process waits for, as a call says it: fields of its Match.
struct Want {
    NodeId source = kAnySource;
    Tag tag = kAnyTag;
    std::uint16_t call = 0;
};
static_assert(sizeof(Want) == 8);

/// The messages that processes wait for in one turn.
class Wants {
public:
    /// Adds one, or notes that the list is not complete.
    void add(Want want) {
        if (count_ < wants_.size())
            wants_[count_++] = want;
        else
            complete_ = false;
    }
    /// The list, in the order in which it was added to.
    std::span<const Want> all() const { return std::span{wants_}.first(count_); }
    /// Nothing is missing in it.
    bool complete() const { return complete_; }

private:
    /// The number that a packet of any board has room for.
    std::array<Want,
               least<std::size_t>(limits::kProcessesMax, wire::kPayloadBytesLeast / sizeof(Want))>
        wants_;
    std::size_t count_ = 0;
    bool complete_ = true;
};

/// The receiving side of all messages to one node; the packets are the mailbox's.
class Intake {
public:
    /// The fate of a message of another node: the answer to Service::ask.
    enum class Fate : std::uint8_t {
        not_here, // its sender holds it, or it is under way
        waits,    // in the mailbox
        being_taken,
        taken,
        unknown, // taken or left
    };
    /// The decision about an offer that has come.
    enum class Verdict : std::uint8_t { accept, overflow, drop };

    /// `peers`: the caller's, all zero; one for each node of the network. `room`: offers that may
    /// wait.
    Intake(Peers peers, const Mailbox& mailbox, unsigned room)
        : peers_(peers),
          mailbox_(mailbox),
          room_(room) {}

    /// Precondition of all functions that take a node: it is one of the network.
    Peer& peer(NodeId node) const {
        MESH_EXPECT(index(node) < peers_.size()); // the forwarder knows() the sources of packets
        return peers_[index(node)];
    }

    /// The fate of `message` (MessageName::word()) of `source`.
    Fate fate(NodeId source, std::uint32_t message) const;
    /// Judges an offer whose fate is not_here, and notes its sender if it is dropped. `for_us`: it
    /// was made for this life of this node. `round`: of the call that it answers; 0: it answers
    /// none.
    Verdict judge(const wire::PacketHeader& offer, bool for_us, unsigned round);
    /// The offer goes to the mailbox; from the overflow slot: for good.
    void accept(const wire::PacketHeader& offer);
    /// An offer leaves the mailbox, and its sender is to be called for it again. `overflows`: it
    /// was in the overflow slot, and no process has taken it in its turn. Else may_go_back() holds.
    void send_away(const wire::PacketHeader& offer, bool overflows);
    /// This offer is the last that came of its sender, who has not been told so.
    bool may_go_back(const wire::PacketHeader& offer) const;
    /// A process has taken an offer out of the mailbox.
    void take() { --unexpected_; }
    /// The rest of a fragment's message has come up to here; false if it is not what comes next.
    bool accept_fragment(const wire::PacketHeader& fragment, Counters& counters);

    /// `node` holds messages for this one.
    void note(NodeId node) { note(peer(node)); }
    /// True if a node holds messages for this one, and was not called since that is known.
    bool any_more() const { return more_ != 0; }
    /// Once: a node was noted since the last time.
    bool take_news() { return std::exchange(news_, false); }
    /// The node to be called next; kNoNode if there is no room, or none holds a message.
    NodeId next_call();
    /// Processes have begun to wait: nodes that hold more are asked again.
    void begin_waits();
    /// True if there may be a node to be asked for what processes wait for.
    bool may_pull() const { return more_ != 0 && pulled_ == kNoNode; }
    /// The node that is asked next; kNoNode if none is left.
    NodeId next_pull(std::span<const Want> wants);
    /// `node` is called: a place is kept for its offer; by a pull, the overflow slot. If it was
    /// called before, its place is the one of that call. The round of the call.
    std::uint8_t call(NodeId node, bool pull);
    /// `node` was called, and has not answered.
    bool awaits(NodeId node) const { return peer(node).called != 0; }
    /// A call of `node` in `life` has come, which says `said`: 0 if it may be heard. Else it may be
    /// of a life that is over, and the answer is the password that a call must say. No life before
    /// the one that is known can have heard it, since the number grows when a life is met.
    std::uint32_t password(NodeId node, std::uint16_t life, std::uint32_t said,
                           std::uint16_t own_life) const;
    /// A call of `node` has come that may be heard. False if it is one that is too late.
    bool hear_call(NodeId node, std::uint16_t life, unsigned round);
    /// The call of this round has no message of `node` for its answer. `more`: it holds some for
    /// which it was not asked.
    void on_nothing(NodeId node, unsigned round, bool more);
    /// The call of this round has not got to `node`.
    void on_lost_call(NodeId node, unsigned round);
    /// `node` asks for a message that is not here, and names the path to there. If it was called,
    /// it has not heard that, and is called again. If no offer is taken in while all that may wait
    /// ask more than once, calls were lost with a cable or a node, and the places kept for them are
    /// free again.
    void on_ask(NodeId node, unsigned path);

    /// A process takes the message; `incoming` is the caller's until end().
    void begin(Incoming& incoming);
    /// The process has taken all of the message, or leaves it: then nobody knows what became of it.
    void end(Incoming& incoming, bool taken);
    /// A message of `source` that was taken in is given up: nobody knows what has become of it.
    void forget(NodeId source);
    /// `source` has asked for this node.
    void note_wait(NodeId source) {
        peer(source).waits = 1;
        asked_ = 1;
    }
    /// The program has ended: every node that has asked for this node is to be called, and will ask
    /// again. If none has, that takes one look, however many nodes there are.
    void call_who_waits();
    /// The message if a process is taking it; else nullptr.
    Incoming* find(NodeId source, std::uint32_t message) const;

private:
    void note(Peer& peer);
    void end_call(Peer& peer);
    void meet(Peer& peer, std::uint16_t life);
    NodeId node_of(const Peer& peer) const {
        return node_at(static_cast<std::uint32_t>(&peer - peers_.data()));
    }

    Peers peers_;
    const Mailbox& mailbox_;
    const unsigned room_;
    bool news_ = false;
    unsigned asked_ = 0;             // not 0: some node has asked for this one
    unsigned unexpected_ = 0;        // offers in the mailbox that have a place there
    unsigned called_ = 0;            // places for nodes that were called
    std::uint32_t more_ = 0;         // nodes that hold more
    std::uint32_t asks_in_vain_ = 0; // since an offer was taken in
    std::uint32_t turn_ = 0;         // the node that was called last
    std::uint32_t pull_turn_ = 0;    // the same, by a pull
    NodeId pulled_ = kNoNode;        // the node that may have the overflow slot
    Incoming* first_ = nullptr;
};

} // namespace mesh
