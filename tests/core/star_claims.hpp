// The promises of the star's core beyond those of all networks. No allocation, no test framework:
// gtest on the host and the target suite call for_each_star_claim().
#pragma once

#include "claims.hpp"
#include "disjoint_claims.hpp"
#include "topology_claims.hpp"

#include <cstdint>

namespace mesh::claims {

/// spt brings every node its packet over a shortest path.
inline Verdict spt_depth_is_the_distance(Network network, Rule, NodeId root) {
    return for_all_nodes(network, Rule::spt, root, [=](unsigned subtree, NodeId node) {
        const unsigned links = distance(network, root, node);
        return depth(network, Rule::spt, subtree, root, node, links) == links;
    });
}

/// The tree from another root is the identity's, translated: same dimensions.
inline Verdict star_tree_is_translated(Network network, Rule rule, NodeId root) {
    const StarGraph star{network.dim};
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const NodeId seen = star.rank(star.relative_label(node, root));
        return children(network, rule, subtree, root, node).set() ==
               children(network, rule, subtree, node_at(0), seen).set();
    });
}

/// Tree r(l) of edt is tree l rotated, children in the same order. Identity root only.
inline Verdict next_tree_is_rotated(Network network, Rule rule, NodeId root) {
    const StarGraph star{network.dim};
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const NodeId turned = star.rank(star.rotate(star.unrank(node)));
        const unsigned next = star.next_cyclic(subtree);
        PortSequence here = children(network, rule, subtree, root, node);
        PortSequence there = children(network, rule, next, root, turned);
        while (!here.empty() && !there.empty()) {
            const unsigned dimension = StarGraph::dimension(here.pop());
            if (StarGraph::dimension(there.pop()) != star.next_cyclic(dimension))
                return false;
        }
        return here.empty() && there.empty();
    });
}

/// Calls report(claim, verdict) for each claim on stars of 3..symbols_max symbols, identity root;
/// the translation to every root up to 5 symbols.
template <class Report>
void for_each_star_claim(unsigned symbols_max, Report report) {
    constexpr unsigned kAllRootsMax = 5;
    const NodeId zero = node_at(0);
    for (unsigned symbols = kSymbolsMin; symbols <= symbols_max; ++symbols) {
        const Network net{Topology::star, static_cast<std::uint8_t>(symbols)};
        for (const Rule rule : {Rule::spt, Rule::edt, Rule::edt_v2}) {
            report("parents lead every node to the root", tree_spans_all_nodes(net, rule, zero));
            report("the height is reached", height_is_reached(net, rule, zero));
            report("every non-root node has one parent", one_parent_each(net, rule, zero));
            report("children are the inverse of parent", children_invert_parent(net, rule, zero));
            if (symbols <= kAllRootsMax)
                report("the tree of any root is the identity's, translated",
                       for_all_roots(net, rule, star_tree_is_translated));
            if (rule == Rule::spt)
                continue;
            report("trees share no link", trees_share_no_link(net, rule, zero));
            report("paths in two trees share no node", paths_share_no_node(net, rule, zero));
            report("the next tree is this one rotated", next_tree_is_rotated(net, rule, zero));
            report("the arrival port tells the tree", arrival_port_tells_the_tree(net, rule, zero));
        }
        report("spt reaches every node at its distance",
               spt_depth_is_the_distance(net, Rule::spt, zero));
        report("unicasts from the identity take shortest paths",
               unicast_takes_a_shortest_path(net, Rule::unicast, zero));
        report("packets stay inside", corrupt_packets_are_safe(net, Rule::unicast, zero));
    }
}

} // namespace mesh::claims
