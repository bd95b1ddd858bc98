// The disjoint trees of this node's network, UHC or star, as core/schedules/path_choice.hpp asks
// for them.
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

    unsigned trees() const;
    std::uint32_t nodes() const;
    unsigned height() const;
    PathLook look(std::uint32_t node) const;
    NodeId place(NodeId from, std::uint32_t node) const;
    std::uint32_t relative(NodeId from, NodeId node) const;
    unsigned first_tree(NodeId node) const;
};

} // namespace mesh
