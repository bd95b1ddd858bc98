// Turns a claim's verdict into a gtest result that names the counterexample.
#pragma once

#include "claims.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mesh::claims {

inline ::testing::AssertionResult holds(const Verdict& verdict) {
    if (!verdict)
        return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure()
           << "counterexample: " << name(verdict->network.topology) << " dim "
           << int{verdict->network.dim} << ", rule " << name(verdict->rule) << ", subtree "
           << verdict->subtree << ", root " << index(verdict->root) << ", node "
           << index(verdict->node);
}

/// All networks of a topology from `dim_min` to `dim_max`.
inline std::vector<Network> networks(Topology topology, unsigned dim_min, unsigned dim_max) {
    std::vector<Network> all;
    for (unsigned dim = dim_min; dim <= dim_max; ++dim)
        all.push_back({topology, static_cast<std::uint8_t>(dim)});
    return all;
}

/// All trees of a network, in the order of Rule.
inline std::vector<Rule> trees(Network network) {
    std::vector<Rule> all;
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
        if (subtree_count(network, static_cast<Rule>(number)) != 0)
            all.push_back(static_cast<Rule>(number));
    }
    return all;
}

} // namespace mesh::claims
