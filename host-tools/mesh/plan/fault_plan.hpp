// The fault list of the command line as seeded decisions: everything random is drawn here or by the
// generator of a wire (cables/faults.hpp), so that seed and list repeat a plan exactly.
#pragma once

#include "core/network.hpp"
#include "host-tools/mesh/cables/faults.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mesh::host {

/// One entry of the command line.
struct FaultSpec {
    const FaultKind* kind = nullptr;
    double amount = 0;                  // probability, or microseconds
    std::optional<NodeId> node;         // of a cable, or itself; none: drawn from the seed
    std::optional<Port> port;           // of a cable; the dimension
    bool one_way = false;               // of a cable: outgoing only
    std::uint64_t after = 0;            // packets delivered before it happens
    bool at_random = false;             // `after` is drawn from the seed
    std::optional<std::uint32_t> draws; // xK
};

/// Reads a comma list, or with a leading @ a file of one fault a line. UsageError for anything
/// that is not a fault of `network`.
std::vector<FaultSpec> parse_faults(std::string_view text, Network network);

/// Draws everything that the specs leave to the seed. Nodes and moments drawn spare `root`;
/// moments lie below `packets`, the number that an undisturbed run would deliver.
FaultPlan plan_faults(const std::vector<FaultSpec>& specs, Network network, NodeId root,
                      std::uint64_t packets, std::uint64_t seed);

} // namespace mesh::host
