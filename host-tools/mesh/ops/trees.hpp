// Which spanning tree a collective goes over.
#pragma once

#include "host-tools/mesh/rig/run_plan.hpp"

#include <vector>

namespace mesh::host {

/// The tree that was asked for, one that avoids a cable, or the usual one. `for_blocks`: a single
/// tree over which each node's own block goes. UsageError.
Rule plan_tree(const RunPlan& run, const RunArguments& arguments, bool for_blocks);
/// How many trees of a network share no link.
std::uint32_t copies_max(Network network);
/// How many copies of each packet, of as many as there are disjoint trees. UsageError.
std::uint32_t plan_copies(const RunPlan& run, const RunArguments& arguments);

} // namespace mesh::host
