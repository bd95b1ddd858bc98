// `mesh tree`: the trees of the firmware's rules, as JSON, text, Graphviz source or a drawing.
#pragma once

#include <cstdint>
#include <string>

namespace mesh::host {

struct TreeArguments {
    std::string topology = "cube";
    std::int64_t dim = 0;
    std::string tree; // "": usual_tree()
    std::int64_t root = 0;
    std::string format = "json";
};

/// Prints the tree on standard output. UsageError, RunError.
void tree_command(const TreeArguments& arguments);

} // namespace mesh::host
