// This node's record of the messages that others send it, so that each is taken once and those of
// one sender in order, by whatever path their packets come; and of the senders that it sent away
// for want of room, to call them when there is room.
//
// A sender numbers its messages, and a node takes in those of one sender in the order of their
// numbers: so the last number taken in says of each message whether it has been here.
//
// Offers wait in a share of the pool. If the share is full an offer is dropped and its sender
// noted, with the tag. When a process takes an offer, the next of those senders is called, in
// turns, and its next offer has a place that no other offer gets. So a message costs two offers and
// a call at the most, however many senders there are, and none of them waits longer than for the
// others' turns.
//
// A process may wait for a message whose offer was sent away while others fill the room. Its
// sender is called at once (want()); that offer comes into the overflow slot, beside the room, and
// is sent away again if no process takes it in its turn.
#pragma once

#include "core/base/expect.hpp"
#include "kernel/base/limits.hpp"
#include "kernel/packets/mailbox.hpp"
#include "kernel/packets/peers.hpp"
#include "wire/counters.hpp"

#include <cstdint>

namespace mesh {

/// The receiver's side of a message that a process is taking; lives in its Message.
struct Incoming {
    NodeId source = kNoNode;
    std::uint32_t message = 0;
    std::uint32_t arrived = 0;  // bytes, all that came before included
    std::uint32_t consumed = 0; // bytes that the process has taken
    Incoming* next = nullptr;
};

class Intake {
public:
    /// The fate of a message of another node: the answer to Service::ask.
    enum class Fate : std::uint8_t {
        never_came = static_cast<std::uint8_t>(Service::later),
        waits = static_cast<std::uint8_t>(Service::alive), // in the mailbox, or to be called
        taken = static_cast<std::uint8_t>(Service::taken),
        unknown = static_cast<std::uint8_t>(Service::unknown),
        being_taken = static_cast<std::uint8_t>(Service::kCount) // alive, and how far
    };
    /// The decision about an offer that has come.
    enum class Verdict : std::uint8_t { accept, overflow, send_away };

    /// `peers`: the caller's, all zero; one for each node of the network. `room`: offers that may
    /// wait. `started_again`: this node has run before, and knows nothing of the messages of that
    /// life.
    Intake(Peers peers, const Mailbox& mailbox, unsigned room, bool started_again)
        : peers_(peers),
          mailbox_(mailbox),
          room_(room),
          started_again_(started_again) {}

    /// Precondition of all functions that take a node: it is one of the network.
    Peer& peer(NodeId node) const {
        MESH_EXPECT(index(node) < peers_.size()); // the forwarder knows() the sources of packets
        return peers_[index(node)];
    }
    bool knows(NodeId source) const { return peer(source).last != 0; }

    Fate fate(NodeId source, std::uint32_t message) const;
    /// Judges an offer that has not come before, and notes its sender if that is sent away.
    /// `overflow`: the sender of the offer in the overflow slot, or kNoNode.
    Verdict judge(const wire::PacketHeader& offer, NodeId overflow);
    /// The offer goes to the mailbox; from the overflow slot: for good.
    void accept(const wire::PacketHeader& offer);
    /// No process has taken the offer in the overflow slot in its turn.
    void send_overflow_away(const wire::PacketHeader& offer);
    /// A process has taken an offer out of the mailbox.
    void take() { --unexpected_; }
    /// The rest of a fragment's message has come up to here; false if it is not what comes next.
    bool accept_fragment(const wire::PacketHeader& fragment, Counters& counters);

    /// True if a sender was sent away and has not been called.
    bool any_away() const { return away_ != 0; }
    /// Of the offers that were sent away, a process waits for one that matches.
    void want(const Match& match) const;
    /// The sender to be called next; kNoNode if there is no room, or no sender waits.
    NodeId next_call();
    /// `node` is called: a place is kept for its next offer.
    void call(NodeId node);
    /// `node` does not wait to be called any more, and no place is kept for it.
    void come(NodeId node) { come(peer(node)); }
    /// A node has offered a message that is here already. If the node was called, the call has
    /// crossed that offer, and is to be repeated.
    void repeat_call(NodeId node);
    /// A sender that waits to be called asks. If the sender that may have the overflow slot was
    /// called and has not offered, the slot is free for another one: that node may be dead. If no
    /// offer is taken in while all that may wait ask more than once, calls were lost with a cable
    /// or a node, and the places kept for them are free again. A node that was called will ask as
    /// well.
    void check_calls();

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
    Incoming* find(NodeId source, std::uint32_t message) const;

private:
    bool is_early(const wire::PacketHeader& offer) const;
    void send_away(NodeId source, Tag tag);
    void come(Peer& peer);

    Peers peers_;
    const Mailbox& mailbox_;
    const unsigned room_;
    const bool started_again_;
    unsigned asked_ = 0;             // not 0: some node has asked for this one
    unsigned unexpected_ = 0;        // offers in the mailbox that have a place there
    unsigned called_ = 0;            // places for senders that were called
    std::uint32_t away_ = 0;         // nodes
    std::uint32_t asks_in_vain_ = 0; // of those, since an offer was taken in
    std::uint32_t turn_ = 0;         // the node after the one that was called last
    mutable NodeId wanted_ =
        kNoNode; // the sender that may have the overflow slot: a process looks for its offer
    Incoming* first_ = nullptr;
};

} // namespace mesh
