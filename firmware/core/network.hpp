// The one face of all topologies and rules: what the forwarder, the host tool and the tests call.
//
// A packet names its rule and, where the rule needs them, source, destination and subtree. route()
// is the whole routing decision of a node; it reads no table and no state. Everything a packet
// carries may be corrupt: route() answers such a packet with "nowhere". All other functions expect
// a valid network and nodes, ports and rules that it has.
#pragma once

#include "core/base/rules.hpp"
#include "core/base/types.hpp"
#include "core/cube/balanced_trees.hpp"
#include "core/cube/disjoint_paths.hpp"
#include "core/cube/hypercube.hpp"
#include "core/cube/msbt.hpp"
#include "core/cube/simple_trees.hpp"
#include "core/cube/tcbt.hpp"
#include "core/loaded_tree.hpp"
#include "core/star/graph.hpp"
#include "core/star/trees.hpp"
#include "core/uhc/rules.hpp"
#include "core/uhc/uni_hypercube.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace mesh {

/// Every network and every tree. What the host and the tests use.
struct AllRules {
    static constexpr bool has(Topology) { return true; }
    using CubeTrees =
        ListOfTrees<SbtTree, BsTree, HpTree, TcbtTree, MsbtTree, SbntMinrTree, SbntMaxlTree,
                    SbntMinblTree, SbntMaxbrTree, SbgGraph, AltTree, MsbtRotTree>;
    using UhcTrees =
        ListOfTrees<Bt1Tree, Bt1CountedTree, Bt2Tree, Bt3Tree, BtsTree, Bt4Tree, AdstTree, IstTree>;
    using StarTrees = ListOfTrees<SptTree, EdtTree, EdtV2Tree>;
};

/// One network with all its trees. An image pays flash for the rules of its sets only: each
/// function below takes a set as its template argument.
template <Topology kThis>
struct NetworkSet : AllRules {
    static constexpr bool has(Topology topology) { return topology == kThis; }
};
using CubeRules = NetworkSet<Topology::cube>;
using UhcRules = NetworkSet<Topology::uhc>;
using StarRules = NetworkSet<Topology::star>;

/// The cube without trees: unicast.
struct CubeUnicast : CubeRules {
    using CubeTrees = TreeList<>;
};

namespace detail {

template <class Rules>
constexpr typename Rules::CubeTrees trees_of(Hypercube) {
    return {};
}
template <class Rules>
constexpr typename Rules::UhcTrees trees_of(UniHypercube) {
    return {};
}
template <class Rules>
constexpr typename Rules::StarTrees trees_of(StarGraph) {
    return {};
}

/// f(topology) for the topology of `network`, which must be the one that the rules have if they
/// have one only.
template <class Rules, class F>
constexpr auto with_topology(Network network, F f) {
    using Result = decltype(f(Hypercube{}));
    constexpr unsigned kNetworks = (Rules::has(Topology::cube) ? 1u : 0u) +
                                   (Rules::has(Topology::uhc) ? 1u : 0u) +
                                   (Rules::has(Topology::star) ? 1u : 0u);
    if constexpr (Rules::has(Topology::cube)) {
        if (kNetworks == 1 || network.topology == Topology::cube)
            return f(Hypercube{network.dim});
    }
    if constexpr (Rules::has(Topology::uhc)) {
        if (kNetworks == 1 || network.topology == Topology::uhc)
            return f(UniHypercube{network.dim});
    }
    if constexpr (Rules::has(Topology::star)) {
        if (kNetworks == 1 || network.topology == Topology::star)
            return f(StarGraph{network.dim});
    }
    return Result{};
}

/// f(tree) for the tree with this rule, `otherwise` if the topology has none.
template <class Result, class F, class... Trees>
constexpr Result with_tree(TreeList<Trees...>, [[maybe_unused]] Rule rule, Result otherwise,
                           [[maybe_unused]] F f) {
    Result result = otherwise;
    static_cast<void>(((rule == Trees::kRule && (result = f(Trees{}), true)) || ...));
    return result;
}

/// The facts that a tree says of itself; a count of 0 if there is none.
struct TreeFacts {
    unsigned subtree_count = 0;
    std::uint8_t first_subtree = 0;
    bool reads_root = true;
    bool reads_subtree = false;
};

template <class Rules, class Net>
constexpr TreeFacts tree_facts(Net net, Rule rule) {
    return with_tree(trees_of<Rules>(net), rule, TreeFacts{}, [=](auto tree) {
        static_assert(TreeOn<decltype(tree), Net>);
        return TreeFacts{tree.subtree_count(net), static_cast<std::uint8_t>(tree.first_subtree()),
                         tree.kReadsRoot, tree.kReadsSubtree};
    });
}

template <class Rules>
constexpr TreeFacts tree_facts(UniHypercube net, Rule rule) {
    const unsigned count =
        is_own(rule) ? LoadedTree::subtree_count(net) : uhc::subtree_count(net, rule);
    return {count, 0, !uhc::is_tagged(rule), false};
}

/// The route of a tree packet: that of its tree. The UHC and the star choose among their own.
template <class Rules, class Net>
constexpr Route rule_route(Net net, Rule rule, const Hop& hop) {
    const TreeFacts facts = tree_facts<Rules>(net, rule);
    if (facts.subtree_count == 0 || (facts.reads_root && index(hop.root) >= net.node_count()) ||
        (facts.reads_subtree && hop.subtree - unsigned{facts.first_subtree} >= facts.subtree_count))
        return {};
    const PortSequence ports = with_tree(trees_of<Rules>(net), rule, PortSequence{},
                                         [&](auto tree) { return tree.children(net, hop); });
    return {ports, hop.arrival != kNoPort, {}};
}
template <class Rules>
constexpr Route rule_route(UniHypercube net, Rule rule, const Hop& hop) {
    return uhc::route(net, rule, hop);
}
template <class Rules>
constexpr Route rule_route(StarGraph net, Rule rule, const Hop& hop) {
    return star::route(net, rule, hop);
}

/// Called from several places, and long: one copy.
template <class Rules, class Net>
[[gnu::noinline]] constexpr Port rule_parent(Net net, Rule rule, const Hop& hop) {
    return with_tree(trees_of<Rules>(net), rule, kNoPort,
                     [&](auto tree) { return tree.parent(net, hop); });
}
template <class Rules>
constexpr Port rule_parent(UniHypercube net, Rule rule, const Hop& hop) {
    return uhc::has(net, rule) ? uhc::parent(net, rule, hop) : kNoPort;
}
template <class Rules>
constexpr Port rule_parent(StarGraph net, Rule rule, const Hop& hop) {
    return star::parent(net, rule, hop);
}

/// How many paths between two nodes share no node but these; and the most links that one has.
constexpr unsigned path_count(Hypercube net) { return net.dim; }
constexpr unsigned path_count(UniHypercube net) { return net.dim / 2u; }
constexpr unsigned path_count(StarGraph net) { return net.symbols - 1u; }
constexpr unsigned path_links_max(Hypercube net) { return disjoint_links_max(net); }
constexpr unsigned path_links_max(UniHypercube net) { return uhc::height_max(net); }
constexpr unsigned path_links_max(StarGraph net) { return EdtTree::height(net); }

/// The rule `disjoint` behind all trees of a list, as far as its height is asked for.
struct DisjointPaths {
    static constexpr Rule kRule = Rule::disjoint;
    static constexpr unsigned height(auto net) { return path_links_max(net); }
};
template <class... Trees>
constexpr TreeList<Trees..., DisjointPaths> and_paths(TreeList<Trees...>) {
    return {};
}

template <class Rules, class Net>
constexpr unsigned rule_height(Net net, Rule rule) {
    return with_tree(and_paths(trees_of<Rules>(net)), rule, 0u,
                     [=](auto tree) { return tree.height(net); });
}

/// Port to the child that leads to `destination`, kNoPort if it is not below this node: the way up
/// from the destination is followed, but for structures that know better.
/// Example (packet for one node, n = 4): from root 0000 to 1110 over sbnt-minr. The parents from
/// 1110 up are 0110 (across 3), 0010 (across 2), 0000. So 0010 sends by 2.
template <class Rules, class Net>
constexpr Port toward(Net net, Rule rule, const Hop& hop, NodeId destination) {
    if constexpr (std::is_same_v<Net, Hypercube>) {
        if (rule == Rule::sbt || rule == Rule::bs)
            return net.next_hop(hop.self, destination);
        if (rule == Rule::sbg)
            return SbgGraph::toward(net, hop, destination);
    }
    if constexpr (std::is_same_v<Net, UniHypercube>)
        return uhc::toward(net, rule, hop, destination);
    Hop below = hop;
    below.self = destination;
    for (unsigned level = rule_height<Rules>(net, rule); level != 0; --level) {
        const Port up = rule_parent<Rules>(net, rule, below);
        if (up == kNoPort)
            break;
        below.self = net.neighbor(below.self, up);
        if (below.self == hop.self)
            return up; // a cable has the same port at both ends
    }
    return kNoPort;
}

/// Port towards the root: the way up, where links carry packets both ways.
template <class Rules, class Net>
constexpr Port homeward(Net net, Rule rule, const Hop& hop) {
    if constexpr (std::is_same_v<Net, Hypercube>) {
        if (rule == Rule::sbg)
            return SbgGraph::homeward(net, hop);
    }
    if constexpr (std::is_same_v<Net, UniHypercube>)
        return uhc::homeward(net, rule, hop);
    return rule_parent<Rules>(net, rule, hop);
}

/// The route of a packet that crosses a tree to one node: from the root (outward), or to it.
template <class Rules, class Net>
constexpr Route personal_route(Net net, const Envelope& envelope, const Hop& hop) {
    const Rule rule = envelope.rule;
    const TreeFacts facts = tree_facts<Rules>(net, rule);
    const bool known = rule == Rule::sbg || // names a path, not a tree
                       hop.subtree - unsigned{facts.first_subtree} < facts.subtree_count;
    if (!known || facts.subtree_count == 0 || index(envelope.destination) >= net.node_count() ||
        index(hop.root) >= net.node_count())
        return {};
    if (hop.self == envelope.destination)
        return {{}, true, {}};
    const Port port = envelope.inward ? homeward<Rules>(net, rule, hop)
                                      : toward<Rules>(net, rule, hop, envelope.destination);
    if (port == kNoPort)
        return {};
    return {PortSequence::ascending(1u << index(port)), false, {}};
}

/// The port by which path number `hop.subtree` from hop.root to `to` goes on; kNoPort off it.
template <class Rules>
constexpr Port path_port(Hypercube net, const Hop& hop, NodeId to) {
    return disjoint_port(net, hop.self, hop.root, to, hop.subtree);
}
/// Example (disjoint, uhc, n = 4): path 0 from 0000 to 0111 is that of tree 0 of ist: 0000 0001
/// 0011 0111.
template <class Rules>
constexpr Port path_port(UniHypercube net, const Hop& hop, NodeId to) {
    return uhc::toward(net, Rule::ist, hop, to);
}
/// Example (disjoint, star of 4): path 1 from 1234 to 2314 is that of tree 3 of edt: dimension 3
/// (port 1) to 3214, then dimension 2 (port 0).
template <class Rules>
constexpr Port path_port(StarGraph net, Hop hop, NodeId to) {
    hop.subtree = static_cast<std::uint8_t>(hop.subtree + EdtTree::first_subtree());
    return toward<Rules>(net, Rule::edt, hop, to);
}

/// The route of a packet on one of the disjoint paths.
template <class Rules, class Net>
constexpr Route disjoint_route(Net net, NodeId destination, const Hop& hop) {
    if (hop.subtree >= path_count(net) || index(destination) >= net.node_count() ||
        index(hop.root) >= net.node_count())
        return {};
    if (hop.self == destination)
        return {{}, true, {}};
    const Port port = path_port<Rules>(net, hop, destination);
    if (port == kNoPort)
        return {};
    return {PortSequence::ascending(1u << index(port)), false, {}};
}

template <class Net, class Tree>
constexpr std::uint32_t parents(Net net, Tree tree, const Hop& hop) {
    if constexpr (requires { tree.parents(net, hop); }) {
        return tree.parents(net, hop);
    } else {
        const Port port = tree.parent(net, hop);
        return port == kNoPort ? 0u : 1u << index(port);
    }
}

template <class Net>
constexpr Route unicast_route(Net net, NodeId self, NodeId destination) {
    if (index(destination) >= net.node_count())
        return {};
    if (self == destination)
        return {{}, true, {}};
    return {PortSequence::ascending(1u << index(net.next_hop(self, destination))), false, {}};
}

/// Takes any port.
template <class Net>
constexpr bool can_arrive(Net net, NodeId self, Port arrival) {
    return arrival == kNoPort || (index(arrival) < net.port_count() &&
                                  ((net.in_ports(self) >> index(arrival)) & 1u) != 0);
}

template <class Rules, class Net>
constexpr Route route(Net net, NodeId self, Port arrival, const Envelope& envelope) {
    static_assert(TopologyType<Net>);
    if (!can_arrive(net, self, arrival))
        return {};
    if (envelope.rule == Rule::unicast)
        return unicast_route(net, self, envelope.destination);
    if (is_own(envelope.rule))
        return LoadedTree::route(net, self, arrival, envelope);
    Hop hop{self, envelope.inward ? envelope.destination : envelope.source, arrival,
            envelope.subtree, envelope.tag};
    if (envelope.destination == kNoNode)
        return rule_route<Rules>(net, envelope.rule, hop);
    if (envelope.rule == Rule::disjoint) {
        hop.subtree &= kPathMask;
        return disjoint_route<Rules>(net, envelope.destination, hop);
    }
    return personal_route<Rules>(net, envelope, hop);
}

} // namespace detail

/// True if there is such a network: cube and UHC of up to kDimMax dimensions (UHC from 2), star
/// of 3..9 symbols. Takes any value.
template <class Rules = AllRules>
constexpr bool valid(Network network) {
    return detail::with_topology<Rules>(network, [](auto net) { return net.valid(); });
}

/// Number of nodes: 2^dim, or dim! for the star.
template <class Rules = AllRules>
constexpr std::uint32_t node_count(Network network) {
    return detail::with_topology<Rules>(network, [](auto net) { return net.node_count(); });
}

/// Number of ports of every node, in and out: dim, or dim-1 for the star.
template <class Rules = AllRules>
constexpr unsigned port_count(Network network) {
    return detail::with_topology<Rules>(network, [](auto net) { return net.port_count(); });
}

/// Ports by which packets can leave `node`, as bits.
template <class Rules = AllRules>
constexpr std::uint32_t out_ports(Network network, NodeId node) {
    return detail::with_topology<Rules>(network, [=](auto net) { return net.out_ports(node); });
}

/// Ports by which packets can enter `node`, as bits.
template <class Rules = AllRules>
constexpr std::uint32_t in_ports(Network network, NodeId node) {
    return detail::with_topology<Rules>(network, [=](auto net) { return net.in_ports(node); });
}

/// The node at the other end of the cable at `port`. It is plugged into the same port there.
template <class Rules = AllRules>
constexpr NodeId neighbor(Network network, NodeId node, Port port) {
    return detail::with_topology<Rules>(network,
                                        [=](auto net) { return net.neighbor(node, port); });
}

/// Links on the shortest path.
template <class Rules = AllRules>
constexpr unsigned distance(Network network, NodeId from, NodeId to) {
    return detail::with_topology<Rules>(network, [=](auto net) { return net.distance(from, to); });
}

/// The greatest distance between two nodes.
template <class Rules = AllRules>
constexpr unsigned diameter(Network network) {
    return detail::with_topology<Rules>(network, [](auto net) { return net.diameter(); });
}

/// Where a packet goes that is at `self` and came by `arrival` (kNoPort: it starts here). A tree
/// delivers at every node but its root, or, if the envelope names a destination, there only: from
/// the root down the tree, or with `inward` up to the root. Takes any `arrival` and envelope; the
/// answer to one that does not fit the network is Route::nowhere().
template <class Rules = AllRules>
constexpr Route route(Network network, NodeId self, Port arrival, const Envelope& envelope) {
    return detail::with_topology<Rules>(
        network, [&](auto net) { return detail::route<Rules>(net, self, arrival, envelope); });
}

/// Most links that a packet of this rule crosses; 0 if the topology does not have the rule.
template <class Rules = AllRules>
constexpr unsigned height(Network network, Rule rule) {
    return detail::with_topology<Rules>(network, [=](auto net) {
        return rule == Rule::unicast ? net.diameter() : detail::rule_height<Rules>(net, rule);
    });
}

/// How many paths the rule `disjoint` has between any two nodes: they share no node but these, so
/// that many faults less one, of links and other nodes, leave one.
template <class Rules = AllRules>
constexpr unsigned path_count(Network network) {
    return detail::with_topology<Rules>(network, [](auto net) { return detail::path_count(net); });
}

/// Number of subtrees that the rule names by Envelope::subtree; 1 for a single tree, 0 for unicast
/// and for rules of other topologies.
template <class Rules = AllRules>
constexpr unsigned subtree_count(Network network, Rule rule) {
    return detail::with_topology<Rules>(
        network, [=](auto net) { return detail::tree_facts<Rules>(net, rule).subtree_count; });
}

/// The lowest of the subtree numbers, which are contiguous.
template <class Rules = AllRules>
constexpr unsigned first_subtree(Network network, Rule rule) {
    return detail::with_topology<Rules>(network, [=](auto net) {
        return unsigned{detail::tree_facts<Rules>(net, rule).first_subtree};
    });
}

/// In-port by which `node` gets the packets of this tree; kNoPort at the root and at nodes outside
/// the subtree.
template <class Rules = AllRules>
constexpr Port parent(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node) {
    const Hop hop{node, root, kNoPort, static_cast<std::uint8_t>(subtree)};
    return detail::with_topology<Rules>(network, [&](auto net) {
        return is_own(rule) ? LoadedTree::parent(net, hop)
                            : detail::rule_parent<Rules>(net, rule, hop);
    });
}

/// The tag with which a packet of this tree comes to `node` by parent(); 0 for rules without tags.
template <class Rules = AllRules>
constexpr std::uint8_t arrival_tag(Network network, Rule rule, NodeId root, NodeId node) {
    if (is_own(rule))
        return detail::with_topology<Rules>(network, [=](auto net) {
            return LoadedTree::arrival_tag(net, Hop{node, root, kNoPort, 0});
        });
    if constexpr (Rules::has(Topology::uhc)) {
        if (network.topology == Topology::uhc)
            return uhc::arrival_tag(UniHypercube{network.dim}, rule, Hop{node, root, kNoPort, 0});
    }
    return 0;
}

/// All in-ports by which `node` is fed, as bits: that of parent(), and more only in `sbg`.
template <class Rules = AllRules>
constexpr std::uint32_t parents(Network network, Rule rule, unsigned subtree, NodeId root,
                                NodeId node) {
    const Hop hop{node, root, kNoPort, static_cast<std::uint8_t>(subtree)};
    return detail::with_topology<Rules>(network, [=](auto net) {
        return detail::with_tree(detail::trees_of<Rules>(net), rule, 0u,
                                 [=](auto tree) { return detail::parents(net, tree, hop); });
    });
}

/// Ports by which `node` sends the packets of this tree on: what route() says when one came by
/// parent().
template <class Rules = AllRules>
constexpr PortSequence children(Network network, Rule rule, unsigned subtree, NodeId root,
                                NodeId node) {
    const Port arrival = parent<Rules>(network, rule, subtree, root, node);
    if (arrival == kNoPort && node != root)
        return {};
    const Envelope envelope{rule, static_cast<std::uint8_t>(subtree), root, kNoNode,
                            arrival_tag<Rules>(network, rule, root, node)};
    return route<Rules>(network, node, arrival, envelope).ports;
}

/// Name of a rule on the command line and in reports; empty for one that no topology has.
constexpr std::string_view name(Rule rule) {
    std::string_view found = rule == Rule::unicast    ? "unicast"
                             : rule == Rule::disjoint ? "disjoint"
                                                      : "";
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        found = detail::with_topology<AllRules>({topology, 3}, [=](auto net) {
            return detail::with_tree(detail::trees_of<AllRules>(net), rule, found,
                                     [](auto tree) -> std::string_view { return tree.kName; });
        });
    return found;
}

constexpr std::string_view name(Topology topology) {
    switch (topology) {
    case Topology::cube: return "cube";
    case Topology::uhc: return "uhc";
    case Topology::star: return "star";
    }
    return "";
}

/// The tree of this topology with this name. `bst` is the 1986 name of sbnt-minr.
constexpr std::optional<Rule> rule_by_name(Topology topology, std::string_view name) {
    const Network network{topology, 4}; // even: adst and bt4 have no odd dimensions
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
        const Rule rule = static_cast<Rule>(number);
        if (subtree_count(network, rule) != 0 && mesh::name(rule) == name)
            return rule;
    }
    return std::nullopt;
}

} // namespace mesh
