// The promises of the UHC's core beyond those of all networks. No allocation, no test framework:
// gtest on the host and the target suite call for_each_uhc_claim().
#pragma once

#include "claims.hpp"
#include "disjoint_claims.hpp"
#include "topology_claims.hpp"

#include <bit>
#include <cstdint>

namespace mesh::claims {

constexpr bool is_tagged(Rule rule) { return rule == Rule::bt2 || rule == Rule::bt1_counted; }

/// With the source blanked, a packet that the root starts comes to every node by parent() with
/// arrival_tag(), and goes on to the children: shown link by link.
inline Verdict tag_replaces_the_source(Network network, Rule rule, NodeId root) {
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const Port arrival = parent(network, rule, subtree, root, node);
        const std::uint8_t tag = arrival_tag(network, rule, root, node);
        Route blank = route(network, node, arrival, {rule, 0xFF, kNoNode, kNoNode, tag});
        if (blank.ports.set() != children(network, rule, subtree, root, node).set())
            return false;
        while (!blank.ports.empty()) {
            const Port port = blank.ports.pop();
            const NodeId child = neighbor(network, node, port);
            const std::uint8_t expected = arrival_tag(network, rule, root, child);
            const bool read = parent(network, rule, subtree, root, child) != port ||
                              blank.tags.at(port) == expected || expected == 0;
            if (!read)
                return false;
        }
        return true;
    });
}

/// bts brings every node its packet over a shortest path.
inline Verdict bts_depth_is_the_distance(Network network, Rule, NodeId root) {
    return for_all_nodes(network, Rule::bts, root, [=](unsigned subtree, NodeId node) {
        const unsigned links = distance(network, root, node);
        return depth(network, Rule::bts, subtree, root, node, links) == links;
    });
}

/// Everything collected goes to the root over out-ports, by a shortest path; a node listens on
/// exactly those in-ports by which a child sends.
inline Verdict collection_ends_at_the_root(Network network, Rule, NodeId root) {
    const UniHypercube net{network.dim};
    for (std::uint32_t number = 0; number < net.node_count(); ++number) {
        const NodeId node = node_at(number);
        const Port up = uhc::collect_parent(net, root, node);
        bool right = node == root ? up == kNoPort
                                  : net.sends_on(node, up) &&
                                        net.distance(net.neighbor(node, up), root) + 1 ==
                                            net.distance(node, root);
        const std::uint32_t heard = uhc::collect_children(net, root, node);
        right = right && (heard & ~net.in_ports(node)) == 0;
        for (PortSequence in = PortSequence::ascending(net.in_ports(node)); !in.empty();) {
            const Port port = in.pop();
            const bool sends = uhc::collect_parent(net, root, net.neighbor(node, port)) == port;
            right = right && sends == (((heard >> index(port)) & 1u) != 0);
        }
        if (!right)
            return Counterexample{network, Rule::bts, 0, root, node};
    }
    return std::nullopt;
}

/// The tree from another root is the one from node 0, seen through the map that keeps directions
/// and out-port numbers: xor, and the halves of all superdimensions exchanged if the root is odd.
/// Even dim only.
inline Verdict uhc_tree_is_translated(Network network, Rule rule, NodeId root) {
    const bool odd = std::popcount(index(root)) % 2 != 0;
    const auto swapped = [](std::uint32_t bits) {
        return ((bits & 0x5555u) << 1) | ((bits >> 1) & 0x5555u);
    };
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const std::uint32_t apart = index(node) ^ index(root);
        const NodeId seen = node_at(odd ? swapped(apart) : apart);
        const std::uint32_t here = children(network, rule, subtree, root, node).set();
        const std::uint32_t there = children(network, rule, subtree, node_at(0), seen).set();
        return here == (odd ? swapped(there) : there);
    });
}

/// Nothing sends against a link's direction, and what arrives against it goes nowhere, whatever the
/// packet says.
inline Verdict links_are_one_way(Network network, Rule, NodeId node) {
    Draw draw{index(node)};
    const std::uint32_t nodes = node_count(network);
    for (unsigned trial = 0; trial < 256; ++trial) {
        const Rule rule = static_cast<Rule>(draw() % (static_cast<unsigned>(Rule::kCount) + 4));
        const Envelope envelope{rule, static_cast<std::uint8_t>(draw()), node_at(draw() % nodes),
                                node_at(draw() % nodes), static_cast<std::uint8_t>(draw())};
        const unsigned port = draw() % network.dim;
        const Route there = route(network, node, port_at(port), envelope);
        const bool known =
            rule == Rule::unicast || rule == Rule::disjoint || subtree_count(network, rule) != 0;
        const bool against = ((in_ports(network, node) >> port) & 1u) == 0;
        if ((there.ports.set() & in_ports(network, node)) != 0 ||
            ((against || !known) && !there.nowhere()))
            return Counterexample{network, rule, envelope.subtree, envelope.source, node};
    }
    return std::nullopt;
}

/// A tagged packet with any tag, put on any node, dies out: no way is longer than the tree is high
/// and the superdimensions are many.
inline Verdict corrupt_tags_die_out(Network network, Rule rule, NodeId node) {
    for (unsigned tag = 0; tag < 256; ++tag) {
        for (unsigned port = 0; port < network.dim; ++port) {
            NodeId at = node;
            Port arrival = port_at(port);
            std::uint8_t carried = static_cast<std::uint8_t>(tag);
            const unsigned limit = 2 * height(network, rule);
            for (unsigned hop = 0; hop <= limit; ++hop) {
                Route there = route(network, at, arrival, {rule, 0, kNoNode, kNoNode, carried});
                if (there.ports.empty())
                    break;
                if (hop == limit)
                    return Counterexample{network, rule, tag, at, node};
                // Turn after turn another port, so that many ways are tried.
                for (unsigned skip = (tag + hop) % there.ports.size(); skip > 0; --skip)
                    there.ports.pop();
                arrival = there.ports.pop();
                carried = there.tags.at(arrival);
                at = neighbor(network, at, arrival);
            }
        }
    }
    return std::nullopt;
}

/// Calls report(claim, verdict) for each claim on UHCs of 2..dim_max dimensions, all roots.
template <class Report>
void for_each_uhc_claim(unsigned dim_max, Report report) {
    for (unsigned dim = 2; dim <= dim_max; ++dim) {
        const Network net{Topology::uhc, static_cast<std::uint8_t>(dim)};
        const auto all = [&](const char* claim, Rule rule, auto function) {
            report(claim, for_all_roots(net, rule, function));
        };
        for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
            const Rule rule = static_cast<Rule>(number);
            if (subtree_count(net, rule) == 0)
                continue;
            all("parents lead every node to the root", rule, tree_spans_all_nodes);
            all("every non-root node has one parent", rule, one_parent_each);
            all("children are the inverse of parent", rule, children_invert_parent);
            if (dim % 2 == 0)
                all("the tree of any root is that of root 0", rule, uhc_tree_is_translated);
            if (is_tagged(rule)) {
                all("a tag replaces the source", rule, tag_replaces_the_source);
                all("corrupt tags die out", rule, corrupt_tags_die_out);
            }
            if (rule == Rule::adst || rule == Rule::ist) {
                all("trees share no link", rule, trees_share_no_link);
                all("paths in two trees share no node", rule, paths_share_no_node);
                all("the arrival port tells the tree", rule, arrival_port_tells_the_tree);
            }
        }
        all("bts reaches every node at its distance", Rule::bts, bts_depth_is_the_distance);
        all("collection ends at the root", Rule::bts, collection_ends_at_the_root);
        all("a unicast takes a shortest path", Rule::unicast, unicast_takes_a_shortest_path);
        all("links are one-way", Rule::unicast, links_are_one_way);
    }
}

} // namespace mesh::claims
