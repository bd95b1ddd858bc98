// Calls of collectives: what tells the packets of one from those of the next under the same tag.
//
// All nodes make the same calls of collectives under a tag, in the same order, so each counts them
// by itself and all have the same number. Packets and messages of a call say it: 2k those of call
// k, 2k + 1 what runs beside them (words of flow control, results behind a reduction), and, of
// messages, those of the k-th call of a group (library/group.hpp), whose members count apart. 0
// means: of no call. Numbers go round; since nobody is further ahead of another node than kAhead
// calls (collectives/call.hpp), one that is not of the next so many is of one that is over.
#pragma once

#include "kernel/packets/mailbox.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// What a node knows of the calls under one tag; kept for as long as the node runs.
struct CallRecord {
    static constexpr NodeId kNobody = node_at(0xFFFF'FFFD);
    static constexpr NodeId kAllNodes = node_at(0xFFFF'FFFE);

    Tag tag = 0;
    std::uint16_t number = 0; // of the last call that has begun; 0: none
    bool of_group = false;
    bool under_way = false;
    bool lasting = false;   // when it has ended a process takes late copies until the next begins
    bool counted = false;   // its packets have been, in `packets`
    std::uint8_t calls = 0; // since all nodes were known to be as far
    std::uint16_t packets = 0; // that these may have sent to a node that is late
    std::uint16_t lost = 0;    // by some port, packets of calls up to this number; 0: none
    NodeId parted = kNobody;   // see part()
    CallRecord* next = nullptr;

    bool is_of(const wire::PacketHeader& header) const;
    /// A message of this call to or from `node` was given up: the two exchange no more of them in
    /// this call, or one would take a later message for the one that was lost. Of more than one
    /// node there is no record: then it holds for all.
    void part(NodeId node) { parted = parted == kNobody || parted == node ? node : kAllNodes; }
    bool has_parted(NodeId node) const { return parted == node || parted == kAllNodes; }
    /// Packets that a late node may be sent.
    void add(std::uint32_t more);
    /// All nodes have begun what is under way.
    void meet() {
        calls = 0;
        packets = 0;
    }
};

class Calls {
public:
    /// Calls under one tag by which nodes may be apart, and some more.
    static constexpr unsigned kAhead = 64;

    /// `begun_anew`: this node had a life before this one, of which it knows nothing.
    explicit Calls(bool begun_anew) : begun_anew_(begun_anew), unsure_(begun_anew) {}

    /// nullptr: no call of this tag has begun.
    CallRecord* find(Tag tag, bool of_group = false) const;
    /// `record`: the caller's, who names its tag.
    void add(CallRecord& record);
    /// The call of this tag that is under way; without a number if none is.
    CallLabel label(Tag tag) const;
    /// No later one has begun here.
    bool is_last(CallLabel label) const { return find(label.tag)->number == label.call / 2; }
    /// The next one begins. `newest`: that others have sent something of, or 0.
    void begin(CallRecord& record, unsigned newest);
    /// It is of a call that is over at this node, or over between its source and this node: nobody
    /// will take it.
    bool is_over(const wire::PacketHeader& header) const;
    /// So are packets of this call.
    bool is_over(CallLabel label) const;
    /// So are messages of this call to and from `node`.
    bool is_over(CallLabel label, NodeId node) const;
    /// A message of this call to or from `node` was given up. Nothing, if it was of no call, or of
    /// none that is under way.
    void part(CallLabel label, NodeId node) const;
    /// That was so.
    bool have_parted(CallLabel label, NodeId node) const;

    // What was lost. An entry says: by this port, up to that call.

    void note_lost(Port port, CallLabel label);
    /// Something of this call may have been lost by this port: what asks for it there must not say
    /// that all came. Losses that there is no place for are remembered for all ports of the tag. A
    /// node that began anew, or lost more of tags that it has begun no call of, says it of the
    /// first call of each tag that it is asked for.
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
