// The tree by which the loaders of a mesh pass a load on, as the host tool makes it for them.
#pragma once

#include "core/network.hpp"

#include <cstddef>
#include <vector>

namespace mesh::host {

/// A tree from node 0 in the order of wire/load.hpp.
struct LoadTree {
    std::vector<NodeId> nodes;       // by place
    std::vector<std::byte> branches; // by place, as they travel
};

/// The usual tree of a network whose cables carry both ways. Precondition: it has at most
/// wire::kLoadNodesMax nodes.
LoadTree load_tree(Network network);

} // namespace mesh::host
