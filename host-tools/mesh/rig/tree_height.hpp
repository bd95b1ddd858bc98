// How far the nodes of a tree are from a root: what the formulas count with, and the page says.
#pragma once

#include "core/network.hpp"

namespace mesh::host {

/// Links from `root` to the farthest node in any subtree; 0 if the topology does not have the rule.
/// height() is that of the farthest root: in a UHC of odd dim the trees from even nodes are one
/// link less deep. Not for a rule of one's own, which says its height itself.
constexpr unsigned height_from(Network network, Rule rule, NodeId root) {
    const bool nearer = network.topology == Topology::uhc && network.dim % 2 != 0 &&
                        !odd_weight(index(root)) && subtree_count(network, rule) != 0;
    return height(network, rule) - (nearer ? 1u : 0u);
}

} // namespace mesh::host
