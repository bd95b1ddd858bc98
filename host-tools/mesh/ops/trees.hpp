// The spanning tree that a collective goes over.
#pragma once

#include "formulas.hpp"
#include "host-tools/mesh/rig/own_rule.hpp"
#include "host-tools/mesh/rig/run_plan.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace mesh::host {

/// The tree that was asked for, one that avoids a cable, or the usual one. `for_blocks`: a single
/// tree over which each node's own block goes. `roots`: from which the op sends. UsageError.
Rule plan_tree(const RunPlan& run, bool for_blocks, RootsAsked roots = RootsAsked::one);
/// The usual disjoint trees for single packets, of UHC and star; `pairs`: each block goes from one
/// node to one other.
Rule usual_paths(Network network, bool pairs);
/// Refuses a tree of a user's file that an op cannot climb, or whose ways to single nodes it cannot
/// find. UsageError.
void check_climbs(Rule tree, std::string_view op);
/// Steps of a broadcast over the tree of a user's file, and of its reverse: packets follow one
/// another down the tree. Nothing where ports are served by turns.
std::optional<Formula> own_formula(PortModel ports, std::uint64_t packets);
/// How many trees of a network share no link.
std::uint32_t copies_max(Network network);
/// How many copies of each packet, of as many as there are disjoint trees. UsageError.
std::uint32_t plan_copies(const RunPlan& run);

} // namespace mesh::host
