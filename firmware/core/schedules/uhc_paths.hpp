// Personalised communication on the UHC: how the trees of a rule reach a node.
//
// With even dim the disjoint trees are one tree, its superdimensions rotated; with odd dim every
// tree is looked at for itself, and nodes of different weight begin with different trees.
#pragma once

#include "core/base/bits.hpp"
#include "core/schedules/path_choice.hpp"
#include "core/uhc/rules.hpp"

#include <bit>
#include <cstdint>

namespace mesh {

/// The trees of bts (one), adst or ist from a root; or, turned round, towards it.
struct UhcPaths {
    UniHypercube net;
    Rule rule = Rule::ist;
    NodeId root{0};
    bool inward = false;

    constexpr unsigned trees() const { return uhc::is_disjoint(rule) ? net.dim / 2u : 1u; }
    constexpr std::uint32_t nodes() const { return net.node_count(); }
    constexpr unsigned height() const {
        if (rule == Rule::adst)
            return AdstTree::height(net);
        return rule == Rule::ist ? IstTree::height(net) : BtsTree::height(net);
    }

    /// Example (look, uhc, n = 4): ist. Node 0110 turned right by two dimensions is 1001: tree 1
    /// reaches 0110 as tree 0 reaches 1001. So links are 6 in tree 0 and, over 0100, 2 in tree 1.
    constexpr PathLook look(std::uint32_t node) const {
        const bool even = net.dim % 2 == 0;
        PathLook look;
        const unsigned count = trees();
        for (unsigned tree = 0; tree < count; ++tree) {
            const std::uint32_t turned = even ? rotate_right(node, 2 * tree, net.dim) : node;
            look.links[tree] = static_cast<std::uint8_t>(links(turned, even ? 0 : tree));
            look.turned[tree] = even ? turned : (tree + weight(node)) % count;
            look.repeats = look.repeats || (even && tree != 0 && turned == node);
        }
        return look;
    }

    constexpr unsigned links(std::uint32_t node, unsigned tree) const {
        UhcView view = uhc_view(net, place(root, node), root);
        view = inward ? view.reversed() : view;
        unsigned count = 0;
        for (; count < height() && !view.is_root(); ++count)
            view = view.across(1u << lowest_bit(uhc::parent_bit(net, rule, view, tree)));
        return count;
    }

    constexpr NodeId place(NodeId from, std::uint32_t node) const {
        return node_at(index(from) ^ node);
    }
    constexpr std::uint32_t relative(NodeId from, NodeId node) const {
        return index(from) ^ index(node);
    }
    /// The tree that a node begins with when it sends to all.
    constexpr unsigned first_tree(NodeId node) const { return weight(index(node)); }

private:
    static constexpr unsigned weight(std::uint32_t bits) {
        return static_cast<unsigned>(std::popcount(bits));
    }
};

} // namespace mesh
