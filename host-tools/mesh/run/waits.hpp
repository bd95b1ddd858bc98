// Which processes wait, and for which others, when a run has come to rest and programs have not
// ended.
#pragma once

#include "host-tools/mesh/engines/node_waits.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace mesh::host {

/// A process that waits.
struct Wait {
    std::uint32_t node = 0;
    WaitsFor what;
};

/// For whom processes of nodes wait, one after the other, as far as that leads: "node 0 waits for a
/// message with tag 1 from node 1, which waits for ...". "" if nobody waits.
///
/// It ends with "a circle" if they wait for each other and nothing can end that: every process of
/// every node in it waits for another one of them. A message that is on its way is none: its sender
/// waits until it is taken, its receiver for the rest of it, and the kernels carry it on. Nor is a
/// wait for a node that has a process which computes, or waits for a time, or for any node. Of
/// nodes that packets still move between (`moving`) nothing is said to be one: the waits were read
/// one after the other.
std::string describe_waits(std::span<const Wait> waits,
                           const std::function<bool(std::uint32_t node)>& has_ended, bool moving);

} // namespace mesh::host
