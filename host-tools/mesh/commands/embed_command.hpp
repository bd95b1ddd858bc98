// `mesh embed`: where the vertices of a guest (full binary tree, grid) live in the cube, by the
// rules that the firmware's virtual topologies use.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mesh::host {

struct EmbedArguments {
    std::string guest;
    std::optional<std::int64_t> levels; // of a tree
    std::string shape;                  // of a grid: 5x5x3
    std::optional<std::int64_t> dim;    // default: the least that holds the guest
    std::string format = "json";
};

/// Prints the map on standard output. UsageError.
void embed_command(const EmbedArguments& arguments);

} // namespace mesh::host
