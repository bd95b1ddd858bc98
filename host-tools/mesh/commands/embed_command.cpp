#include "embed_command.hpp"

#include "core/embedding.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "host-tools/mesh/views/network_svg.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

namespace mesh::host {

namespace {

using Map = std::vector<std::uint32_t>;

constexpr std::int64_t kLevelsMax = kDimMax - 1;

/// The cube's dimension: the given one, if the guest fits, or the least that holds it.
unsigned dimension_for(const EmbedArguments& arguments, std::string_view what,
                       std::uint64_t least) {
    least = std::max<std::uint64_t>(least, 1);
    if (least > kDimMax)
        refuse("{} needs --dim {}: a cube has dimension 1 to {}", what, least, kDimMax);
    const std::int64_t dim = arguments.dim.value_or(static_cast<std::int64_t>(least));
    if (dim < static_cast<std::int64_t>(least) || dim > std::int64_t{kDimMax})
        refuse("--dim {}: {} needs --dim {} or more, at most {}", dim, what, least, kDimMax);
    return static_cast<unsigned>(dim);
}

template <class Guest>
Map map_of(const Guest& guest) {
    Map map(guest.vertex_count());
    for (std::uint32_t vertex = 0; vertex < map.size(); ++vertex)
        map[vertex] = index(guest.node_of(vertex));
    return map;
}

/// The cube with the guest's edges; under a node's number, which vertex it is.
void print_svg(unsigned dim, const Map& map, const std::vector<Drawing::Edge>& guest_edges) {
    const Network network{Topology::cube, static_cast<std::uint8_t>(dim)};
    Drawing drawing;
    drawing.level.assign(node_count(network), -1);
    drawing.caption.resize(node_count(network));
    for (std::uint32_t vertex = 0; vertex < map.size(); ++vertex) {
        drawing.level[map[vertex]] = vertex == 0 ? 0 : 1;
        drawing.caption[map[vertex]] = fmt::format("v{}", vertex);
    }
    for (const Drawing::Edge& edge : guest_edges)
        drawing.edges.push_back({map[edge.from], map[edge.to]});
    fmt::print("{}", network_svg(network, std::span(&drawing, 1)));
}

void print(const EmbedArguments& arguments, unsigned dim, const Map& map,
           const std::vector<Drawing::Edge>& guest_edges) {
    if (arguments.format == "svg") {
        print_svg(dim, map, guest_edges);
        return;
    }
    const nlohmann::ordered_json whole{{"guest", arguments.guest}, {"dim", dim}, {"map", map}};
    fmt::print("{}\n", whole.dump());
}

void embed_tree(const EmbedArguments& arguments) {
    if (!arguments.shape.empty())
        refuse("--shape goes with --guest grid; a tree has --levels");
    if (!arguments.levels)
        refuse("--guest tree: give --levels, 1 to {}", kLevelsMax);
    if (*arguments.levels < 1)
        refuse("--levels {}: allowed: 1 to {}", *arguments.levels, kLevelsMax);
    const auto levels = static_cast<std::uint64_t>(*arguments.levels);
    const unsigned dim =
        dimension_for(arguments, fmt::format("a full binary tree of {} levels", levels),
                      levels <= 2 ? levels : levels + 1);
    const Map map = map_of(BinaryTreeGuest{static_cast<unsigned>(levels)});
    std::vector<Drawing::Edge> edges;
    for (std::uint32_t vertex = 1; vertex < map.size(); ++vertex)
        edges.push_back({(vertex - 1) / 2, vertex});
    print(arguments, dim, map, edges);
}

[[noreturn]] void refuse_shape(std::string_view shape) {
    refuse("--shape '{}': allowed: 1 to {} sides of 1 or more, as 5x5x3", shape,
           GridGuest::kAxesMax);
}

std::vector<std::uint32_t> sides_of(const std::string& shape) {
    std::vector<std::uint32_t> sides;
    const char* at = shape.data();
    const char* const end = at + shape.size();
    for (;; ++at) {
        std::uint32_t side = 0;
        const auto [next, error] = std::from_chars(at, end, side);
        if (error != std::errc{} || side == 0 || sides.size() == GridGuest::kAxesMax)
            refuse_shape(shape);
        sides.push_back(side);
        at = next;
        if (at == end)
            return sides;
        if (*at != 'x')
            refuse_shape(shape);
    }
}

/// Each vertex with the next one along every side, in row-major order.
std::vector<Drawing::Edge> edges_of(const std::vector<std::uint32_t>& sides) {
    std::uint32_t count = 1;
    for (const std::uint32_t side : sides)
        count *= side;
    std::vector<Drawing::Edge> edges;
    for (std::uint32_t vertex = 0; vertex < count; ++vertex) {
        std::uint32_t stride = 1;
        for (auto side = sides.rbegin(); side != sides.rend(); stride *= *side++)
            if (vertex / stride % *side + 1 != *side)
                edges.push_back({vertex, vertex + stride});
    }
    return edges;
}

void embed_grid(const EmbedArguments& arguments) {
    if (arguments.levels)
        refuse("--levels goes with --guest tree; a grid has --shape");
    if (arguments.shape.empty())
        refuse("--guest grid: give --shape, as 5x5x3");
    std::uint64_t least = 0;
    const std::vector<std::uint32_t> sides = sides_of(arguments.shape);
    for (const std::uint32_t side : sides)
        least += static_cast<std::uint64_t>(std::bit_width(side - 1));
    const unsigned dim =
        dimension_for(arguments, fmt::format("a grid of {}", arguments.shape), least);
    GridGuest grid;
    for (const std::uint32_t side : sides)
        if (!grid.add_axis(side))
            refuse_shape(arguments.shape);
    print(arguments, dim, map_of(grid), edges_of(sides));
}

} // namespace

void embed_command(const EmbedArguments& arguments) {
    if (arguments.format != "json" && arguments.format != "svg")
        refuse_name("--format", arguments.format, std::array{"json", "svg"});
    if (arguments.guest == "tree")
        embed_tree(arguments);
    else if (arguments.guest == "grid")
        embed_grid(arguments);
    else
        refuse_name("--guest", arguments.guest, std::array{"tree", "grid"});
}

} // namespace mesh::host
