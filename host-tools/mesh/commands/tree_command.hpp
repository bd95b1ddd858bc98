// `mesh tree`: the trees of the firmware's rules, as JSON, text, Graphviz source or a drawing,
// and why a node has its place in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace mesh::host {

struct TreeArguments {
    std::string topology = "cube";
    std::int64_t dim = 0;
    std::string tree; // "": usual_tree()
    std::int64_t root = 0;
    std::string format = "json";
    std::string layout = "network";
    std::optional<std::int64_t> why;    // the node whose arithmetic is told instead
    std::string op;                     // exchanges of this op instead of a tree
    std::string ports = "all";          // of these exchanges
    std::string route = "ecube";        // of send
    std::optional<std::int64_t> target; // of send, whose sender is the root
    std::string schedule;               // and of allgather and alltoall; "": as `mesh run` has it
};

/// Prints the tree on standard output. UsageError, RunError.
void tree_command(const TreeArguments& arguments);

} // namespace mesh::host
