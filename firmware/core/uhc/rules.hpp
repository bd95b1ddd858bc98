// The UHC's eight rules behind one door: a node's view is computed once, then the rule is chosen.
// So all that a node decides on the UHC (unicast, every tree, collecting; tables included) takes 2
// KB of flash. parent() and arrival_tag() come on top: nothing on a node needs them.
#pragma once

#include "core/base/rules.hpp"
#include "core/base/types.hpp"
#include "core/uhc/disjoint_trees.hpp"
#include "core/uhc/tagged_trees.hpp"
#include "core/uhc/trees.hpp"
#include "core/uhc/uni_hypercube.hpp"
#include "core/uhc/view.hpp"

#include <cstdint>
#include <string_view>

namespace mesh {

namespace uhc {

/// True for the rules that span the two halves of an odd network one by one.
constexpr bool spans_halves(Rule rule) {
    return rule == Rule::bt1 || rule == Rule::bt1_counted || rule == Rule::bt2 || rule == Rule::bt3;
}

/// True for the two rules that find the source's place from a tag.
constexpr bool is_tagged(Rule rule) { return rule == Rule::bt1_counted || rule == Rule::bt2; }

constexpr bool is_disjoint(Rule rule) { return rule == Rule::adst || rule == Rule::ist; }

/// The node as its rule sees it.
constexpr UhcHalf half_for(UniHypercube net, Rule rule, const Hop& hop) {
    if (spans_halves(rule))
        return uhc_half(net, hop.self, hop.root);
    return {uhc_view(net, hop.self, hop.root)};
}

/// Children in the disjoint trees. The source sends tree j on out-port j; elsewhere the in-port
/// tells the tree.
constexpr PortSequence disjoint_children(UniHypercube net, Rule rule, const Hop& hop,
                                         const UhcView& view) {
    const unsigned trees = net.dim / 2;
    if (view.is_root()) {
        const bool sends = hop.arrival == kNoPort && hop.subtree < trees;
        return PortSequence::ascending(sends ? view.out & superdimension_bits(2u * hop.subtree)
                                             : 0u);
    }
    if (hop.arrival == kNoPort)
        return {};
    const unsigned arrival = index(hop.arrival);
    if (rule == Rule::adst)
        return PortSequence::descending(adst_children(view, arrival), arrival | 1u);
    const unsigned subtree = ist_subtree(view, trees, arrival);
    return PortSequence::ascending(subtree < trees ? ist_children(view, trees, subtree) : 0u,
                                   2 * subtree);
}

/// True if a network of this dim has the rule. Those of the UHC stand together in
/// core/base/rules.hpp, from bt1 to ist, but for bt1_counted.
constexpr bool has(UniHypercube net, Rule rule) {
    const bool uhc_rule = (rule >= Rule::bt1 && rule <= Rule::ist) || rule == Rule::bt1_counted;
    const bool even_only = rule == Rule::bt4 || rule == Rule::adst;
    return uhc_rule && !(even_only && net.dim % 2 != 0);
}
static_assert(has({4}, Rule::bt1) && has({4}, Rule::bts) && has({4}, Rule::ist));
static_assert(!has({4}, Rule::alt) && !has({4}, Rule::spt) && !has({3}, Rule::adst));

/// How many trees the rule has in this network; 0 if none.
[[gnu::noinline]] constexpr unsigned subtree_count(UniHypercube net, Rule rule) {
    if (!has(net, rule))
        return 0;
    return is_disjoint(rule) ? net.dim / 2u : 1u;
}

/// No tree of this network is higher.
constexpr unsigned height_max(UniHypercube net) { return net.dim / 2u * 3u + 4u; }

/// Where a tree packet goes; nowhere if it fits no tree of this network. Takes any rule, root,
/// subtree and tag.
constexpr Route route(UniHypercube net, Rule rule, const Hop& hop) {
    if (!has(net, rule))
        return {};
    if (is_tagged(rule))
        return tagged_route(net, rule == Rule::bt1_counted, hop);
    if (index(hop.root) >= net.node_count())
        return {};
    const UhcHalf half = half_for(net, rule, hop);
    const UhcView& view = half.view;
    const bool deliver = hop.arrival != kNoPort;
    if (is_disjoint(rule))
        return {disjoint_children(net, rule, hop, view), deliver, {}};
    std::uint32_t ports = 0;
    if (rule == Rule::bt1) {
        if (!view.is_root() && deliver && !(bt1_parent(view) >> index(hop.arrival) & 1u))
            return {}; // came another way than this tree's packets do
        ports = bt1_children(view);
    } else if (rule == Rule::bts) {
        ports = bts_children(view);
    } else {
        const SectionTree tree = rule == Rule::bt3 ? SectionTree::bt3 : SectionTree::bt4;
        ports = section_children(view, half_dim(net), tree);
    }
    return {PortSequence::descending(ports | half.crossing), deliver, {}};
}

/// In-port of a node that is not the root of its half, as a bit.
constexpr std::uint32_t parent_bit(UniHypercube net, Rule rule, const UhcView& view,
                                   unsigned subtree) {
    const unsigned dim = half_dim(net);
    if (rule == Rule::adst)
        return adst_parent(view, subtree);
    if (rule == Rule::ist)
        return ist_parent(view, net.dim / 2, subtree);
    if (rule == Rule::bts)
        return bts_parent(view);
    if (rule == Rule::bt2)
        return 1u << bt2_arrival(view, dim).port;
    if (rule == Rule::bt3 || rule == Rule::bt4)
        return section_parent(view, dim, rule == Rule::bt3 ? SectionTree::bt3 : SectionTree::bt4);
    return bt1_parent(view);
}

/// In-port by which the tree feeds this node; kNoPort at the root.
constexpr Port parent(UniHypercube net, Rule rule, const Hop& hop) {
    const UhcHalf half = half_for(net, rule, hop);
    if (half.view.is_root())
        return half.other ? port_at(half_dim(net)) : kNoPort;
    return port_at(lowest_bit(parent_bit(net, rule, half.view, hop.subtree)));
}

/// Tag that a packet has when it comes by parent(); 0 where nobody reads it.
constexpr std::uint8_t arrival_tag(UniHypercube net, Rule rule, const Hop& hop) {
    const UhcHalf half = half_for(net, rule, hop);
    if (!is_tagged(rule) || half.view.is_root())
        return 0;
    const unsigned tag =
        rule == Rule::bt2 ? bt2_arrival(half.view, half_dim(net)).tag : bt1_count(half.view);
    return static_cast<std::uint8_t>(tag | (half.other ? kTagCrossed : 0u));
}

/// In-port of a node, as a bit, in the trees over which packets go to single nodes: adst, ist, and
/// for every other rule bts.
constexpr std::uint32_t path_parent(UniHypercube net, Rule rule, const UhcView& view,
                                    unsigned subtree) {
    if (rule == Rule::adst)
        return adst_parent(view, subtree);
    return rule == Rule::ist ? ist_parent(view, net.dim / 2, subtree) : bts_parent(view);
}

/// Out-port to the child that leads to `destination`, kNoPort if it is not below this node, and for
/// rules other than adst, ist and bts.
constexpr Port toward(UniHypercube net, Rule rule, const Hop& hop, NodeId destination) {
    UhcView view = uhc_view(net, destination, hop.root);
    const std::uint32_t self = index(hop.self) ^ index(hop.root);
    const bool paths = is_disjoint(rule) || rule == Rule::bts;
    for (unsigned level = height_max(net); paths && level != 0 && !view.is_root(); --level) {
        const unsigned up = lowest_bit(path_parent(net, rule, view, hop.subtree));
        view = view.across(1u << up);
        if (view.relative == self)
            return port_at(up);
    }
    return kNoPort;
}

// No packet goes back over a link of the UHC, so what is collected at a root (reduce, gather) needs
// trees of its own: those of the network with all links turned round. bts serves a reduce: every
// node sends up once, over a shortest path, after it has heard from all its children. Any dim.

/// Out-port towards the root, in tree Hop::subtree of adst or ist turned round, or for every other
/// rule in bts; kNoPort at the root.
/// Example (bts towards its root, n = 4): 0110 collects for root 0000. With all links turned round
/// it receives on 0 and 2. Bit 2 differs: it sends on 2 to 0010. This sends on 1 and 3; bit 1
/// differs: to 0000. So 2 is one of the ports of collect_children() at 0010.
constexpr Port homeward(UniHypercube net, Rule rule, const Hop& hop) {
    if (hop.self == hop.root)
        return kNoPort;
    const UhcView view = uhc_view(net, hop.self, hop.root).reversed();
    return port_at(lowest_bit(path_parent(net, rule, view, hop.subtree)));
}
constexpr Port collect_parent(UniHypercube net, NodeId root, NodeId self) {
    return homeward(net, Rule::bts, {self, root, kNoPort, 0});
}

/// In-ports by which the children send, as bits.
constexpr std::uint32_t collect_children(UniHypercube net, NodeId root, NodeId self) {
    return bts_children(uhc_view(net, self, root).reversed());
}

/// Height of a tree of an odd network: that of its half, two more for the way across.
constexpr unsigned with_crossing(UniHypercube net, unsigned half_height) {
    return half_height + (net.dim % 2 == 0 ? 0u : 2u);
}

} // namespace uhc

/// The interface of a tree that network.hpp asks for.
template <Rule kThis>
struct UhcTree : SingleTree {
    static constexpr Rule kRule = kThis;
    static constexpr bool kReadsRoot = !uhc::is_tagged(kThis);

    static constexpr PortSequence children(UniHypercube net, const Hop& hop) {
        return uhc::route(net, kThis, hop).ports;
    }
    static constexpr Port parent(UniHypercube net, const Hop& hop) {
        return uhc::parent(net, kThis, hop);
    }
};

struct Bt1Tree : UhcTree<Rule::bt1> {
    static constexpr std::string_view kName = "bt1";
    static constexpr unsigned height(UniHypercube net) {
        return uhc::with_crossing(net, half_dim(net) / 2 * 3);
    }
};

struct Bt1CountedTree : UhcTree<Rule::bt1_counted> {
    static constexpr std::string_view kName = "bt1-counted";
    static constexpr unsigned height(UniHypercube net) { return Bt1Tree::height(net); }
};

struct Bt2Tree : UhcTree<Rule::bt2> {
    static constexpr std::string_view kName = "bt2";
    static constexpr unsigned height(UniHypercube net) {
        return uhc::with_crossing(net, half_dim(net) + 1);
    }
};

struct Bt3Tree : UhcTree<Rule::bt3> {
    static constexpr std::string_view kName = "bt3";
    static constexpr unsigned height(UniHypercube net) {
        const unsigned dim = half_dim(net);
        return uhc::with_crossing(net, dim / 6 * 7 + dim % 6 / 2 * 3);
    }
};

struct BtsTree : UhcTree<Rule::bts> {
    static constexpr std::string_view kName = "bts";
    static constexpr unsigned height(UniHypercube net) { return net.diameter(); }
};

/// Even dimensions only.
struct Bt4Tree : UhcTree<Rule::bt4> {
    static constexpr std::string_view kName = "bt4";
    static constexpr unsigned subtree_count(UniHypercube net) { return net.dim % 2 == 0 ? 1 : 0; }
    static constexpr unsigned height(UniHypercube net) {
        if (net.dim % 2 != 0)
            return 0;
        const unsigned rest = net.dim % 8;
        return net.dim / 8 * 9 + (rest == 6 ? 7 : rest / 2 * 3);
    }
};

/// Even dimensions only. Hop::subtree counts at the source alone.
struct AdstTree : UhcTree<Rule::adst> {
    static constexpr std::string_view kName = "adst";
    static constexpr unsigned subtree_count(UniHypercube net) {
        return net.dim % 2 == 0 ? net.dim / 2 : 0;
    }
    static constexpr unsigned height(UniHypercube net) {
        if (net.dim % 2 != 0)
            return 0;
        return net.dim == 2 ? 3 : net.dim / 2 * 3 + net.dim % 4 / 2;
    }
};

/// Hop::subtree counts at the source alone.
struct IstTree : UhcTree<Rule::ist> {
    static constexpr std::string_view kName = "ist";
    static constexpr unsigned subtree_count(UniHypercube net) { return net.dim / 2; }
    /// From an even source one less if dim is odd.
    static constexpr unsigned height(UniHypercube net) {
        if (net.dim == 2)
            return 3;
        return net.dim == 4 ? 6 : net.dim + 3u + net.dim % 2u;
    }
};

} // namespace mesh
