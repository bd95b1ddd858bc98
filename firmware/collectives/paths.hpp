// The disjoint trees of this node's network, UHC or star, as core/schedules/path_choice.hpp asks
// for them. (star: fragopoulou-akl-1993, 4.4 to 4.6)
#pragma once

#include "core/network.hpp"
#include "core/schedules/path_choice.hpp"

#include <cstdint>

namespace mesh {

/// Paths over the trees of `rule` from `root`, or `inward` to it: one interface to UhcPaths and
/// StarPaths. Where has_paths() is false nothing may be asked.
struct NetworkPaths {
    Network network;
    Rule rule = Rule::edt;
    NodeId root{0};
    bool inward = false;

    /// Number of disjoint trees.
    unsigned trees() const;
    /// Nodes of the network.
    std::uint32_t nodes() const;
    /// Links from the source to the node that is farthest by any of the trees.
    unsigned height() const;
    /// How each tree reaches `node`, a relative address as place() takes it.
    PathLook look(std::uint32_t node) const;
    /// The address of the node whose address relative to `from` is `node`.
    NodeId place(NodeId from, std::uint32_t node) const;
    /// The inverse of place(): the address of `node` relative to `from`.
    std::uint32_t relative(NodeId from, NodeId node) const;
    /// The tree that a node begins with when it sends to all: modulo trees().
    unsigned first_tree(NodeId node) const;
};

} // namespace mesh
