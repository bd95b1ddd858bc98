// Calls of collectives: the numbers that tell the packets of one call from those of the next one
// under the same tag.
//
// All nodes make the same calls of collectives under a tag, in the same order, so each counts them
// by itself and all have the same number. Packets and messages of call k say 2k. Packets that run
// beside them (words of flow control, results behind a reduction) say 2k + 1; so do the messages of
// the k-th call of a group (library/group.hpp), whose members count apart. 0 means: of no call.
// Numbers go round. No node is further ahead of another one than kAhead calls
// (collectives/call.hpp), so a packet that is not of the next kAhead calls is of a call that is
// over.
#pragma once

#include "kernel/packets/mailbox.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// A node's record of the calls under one tag; kept for as long as the node runs.
struct CallRecord {
    static constexpr NodeId kNobody = node_at(0xFFFF'FFFD);
    static constexpr NodeId kAllNodes = node_at(0xFFFF'FFFE);

    Tag tag = 0;
    std::uint16_t number = 0; // of the last call that has begun; 0: none
    bool of_group = false;
    bool under_way = false;
    bool lasting = false;   // when it has ended a process takes late copies until the next begins
    bool loose = false;     // its messages do not depend on each other: see part()
    std::uint8_t calls = 0; // since all nodes were known to be as far
    std::uint16_t packets = 0; // that these calls may have sent to a late node
    std::uint16_t share = 0;   // of that: what the call that is under way adds when it ends
    std::uint16_t lost = 0;    // by some port, packets of calls up to this number; 0: none
    NodeId parted = kNobody;   // see part()
    std::uint32_t* parted_set = nullptr; // a bit for each node; the call's, while it is under way
    CallRecord* next = nullptr;

    /// True if a packet, or the offer of a message, is of any call of this record.
    bool is_of(const wire::PacketHeader& header) const;
    /// A message of this call to or from `node` was given up: the two nodes exchange no more
    /// messages in this call, or one would take a later message for the lost one. The record has
    /// room for one node; if there are more, it holds for all nodes, but in a call that gives room
    /// for all of them (`parted_set`). Not called if the record is `loose`.
    void part(NodeId node);
    /// True if part() was called for `node` in the call that is under way, or holds for it.
    bool has_parted(NodeId node) const;
    /// The call that is under way may send so many packets to a late node. Set, as meet() is
    /// called, before the call waits for anything: so all nodes count alike, also one that gives it
    /// up.
    void set_share(std::uint32_t all);
    /// The call that is under way has ended.
    void count();
    /// All nodes have begun the call that is under way, or will have when it ends.
    void meet() {
        calls = 0;
        packets = 0;
    }
};

static_assert(sizeof(void*) != 4 || sizeof(CallRecord) <= 32,
              "with the head of its block 48 bytes, as BroadcastPlan and the host tool say");

/// The calls of all tags at one node. It owns none of the records, which must stay.
class Calls {
public:
    /// Calls under one tag by which nodes may be apart, and some more.
    static constexpr unsigned kAhead = 64;

    /// `begun_anew`: this node had a life before this one, of which it knows nothing.
    explicit Calls(bool begun_anew) : begun_anew_(begun_anew), unsure_(begun_anew) {}

    /// nullptr: no call of this tag has begun.
    CallRecord* find(Tag tag, bool of_group = false) const;
    /// `record`: the caller's, which has set its tag.
    void add(CallRecord& record);
    /// The call of this tag that is under way; without a number if none is.
    CallLabel label(Tag tag) const;
    /// Calls that have begun at this node and have not ended. O(tags in use).
    unsigned under_way() const;
    /// No call later than this one has begun here.
    bool is_last(CallLabel label) const { return find(label.tag)->number == label.call / 2; }
    /// The next call begins. `newest`: a call of which others have sent something, or 0.
    void begin(CallRecord& record, unsigned newest);
    /// True if a packet is of a call that is over at this node, or a message is of one that is over
    /// between its source and this node: no process will take it.
    bool is_over(const wire::PacketHeader& header) const;
    /// True if packets of this call are too late for this node.
    bool is_over(CallLabel label) const;
    /// The same for messages of this call to and from `node`.
    bool is_over(CallLabel label, NodeId node) const;
    /// A message of this call to or from `node` was given up. Does nothing if the message was of no
    /// call, or of a call that is not under way.
    void part(CallLabel label, NodeId node) const;
    /// True if a message of this call to or from `node` was given up.
    bool have_parted(CallLabel label, NodeId node) const;

    // Losses. An entry says: by this port packets were lost, of calls up to that number.

    /// A packet of this call was lost by `port`.
    void note_lost(Port port, CallLabel label);
    /// True if a packet of this call may have been lost by this port: an answer to a look that goes
    /// by it must not say that all came. Losses without a free entry are remembered for all ports
    /// of the tag. A node that began anew, or that lost packets of too many tags of which it has
    /// begun no call, says so of the first call of each tag that it is asked for.
    bool lost(Port port, CallLabel label);

private:
    struct Loss {
        Tag tag = 0;
        std::uint16_t number = 0;
        Port port{}; // or kEveryPort
        bool is_there = false;
    };
    static constexpr unsigned kLosses = 16;
    static constexpr Port kEveryPort = kHostPort;

    CallRecord* record_of_messages(CallLabel label) const;
    Loss* find_loss(Port port, CallLabel label);
    Loss& make_room();

    const bool begun_anew_;
    bool unsure_; // something was lost that no entry tells
    std::uint8_t oldest_ = 0;
    CallRecord* first_ = nullptr;
    std::array<Loss, kLosses> losses_;
};

} // namespace mesh
