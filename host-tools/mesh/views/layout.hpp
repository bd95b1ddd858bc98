// Where the nodes of a network stand in a picture: the cube and the uhc as the sum of a direction
// for each dimension, the star as circles of smaller stars, down to rings of six. One place for
// all pictures.
#pragma once

#include "core/network.hpp"

#include <cstdint>
#include <vector>

namespace mesh::host {

struct Point {
    double x = 0;
    double y = 0; // downward
};

/// A place for each node; neighbours that are nearest each other are about 1 apart.
std::vector<Point> places_of(Network network);

/// The nodes of a tree by levels, the root on top, each node's children from left to right. Up to
/// 32 leaves stand side by side, and a node above the middle of its children; of larger trees each
/// level is spread over the same width, a full one in two rows. Nodes that are in no level stand
/// below.
std::vector<Point> places_by_level(std::uint32_t root,
                                   const std::vector<std::vector<std::uint32_t>>& children);

} // namespace mesh::host
