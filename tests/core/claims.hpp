// The promises of the core, as functions that look for a counterexample over whole networks.
//
// No allocation and no test framework: gtest cases call them on the host, the target suite calls
// for_each_claim() on the Cortex-M. A claim that holds answers with nothing.
#pragma once

#include "core/network.hpp"

#include <cstdint>
#include <optional>

namespace mesh::claims {

/// The first place where a claim does not hold.
struct Counterexample {
    Network network;
    Rule rule = Rule::unicast;
    unsigned subtree = 0;
    NodeId root = kNoNode;
    NodeId node = kNoNode;
};
using Verdict = std::optional<Counterexample>;

/// First counterexample of `holds(subtree, node)` in the trees of one root.
template <class Holds>
Verdict for_all_nodes(Network network, Rule rule, NodeId root, Holds holds) {
    const unsigned first = first_subtree(network, rule);
    for (unsigned subtree = first; subtree < first + subtree_count(network, rule); ++subtree) {
        for (std::uint32_t node = 0; node < node_count(network); ++node) {
            if (!holds(subtree, node_at(node)))
                return Counterexample{network, rule, subtree, root, node_at(node)};
        }
    }
    return std::nullopt;
}

/// First counterexample of `claim(network, rule, root)` over all roots.
template <class Claim>
Verdict for_all_roots(Network network, Rule rule, Claim claim) {
    for (std::uint32_t root = 0; root < node_count(network); ++root) {
        if (const Verdict verdict = claim(network, rule, node_at(root)))
            return verdict;
    }
    return std::nullopt;
}

/// Links from `node` up to the root; more than `limit` if the root is not reached.
inline unsigned depth(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node,
                      unsigned limit) {
    unsigned hops = 0;
    for (NodeId at = node; at != root && hops <= limit; ++hops) {
        const Port up = parent(network, rule, subtree, root, at);
        if (((in_ports(network, at) >> (index(up) & 31u)) & 1u) == 0 || up == kNoPort)
            return limit + 1;
        at = neighbor(network, at, up);
    }
    return hops;
}

/// Parents lead from every node to the root, in at most height() links.
inline Verdict tree_spans_all_nodes(Network network, Rule rule, NodeId root) {
    const unsigned limit = height(network, rule);
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        return depth(network, rule, subtree, root, node, limit) <= limit;
    });
}

/// Some node is height() links from the root.
inline Verdict height_is_reached(Network network, Rule rule, NodeId root) {
    const unsigned limit = height(network, rule);
    const auto below = [=](unsigned subtree, NodeId node) {
        return depth(network, rule, subtree, root, node, limit) != limit;
    };
    if (for_all_nodes(network, rule, root, below))
        return std::nullopt;
    return Counterexample{network, rule, 0, root, kNoNode};
}

/// Of the neighbours of a non-root node exactly one counts it among its children (in sbg: each of
/// its parents), of the root's none.
inline Verdict one_parent_each(Network network, Rule rule, NodeId root) {
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        std::uint32_t feeders = 0;
        for (PortSequence in = PortSequence::ascending(in_ports(network, node)); !in.empty();) {
            const Port port = in.pop();
            const NodeId other = neighbor(network, node, port);
            if (children(network, rule, subtree, root, other).contains(port))
                feeders |= 1u << index(port);
        }
        if (node == root)
            return feeders == 0;
        const bool single = (feeders & (feeders - 1)) == 0;
        return feeders != 0 && (single || rule == Rule::sbg);
    });
}

/// A node is among the children of another exactly if that one is a parent of it.
inline Verdict children_invert_parent(Network network, Rule rule, NodeId root) {
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const PortSequence down = children(network, rule, subtree, root, node);
        if ((down.set() & ~out_ports(network, node)) != 0)
            return false;
        for (PortSequence out = PortSequence::ascending(out_ports(network, node)); !out.empty();) {
            const Port port = out.pop();
            const NodeId child = neighbor(network, node, port);
            const std::uint32_t up = parents(network, rule, subtree, root, child);
            if (down.contains(port) != (((up >> index(port)) & 1u) != 0))
                return false;
        }
        return true;
    });
}

/// parent() is among parents(), and in all but sbg the only one.
inline Verdict parent_is_one_of_parents(Network network, Rule rule, NodeId root) {
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const Port up = parent(network, rule, subtree, root, node);
        const std::uint32_t all = parents(network, rule, subtree, root, node);
        if (up == kNoPort)
            return all == 0;
        return rule == Rule::sbg ? ((all >> index(up)) & 1u) != 0 : all == 1u << index(up);
    });
}

/// Cube: the tree of any root is the tree of root 0, its addresses xor the root.
inline Verdict tree_is_translated(Network network, Rule rule, NodeId root) {
    return for_all_nodes(network, rule, root, [=](unsigned subtree, NodeId node) {
        const NodeId seen = node_at(index(node) ^ index(root));
        return parent(network, rule, subtree, root, node) ==
                   parent(network, rule, subtree, node_at(0), seen) &&
               children(network, rule, subtree, root, node).set() ==
                   children(network, rule, subtree, node_at(0), seen).set();
    });
}

/// `bs` with source, destination and subtree blanked routes every packet as `sbt` does.
inline Verdict bs_needs_only_the_arrival_port(Network network, Rule, NodeId root) {
    return for_all_nodes(network, Rule::sbt, root, [=](unsigned, NodeId node) {
        const Port arrival = parent(network, Rule::sbt, 0, root, node);
        const Route full = route(network, node, arrival, {Rule::sbt, 0, root, kNoNode});
        const Route light = route(network, node, arrival, {Rule::bs, 0xFF, kNoNode, kNoNode});
        return full.ports.set() == light.ports.set() && full.deliver == light.deliver;
    });
}

/// Every next hop of a unicast from `root` to any node is one link nearer; it ends by delivery.
inline Verdict unicast_takes_a_shortest_path(Network network, Rule, NodeId root) {
    for (std::uint32_t to = 0; to < node_count(network); ++to) {
        const Envelope envelope{Rule::unicast, 0, kNoNode, node_at(to)};
        NodeId at = root;
        Port arrival = kNoPort;
        for (unsigned left = distance(network, root, node_at(to)); left > 0; --left) {
            Route step = route(network, at, arrival, envelope);
            if (step.deliver || step.ports.empty())
                return Counterexample{network, Rule::unicast, 0, root, node_at(to)};
            arrival = step.ports.pop();
            at = neighbor(network, at, arrival);
            if (!step.ports.empty() || distance(network, at, node_at(to)) != left - 1)
                return Counterexample{network, Rule::unicast, 0, root, node_at(to)};
        }
        const Route last = route(network, at, arrival, envelope);
        if (!last.deliver || !last.ports.empty())
            return Counterexample{network, Rule::unicast, 0, root, node_at(to)};
    }
    return std::nullopt;
}

/// Pseudorandom numbers, the same ones in every run.
class Draw {
public:
    explicit Draw(std::uint32_t seed) : state_(0x9E3779B9u ^ seed) {}
    std::uint32_t operator()() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_;
    }

private:
    std::uint32_t state_;
};

/// No envelope or arrival port, however corrupt, sends a packet by a port that the node does not
/// have; a source or destination out of range, an unknown rule or port goes nowhere.
inline Verdict corrupt_packets_are_safe(Network network, Rule, NodeId node) {
    Draw draw{index(node)};
    const std::uint32_t nodes = node_count(network);
    for (unsigned trial = 0; trial < 256; ++trial) {
        const Rule rule = static_cast<Rule>(draw() % (static_cast<unsigned>(Rule::kCount) + 8));
        const Envelope envelope{rule, static_cast<std::uint8_t>(draw()),
                                node_at(draw() % (nodes + 2)), node_at(draw() % (nodes + 2))};
        const Port arrival = trial % 4 == 0 ? kNoPort : port_at(draw() % 24);
        const Route there = route(network, node, arrival, envelope);
        const bool known =
            rule == Rule::unicast || rule == Rule::disjoint || subtree_count(network, rule) != 0;
        const bool lost = rule == Rule::unicast
                              ? index(envelope.destination) >= nodes
                              : rule != Rule::bs && index(envelope.source) >= nodes;
        const bool strange = arrival != kNoPort && index(arrival) >= port_count(network);
        if ((there.ports.set() & ~out_ports(network, node)) != 0 ||
            ((!known || lost || strange) && !there.nowhere()))
            return Counterexample{network, rule, envelope.subtree, envelope.source, node};
    }
    return std::nullopt;
}

/// Calls report(claim, verdict) for each claim on cubes of 1..dim_max dimensions: every claim on
/// every tree with root 0, the translation to every root, and unicasts between all pairs.
template <class Report>
void for_each_claim(unsigned dim_max, Report report) {
    const NodeId zero = node_at(0);
    for (unsigned dim = 1; dim <= dim_max; ++dim) {
        const Network cube{Topology::cube, static_cast<std::uint8_t>(dim)};
        for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
            const Rule rule = static_cast<Rule>(number);
            if (subtree_count(cube, rule) == 0)
                continue;
            report("parents lead every node to the root", tree_spans_all_nodes(cube, rule, zero));
            report("the height is reached", height_is_reached(cube, rule, zero));
            report("every non-root node has one parent", one_parent_each(cube, rule, zero));
            report("children are the inverse of parent", children_invert_parent(cube, rule, zero));
            report("parent is one of parents", parent_is_one_of_parents(cube, rule, zero));
            report("the tree of any root is the tree of root 0 translated",
                   for_all_roots(cube, rule, tree_is_translated));
        }
        report("bs is sbt from the arrival port alone",
               for_all_roots(cube, Rule::bs, bs_needs_only_the_arrival_port));
        report("a unicast takes a shortest path",
               for_all_roots(cube, Rule::unicast, unicast_takes_a_shortest_path));
        report("corrupt packets are safe",
               for_all_roots(cube, Rule::unicast, corrupt_packets_are_safe));
    }
}

} // namespace mesh::claims
