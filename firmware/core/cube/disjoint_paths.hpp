// n node-disjoint paths between any two nodes of the n-cube, computed from the addresses.
//
// Let r be the dimensions in which the two differ. Path k of r crosses them in cyclic order, k
// first. Path k outside r crosses k, then those of r, then k again. A node on the way of the first
// kind has crossed a cyclic interval of r that begins with k, one of the second kind has k crossed,
// so no two have one in common. No path is longer than n + 1 links. (the root paths of the trees
// of ho-johnsson-1986, 3.2 are of this kind)
//
// Example (disjoint, cube, n = 3): from 000 to 011, r = {0, 1}. Path 0 is 000 001 011, path 1 is
// 000 010 011, path 2 is 000 100 101 111 011.
#pragma once

#include "core/base/types.hpp"
#include "core/cube/hypercube.hpp"

#include <cstdint>

namespace mesh {

/// Port by which path `path` (0..dim-1) to `to` leaves `self`, which is on it and is not `to`. At
/// the source alone a dimension outside r is not crossed yet.
constexpr Port disjoint_port(Hypercube cube, NodeId self, NodeId from, NodeId to, unsigned path) {
    const std::uint32_t left = index(self) ^ index(to);
    const std::uint32_t first = (1u << path) & cube.ports();
    const bool detour = ((index(from) ^ index(to)) & first) == 0;
    if (detour && (left & first) == 0)
        return port_at(path);
    const std::uint32_t between = detour ? left & ~first : left;
    return PortSequence::ascending(between != 0 ? between : left, path).pop();
}

/// Most links of a path.
constexpr unsigned disjoint_links_max(Hypercube cube) { return cube.dim == 1 ? 1u : cube.dim + 1u; }

} // namespace mesh
