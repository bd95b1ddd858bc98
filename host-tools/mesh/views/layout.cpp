#include "layout.hpp"

#include "core/star/graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace mesh::host {

namespace {

/// Direction of each dimension: two make a square, the third a small cube, the others put such
/// cubes beside and below each other, so far askew that straight links pass other nodes: up to
/// five dimensions at 0.3 from their centres, at six 0.18, at eight 0.1.
constexpr std::array<Point, 12> kDirections{{{1.4, 0},
                                             {0, 1.4},
                                             {0.6, 0.5},
                                             {2.65, -0.6},
                                             {1.2, 2.4},
                                             {7.5, -2.7},
                                             {2.4, 6.2},
                                             {14.8, 1.5},
                                             {0, 16.5},
                                             {32, 0},
                                             {0, 33.5},
                                             {64, 0}}};

Point place_in_cube(std::uint32_t address) {
    Point place;
    for (unsigned dimension = 0; dimension < kDirections.size(); ++dimension) {
        if (((address >> dimension) & 1u) == 0)
            continue;
        place.x += kDirections[dimension].x;
        place.y += kDirections[dimension].y;
    }
    return place;
}

Point on_circle(double radius, double part) {
    const double angle = 2 * std::numbers::pi * part - std::numbers::pi / 2;
    return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Radius of the circle on which `count` stars of `radius` stand side by side.
double ring_radius(double radius, unsigned count) {
    return radius * 1.15 / std::sin(std::numbers::pi / count);
}

/// How many of the symbols before a place are less than the one there.
unsigned rank_at(const Label& label, unsigned place) {
    unsigned less = 0;
    for (unsigned before = 1; before < place; ++before)
        less += label.at(before) < label.at(place) ? 1 : 0;
    return less;
}

/// The symbols behind the first three name the ring of six in which a node stands; around it one
/// goes by the two first ports in turn.
std::vector<Point> places_in_star(Network network) {
    const StarGraph star{network.dim};
    std::vector<Point> places(node_count(network));
    std::vector<bool> placed(places.size());
    for (std::uint32_t first = 0; first < places.size(); ++first) {
        if (placed[first])
            continue;
        const Label label = star.unrank(node_at(first));
        Point centre;
        double radius = 1;
        for (unsigned count = 4; count <= star.symbols; ++count) {
            const double ring = ring_radius(radius + 0.15, count);
            const Point step = on_circle(ring, 1.0 * rank_at(label, count) / count);
            centre.x += step.x;
            centre.y += step.y;
            radius += ring;
        }
        NodeId node = node_at(first);
        for (unsigned at = 0; at < 6 && !placed[index(node)]; ++at) {
            const Point step = on_circle(1, at / 6.0);
            places[index(node)] = {centre.x + step.x, centre.y + step.y};
            placed[index(node)] = true;
            node = neighbor(network, node, port_at(at % 2 < port_count(network) ? at % 2 : 0));
        }
    }
    return places;
}

constexpr std::size_t kLeavesBeside = 32;
constexpr double kApart = 0.75;    // of two nodes of a row
constexpr double kRowsApart = 0.6; // the two rows of a full level

/// A tree's nodes from the root on, each before its children, and these from left to right.
struct Levels {
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> level; // of each node
    std::size_t leaves = 0;
    std::size_t widest = 1;
    std::vector<std::size_t> width; // nodes of each level
};

Levels levels_from(std::uint32_t root, const std::vector<std::vector<std::uint32_t>>& children) {
    Levels levels;
    levels.level.assign(children.size(), children.size());
    std::vector<std::uint32_t> stack{root};
    levels.level[root] = 0;
    const auto count = [&](std::size_t level) {
        levels.width.resize(std::max(levels.width.size(), level + 1));
        levels.widest = std::max(levels.widest, ++levels.width[level]);
    };
    while (!stack.empty()) {
        const std::uint32_t node = stack.back();
        stack.pop_back();
        levels.order.push_back(node);
        count(levels.level[node]);
        levels.leaves += children[node].empty() ? 1 : 0;
        for (auto child = children[node].rbegin(); child != children[node].rend(); ++child)
            if (levels.level[*child] == children.size()) { // a graph may have it twice
                levels.level[*child] = levels.level[node] + 1;
                stack.push_back(*child);
            }
    }
    const std::size_t below = levels.width.size();
    for (std::uint32_t node = 0; node < children.size(); ++node)
        if (levels.level[node] == children.size()) {
            levels.level[node] = below;
            levels.order.push_back(node);
            count(below);
            ++levels.leaves;
        }
    return levels;
}

} // namespace

std::vector<Point> places_by_level(std::uint32_t root,
                                   const std::vector<std::vector<std::uint32_t>>& children) {
    const Levels levels = levels_from(root, children);
    const bool beside = levels.leaves <= kLeavesBeside;
    const std::size_t columns = beside ? levels.leaves : (levels.widest + 1) / 2;
    const double wide = kApart * static_cast<double>(columns);
    const double high = std::clamp(wide / static_cast<double>(levels.width.size()) / 2,
                                   beside ? 0.9 : 1.2 + kRowsApart, 4.0);
    std::vector<Point> places(children.size());
    std::vector<std::size_t> placed(levels.width.size());
    double leaf = 0.5;
    for (const std::uint32_t node : levels.order) {
        const std::size_t level = levels.level[node];
        const std::size_t place = placed[level]++, width = levels.width[level];
        const double part = (static_cast<double>(place) + 0.5) / static_cast<double>(width);
        const bool lower = !beside && width > columns && place % 2 == 1;
        places[node] = {beside ? kApart * leaf : wide * part,
                        high * static_cast<double>(level) + (lower ? kRowsApart : 0)};
        leaf += children[node].empty() ? 1 : 0;
    }
    for (auto node = levels.order.rbegin(); beside && node != levels.order.rend(); ++node)
        if (const auto& below = children[*node]; !below.empty())
            places[*node].x = (places[below.front()].x + places[below.back()].x) / 2;
    return places;
}

std::vector<Point> places_of(Network network) {
    if (network.topology == Topology::star)
        return places_in_star(network);
    std::vector<Point> places;
    for (std::uint32_t node = 0; node < node_count(network); ++node)
        places.push_back(place_in_cube(node));
    return places;
}

} // namespace mesh::host
