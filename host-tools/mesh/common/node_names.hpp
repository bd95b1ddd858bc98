// Numbers of nodes as a person reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mesh::host {

using NodeNumbers = std::vector<std::uint32_t>;

/// "node 5", "nodes 1 2 3 and 40 more".
std::string name_nodes(const NodeNumbers& nodes);

} // namespace mesh::host
