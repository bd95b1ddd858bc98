#include "embed_command.hpp"

#include "core/embedding.hpp"
#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

namespace mesh::host {

namespace {

using Map = std::vector<std::uint32_t>;

constexpr std::int64_t kLevelsMax = kDimMax - 1;

/// The cube's dimension: what was asked for, if the guest fits, or the least that holds it.
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

void print(const EmbedArguments& arguments, unsigned dim, const Map& map) {
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
    print(arguments, dim, map_of(BinaryTreeGuest{static_cast<unsigned>(levels)}));
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
    print(arguments, dim, map_of(grid));
}

} // namespace

void embed_command(const EmbedArguments& arguments) {
    if (arguments.guest == "tree")
        embed_tree(arguments);
    else if (arguments.guest == "grid")
        embed_grid(arguments);
    else
        refuse("--guest '{}': allowed: tree, grid", arguments.guest);
}

} // namespace mesh::host
