// `mesh run` over several seeds: --repeat, --seed A..B, --until-failure.
#pragma once

#include "host-tools/mesh/plan/plan.hpp"

#include <cstdint>
#include <limits>
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
    std::string orders; // see orders.hpp; "": not
    bool until_failure = false;
    std::string shard; // see shard.hpp; "": all runs
    std::vector<std::string>
        words; // of each run: the program, `run` and all options but those here

    bool asked_for() const { return several() || !orders.empty() || !shard.empty(); }
    /// Asked for by seeds.
    bool several() const { return ranged || repeat || until_failure; }
};

/// Refuses what goes with one run only, and what the first run would refuse. UsageError.
void check_series(const SeriesArguments& arguments);

/// Does the runs one after the other and prints the outcome of each. True if all are verified.
/// UsageError if the first of them would be refused.
bool run_series(const SeriesArguments& arguments);

} // namespace mesh::host
