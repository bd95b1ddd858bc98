// Drawings of graphs in a network: a spanning tree, an embedded guest. Nodes stand as their
// network is laid out (layout.hpp), or by levels, each drawing in a panel of its own. Nodes bear
// their addresses or permutations, and their numbers as tooltips.
#pragma once

#include "core/network.hpp"
#include "layout.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mesh::host {

/// The contents of one panel.
struct Drawing {
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };
    std::string title;      // "" for none
    std::vector<int> level; // of each node, -1 for those that have no part; colours it
    // Of each node, under its name. Empty: the levels that have no colour of their own ("L9").
    std::vector<std::string> caption;
    std::vector<Edge> edges;
    // By levels instead: a place for each node, which subtree of the root it is in (-1: none), for
    // its colour, and no cables but the edges. Empty: as the network is laid out.
    std::vector<Point> places;
    std::vector<int> branch;
};

/// SVG, whole. All drawings are of the same network.
std::string network_svg(Network network, std::span<const Drawing> drawings);

} // namespace mesh::host
