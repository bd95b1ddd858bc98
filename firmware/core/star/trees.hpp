// Trees of the star network: spt, a tree of shortest paths, and edt, n-1 edge-disjoint trees, tree
// l = 2..n on dimension l of the root.
//
// Only the parent is defined, on the relative label in O(1) after one pass over it; children are
// those neighbours whose parent this node is. A node's paths from the root in different trees of
// edt share no directed link and no other node, and each comes in by a port of its own: so no
// header names the tree. (fragopoulou-akl-1993, 3, corrected; `v2` is not in the paper)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/rules.hpp"
#include "core/base/types.hpp"
#include "core/star/graph.hpp"

#include <cstdint>
#include <string_view>

namespace mesh {

/// A node as the root sees it. The words are the paper's: symbols and positions 1..n.
class StarView {
public:
    constexpr StarView(StarGraph net, NodeId self, NodeId root)
        : StarView(net, net.relative_label(self, root)) {}
    constexpr StarView(StarGraph net, const Label& relative)
        : label_(relative),
          places_(net.inverse(label_)) {
        for (unsigned position = 2; position <= net.symbols; ++position)
            misplaced_ |= misplaced_bit(position);
    }

    constexpr bool is_root() const { return misplaced_ == 0; }
    constexpr unsigned at(unsigned position) const { return label_.at(position); }
    constexpr unsigned place_of(unsigned symbol) const { return places_.at(symbol); }

    /// Moves the view to the neighbour over `dimension`, and back when called again.
    constexpr void cross(unsigned dimension) {
        label_.cross(dimension);
        places_.put(at(1), 1);
        places_.put(at(dimension), dimension);
        misplaced_ = (misplaced_ & ~(1u << dimension)) | misplaced_bit(dimension);
    }

    /// f of the rules: the first position cyclically right of symbol 1, position 1 left out, that
    /// holds a misplaced symbol; that of symbol 1 comes last. Precondition: not the root.
    constexpr unsigned first_misplaced() const {
        MESH_EXPECT(misplaced_ != 0);
        const std::uint32_t right = misplaced_ & ~low_bits(place_of(1) + 1);
        return lowest_bit(right != 0 ? right : misplaced_);
    }

    /// Dimension to the parent in spt (p of the paper): the first symbol goes home; if symbol 1 is
    /// there or waits for it, the first misplaced one comes. Precondition: not the root.
    /// Example (spt, star of 4): 2143 with root 1234. Its first symbol, 2, belongs to place 2,
    /// where symbol 1 waits to go first. So the first misplaced symbol right of place 2 comes:
    /// dimension 3, parent 4123. There 4 is first and 1 is at place 2: 4 goes home, over 4, to
    /// 3124.
    constexpr unsigned nearer() const {
        MESH_EXPECT(!is_root());
        return at(1) == place_of(1) ? first_misplaced() : at(1);
    }

private:
    constexpr std::uint32_t misplaced_bit(unsigned position) const {
        return at(position) == position ? 0u : 1u << position;
    }

    Label label_;
    Label places_;
    std::uint32_t misplaced_ = 0; // positions 2..n whose symbol is not at home
};

/// The paper's definition, and one with two rows exchanged: less deep for n = 4, shorter in all.
enum class EdtVariant : std::uint8_t { paper, v2 };

/// How the trees of edt reach a node. In all trees but three at most, the dimension is the place of
/// the tree's symbol l; these three are the exceptions. Precondition: symbol 1 is not first.
/// Example (edt, star of 4): 2413 with root 1234. Symbol 1 is at place 3, so k = 3. The nearer
/// parent is where the first symbol, 2, is home: tree 3 comes over dimension 2. Place 2 has symbol
/// 4. Neither 2 nor 4 is k. So tree 2, that of the first symbol, comes over dimension k = 3, and
/// tree 4, that of the other, over the place of symbol k, which is place 4.
/// Example (edt-v2, star of 4): 2413 again. The first misplaced symbol to the right of symbol 1 is
/// 3 = k: trees 2 and 4 change places. Tree 4 comes over dimension 3, tree 2 over dimension 4. Tree
/// 3 comes over dimension 2 as before.
struct EdtExits {
    unsigned nearer = 0;         // dimension in tree `home`
    unsigned home = 0;           // k: the place of symbol 1
    unsigned over_home = 0;      // the tree that comes over dimension k
    unsigned over_displaced = 0; // the tree that comes over the place of symbol k; 0: as all others

    constexpr EdtExits(const StarView& view, EdtVariant variant)
        : nearer(view.nearer()),
          home(view.place_of(1)) {
        MESH_EXPECT(view.at(1) != 1);
        const unsigned first = view.at(1);
        const unsigned next = view.at(nearer);
        if (first == home) {
            over_home = next;
        } else if (next == home) {
            over_home = first;
        } else {
            const bool exchanged =
                variant == EdtVariant::v2 && view.at(view.first_misplaced()) == home;
            over_home = exchanged ? next : first;
            over_displaced = exchanged ? first : next;
        }
    }
};

/// Dimension over which tree `tree` (2..n) feeds this node. Precondition: not the root.
constexpr unsigned edt_parent(const StarView& view, unsigned tree, EdtVariant variant) {
    MESH_EXPECT(!view.is_root());
    if (view.at(1) == 1)
        return tree;
    const EdtExits exits(view, variant);
    if (tree == exits.home)
        return exits.nearer;
    if (tree == exits.over_home)
        return exits.home;
    return view.place_of(tree == exits.over_displaced ? exits.home : tree);
}

/// Tree whose packets come over `dimension`: the inverse. Precondition: not the root.
/// Example (edt by its in-port, star of 4): at 2413 a packet that comes over dimension 2, 3 or 4 is
/// of tree 3, 2 or 4.
constexpr unsigned edt_subtree(const StarView& view, unsigned dimension, EdtVariant variant) {
    MESH_EXPECT(!view.is_root());
    if (view.at(1) == 1)
        return dimension;
    const EdtExits exits(view, variant);
    if (dimension == exits.nearer)
        return exits.home;
    if (dimension == exits.home)
        return exits.over_home;
    const unsigned symbol = view.at(dimension);
    return symbol == exits.home ? exits.over_displaced : symbol;
}

namespace star {

constexpr bool has(Rule rule) {
    return rule == Rule::spt || rule == Rule::edt || rule == Rule::edt_v2;
}

constexpr EdtVariant variant_of(Rule rule) {
    return rule == Rule::edt_v2 ? EdtVariant::v2 : EdtVariant::paper;
}

/// Dimension to the parent. Precondition: not the root.
constexpr unsigned parent_dimension(const StarView& view, Rule rule, unsigned tree) {
    MESH_EXPECT(!view.is_root());
    return rule == Rule::spt ? view.nearer() : edt_parent(view, tree, variant_of(rule));
}

/// Ports to the children, as bits: the neighbours that have this node as parent.
constexpr std::uint32_t children(StarGraph net, StarView& view, Rule rule, unsigned tree) {
    std::uint32_t ports = 0;
    for (unsigned dimension = 2; dimension <= net.symbols; ++dimension) {
        view.cross(dimension);
        if (!view.is_root() && parent_dimension(view, rule, tree) == dimension)
            ports |= 1u << index(StarGraph::port_of(dimension));
        view.cross(dimension);
    }
    return ports;
}

/// Where a tree packet goes; nowhere if it fits no tree. Takes any rule, root and subtree. The
/// children of tree l are served in the order l+1 .. n, 2 .. l.
constexpr Route route(StarGraph net, Rule rule, const Hop& hop) {
    if (!has(rule) || index(hop.root) >= net.node_count())
        return {};
    const bool starts = hop.arrival == kNoPort;
    if ((hop.self == hop.root) != starts)
        return {};
    StarView view(net, hop.self, hop.root);
    if (rule == Rule::spt)
        return {PortSequence::ascending(children(net, view, rule, 0)), !starts, {}};
    const unsigned tree =
        starts ? hop.subtree
               : edt_subtree(view, StarGraph::dimension(hop.arrival), variant_of(rule));
    if (tree < 2 || tree > net.symbols)
        return {};
    return {PortSequence::ascending(children(net, view, rule, tree), tree - 1), !starts, {}};
}

/// Port by which the tree feeds this node; kNoPort at the root.
constexpr Port parent(StarGraph net, Rule rule, const Hop& hop) {
    if (!has(rule) || hop.self == hop.root)
        return kNoPort;
    const StarView view(net, hop.self, hop.root);
    return StarGraph::port_of(parent_dimension(view, rule, hop.subtree));
}

} // namespace star

/// The interface of a tree that network.hpp asks for.
template <Rule kThis>
struct StarTree : SingleTree {
    static constexpr Rule kRule = kThis;

    static constexpr PortSequence children(StarGraph net, const Hop& hop) {
        return star::route(net, kThis, hop).ports;
    }
    static constexpr Port parent(StarGraph net, const Hop& hop) {
        return star::parent(net, kThis, hop);
    }
};

struct SptTree : StarTree<Rule::spt> {
    static constexpr std::string_view kName = "spt";
    static constexpr unsigned height(StarGraph net) { return net.diameter(); }
};

/// Hop::subtree counts at the source alone.
struct EdtTree : StarTree<Rule::edt> {
    static constexpr std::string_view kName = "edt";
    static constexpr unsigned subtree_count(StarGraph net) { return net.symbols - 1u; }
    static constexpr unsigned first_subtree() { return 2; }
    static constexpr unsigned height(StarGraph net) { return 3 * (net.symbols - 2u) / 2 + 4; }
};

struct EdtV2Tree : StarTree<Rule::edt_v2> {
    static constexpr std::string_view kName = "edt-v2";
    static constexpr unsigned subtree_count(StarGraph net) { return net.symbols - 1u; }
    static constexpr unsigned first_subtree() { return 2; }
    static constexpr unsigned height(StarGraph net) {
        return net.symbols == 4 ? 6 : EdtTree::height(net);
    }
};

} // namespace mesh
