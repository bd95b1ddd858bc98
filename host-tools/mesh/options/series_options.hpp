// The options that make several runs of one: --repeat, --seed A..B, --until-failure, --orders,
// --shard. series/ does those runs.
#pragma once

#include "host-tools/mesh/rig/run_options.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Seeds from one to another, both included.
struct SeedRange {
    std::uint64_t first = 1;
    std::uint64_t last = 1;
};

/// "7" or "7..12"; nothing if it is neither.
std::optional<SeedRange> seed_range_of(std::string_view text);

struct SeriesArguments {
    RunArguments run;
    SeedRange seeds;
    bool ranged = false; // as A..B
    std::optional<std::uint64_t> repeat;
    std::string orders; // see series/orders.hpp; "": not
    bool until_failure = false;
    std::string shard; // see series/shard.hpp; "": all runs
    std::vector<std::string>
        words; // of each run: the program, `run` and all options but those here

    bool asked_for() const { return several() || !orders.empty() || !shard.empty(); }
    /// Asked for by seeds.
    bool several() const { return ranged || repeat || until_failure; }
};

} // namespace mesh::host
