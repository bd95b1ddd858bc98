// The promises of arc-disjoint trees (adst, ist, edt): enough for copies over any of them to
// survive faults. No allocation, no test framework.
#pragma once

#include "claims.hpp"

#include <array>
#include <cstdint>

namespace mesh::claims {

/// Nodes from a node up to the root, root excluded.
class RootPath {
public:
    RootPath(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node) {
        for (NodeId at = node; at != root && length_ < nodes_.size(); ++length_) {
            nodes_[length_] = at;
            at = neighbor(network, at, parent(network, rule, subtree, root, at));
        }
    }
    /// True if the two have no node in common but the one where both begin.
    bool meets_only_at_its_end(const RootPath& other) const {
        for (unsigned mine = 1; mine < length_; ++mine) {
            for (unsigned theirs = 1; theirs < other.length_; ++theirs) {
                if (nodes_[mine] == other.nodes_[theirs])
                    return false;
            }
        }
        return true;
    }

private:
    static constexpr unsigned kLinksMax = 3 * kDimMax;
    std::array<NodeId, kLinksMax> nodes_{};
    unsigned length_ = 0;
};

/// A node is fed by a port of its own in each tree: so no directed link is in two trees.
inline Verdict trees_share_no_link(Network network, Rule rule, NodeId root) {
    const unsigned first = first_subtree(network, rule);
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const Port mine = parent(network, rule, subtree, root, node);
        for (unsigned other = first; other < subtree && node != root; ++other) {
            if (parent(network, rule, other, root, node) == mine)
                return false;
        }
        return true;
    });
}

/// The paths from the root to a node in two trees have no other node in common.
inline Verdict paths_share_no_node(Network network, Rule rule, NodeId root) {
    const unsigned first = first_subtree(network, rule);
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const RootPath mine(network, rule, subtree, root, node);
        for (unsigned other = first; other < subtree; ++other) {
            if (!mine.meets_only_at_its_end(RootPath(network, rule, other, root, node)))
                return false;
        }
        return true;
    });
}

/// Away from the root a node routes by the arrival port; a subtree number that is none changes
/// nothing.
inline Verdict arrival_port_tells_the_tree(Network network, Rule rule, NodeId root) {
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        if (node == root)
            return true;
        const Port arrival = parent(network, rule, subtree, root, node);
        const Route blank = route(network, node, arrival, {rule, 0xFF, root, kNoNode});
        return blank.deliver &&
               blank.ports.set() == children(network, rule, subtree, root, node).set();
    });
}

} // namespace mesh::claims
