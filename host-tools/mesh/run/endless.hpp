// Nodes that live, and will never come to an end: read from their memory, since such a node says of
// itself that it has something to do.
#pragma once

#include "node_table.hpp"

#include <string>

namespace mesh::host {

class EndlessLook {
public:
    /// All must outlive it.
    EndlessLook(Engine& engine, const NodeTable& node_table, SourceLines& lines)
        : engine_(engine),
          node_table_(node_table),
          lines_(lines) {}

    /// To be asked when nothing has moved for long: true if no process of a node that is not done
    /// waits for a time that will come. RunError if some of these do nothing but give way.
    bool hopeless();

    /// The fault of nodes whose processes give way turn after turn: their numbers, and the function
    /// of each.
    std::string livelock(const NodeNumbers& turning);

private:
    std::vector<WaitsFor> waits_of(std::uint32_t node);

    Engine& engine_;
    const NodeTable& node_table_;
    SourceLines& lines_;
};

} // namespace mesh::host
