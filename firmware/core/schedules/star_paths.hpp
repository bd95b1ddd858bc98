// Personalised communication on the star: how the trees of edt reach a node.
//
// Tree r(l) is tree l rotated, so what tree 2 says of a node the others say of the nodes of its
// necklace: one node and its rotations load all ports alike. (fragopoulou-akl-1993, 2, 4.5)
#pragma once

#include "core/schedules/path_choice.hpp"
#include "core/star/trees.hpp"

#include <cstdint>

namespace mesh {

/// The n-1 trees of edt or edt-v2; tree l of the paper is l-2 here.
struct StarPaths {
    StarGraph net;
    Rule rule = Rule::edt;

    constexpr unsigned trees() const { return net.symbols - 1u; }
    constexpr std::uint32_t nodes() const { return net.node_count(); }
    constexpr unsigned height() const {
        return rule == Rule::edt_v2 ? EdtV2Tree::height(net) : EdtTree::height(net);
    }

    /// Example (look, star of 4): 2314. Tree 2 (number 0) reaches it over 4 links. Rotated once it
    /// is 3241: tree 4 (number 2) reaches 2314 as tree 2 reaches 3241, over 6. Rotated twice it is
    /// 4132: tree 3 (number 1), over 2.
    constexpr PathLook look(std::uint32_t node) const {
        const Label self = net.unrank(node_at(node));
        PathLook look;
        Label turned = self;
        for (unsigned tree = trees(); tree-- != 0;) {
            turned = net.rotate(turned);
            look.links[tree] = static_cast<std::uint8_t>(links(turned));
            look.turned[tree] = index(net.rank(turned));
            look.repeats = look.repeats || (tree != 0 && turned == self);
        }
        return look;
    }

    /// Links to a node in tree 2.
    constexpr unsigned links(const Label& node) const {
        StarView view(net, node);
        unsigned count = 0;
        for (; count < height() && !view.is_root(); ++count)
            view.cross(star::parent_dimension(view, rule, 2));
        return count;
    }

    /// The node that looks from `root` as `node` does from 0.
    constexpr NodeId place(NodeId root, std::uint32_t node) const {
        return net.rank(net.translate(net.unrank(root), net.unrank(node_at(node))));
    }
    constexpr std::uint32_t relative(NodeId root, NodeId node) const {
        return index(net.rank(net.relative_label(node, root)));
    }
    /// The tree that a node begins with when it sends to all.
    constexpr unsigned first_tree(NodeId node) const { return index(node); }
};

} // namespace mesh
