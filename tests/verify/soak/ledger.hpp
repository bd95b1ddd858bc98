// Of parts at a time beside faults: what explains that something is missing, and what nodes were
// told that must fit together.
//
// A message, or an operation on a window, may be lost where one of both nodes was hit or has ended
// its program, where as many cables and nodes were hit as there are disjoint paths, or where one
// was and frames are late. A collective may miss something as soon as anything was hit. Whatever is
// said, is true of both ends.
#pragma once

#include "world.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace mesh::soak {

class Ledger {
public:
    /// `ends`: the nodes whose programs end early, a bit for each. `slow`: who asks by another way
    /// may not wait for the answer.
    Ledger(const World& world, std::uint32_t ends, bool slow)
        : world_(world),
          ends_(ends),
          slow_(slow) {}

    // What was hit --------------------------------------------------------------------------------

    void note_hit(unsigned node) { nodes_hit_.insert(node); }
    /// The cable of that port; a port without one has none.
    void note_hit(unsigned node, unsigned port);
    bool ends_early(NodeId node) const { return (ends_ >> index(node) & 1u) != 0; }
    /// A node that was hit or ends early: what it was told may be of another life.
    bool is_odd(NodeId node) const { return ends_early(node) || nodes_hit_.contains(index(node)); }
    /// A message between the two may be lost.
    bool parted(NodeId one, NodeId other) const;
    bool cut_off() const;
    /// A collective may miss something.
    bool disturbed() const;

    // Who sends -----------------------------------------------------------------------------------
    //
    // A process that takes messages ends when nobody sends any more, so no two programs wait for
    // each other's end.

    void begin_sending(unsigned part, NodeId node);
    void end_sending(unsigned part, NodeId node);
    /// No living node sends in this part.
    bool settled(unsigned part) const;

    // What was told -------------------------------------------------------------------------------

    /// A window ended though not all nodes had come to its end: operations there may be lost.
    void note_early_end(NodeId target) { closed_.insert(index(target)); }
    bool may_be_closed(NodeId target) const { return closed_.contains(index(target)); }
    /// Gives the least ticket that may be told: all that were told before are lower.
    std::uint32_t note_add_begun(NodeId target);
    /// False if this ticket of the target was given before, or is less than `least`.
    bool note_ticket(NodeId target, std::uint32_t ticket, std::uint32_t least);
    /// A window whose counter is `count` has counted what was told to have taken effect, and
    /// nothing twice.
    bool counted(NodeId target, std::uint32_t count) const;
    void note_agreed(NodeId node, unsigned part, unsigned round, std::uint32_t flags,
                     std::span<const NodeId> left) {
        agreed_.push_back({node, part, round, flags, {left.begin(), left.end()}});
    }
    /// At the end: two nodes that were not hit have different answers of an agreement.
    bool disagree() const;

private:
    struct Sender {
        unsigned part, node, life;
        bool sends;
    };
    struct Answer {
        NodeId node;
        unsigned part, round;
        std::uint32_t flags;
        std::vector<NodeId> left;
    };
    struct Adds {
        std::uint32_t begun = 0, told = 0, next = 0;
    };

    const World& world_;
    std::uint32_t ends_;
    bool slow_;
    std::set<unsigned> nodes_hit_, closed_;
    std::set<std::pair<unsigned, unsigned>> cables_hit_;
    std::vector<Sender> senders_;
    std::map<unsigned, Adds> adds_;
    std::set<std::pair<unsigned, std::uint32_t>> tickets_;
    std::vector<Answer> agreed_;
};

} // namespace mesh::soak
