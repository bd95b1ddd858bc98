// Who waits for whom, when a run has come to rest and programs have not ended.
#pragma once

#include "host-tools/mesh/engines/node_waits.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace mesh::host {

/// A process that waits.
struct Wait {
    std::uint32_t node = 0;
    WaitsFor what;
};

/// The circle in which processes of nodes wait for each other, or else for whom the first of them
/// waits in vain. "" if nobody waits.
std::string describe_waits(std::span<const Wait> waits);

} // namespace mesh::host
