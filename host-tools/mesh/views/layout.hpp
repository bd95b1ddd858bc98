// Where the nodes of a network stand in a picture: the cube and the uhc as the sum of a direction
// for each dimension, the star as circles of smaller stars, down to rings of six. One place for
// all pictures.
#pragma once

#include "core/network.hpp"

#include <vector>

namespace mesh::host {

struct Point {
    double x = 0;
    double y = 0; // downward
};

/// A place for each node; neighbours that are nearest each other are about 1 apart.
std::vector<Point> places_of(Network network);

} // namespace mesh::host
