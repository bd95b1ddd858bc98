// The processes that wait, and those that they wait for, when a run has come to rest and programs
// have not ended.
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

/// The chain of waits, as far as it leads: "node 0 waits for a message with tag 1 from node 1,
/// which waits for ...". "" if no process waits.
///
/// It ends with "a circle" if the processes wait for each other and nothing can end that: every
/// process of every node in the circle waits for another one of them. A message on its way makes no
/// circle: its sender waits until it is taken, its receiver for the rest of it, and the kernels
/// carry it on. Nor does a wait for a node with a process that computes, or waits for a time, or
/// for any node. While packets still move between nodes (`moving`) no circle is named, since the
/// waits were read one after the other.
std::string describe_waits(std::span<const Wait> waits,
                           const std::function<bool(std::uint32_t node)>& has_ended, bool moving);

} // namespace mesh::host
