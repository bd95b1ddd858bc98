// `mesh run` over several seeds: --repeat, --seed A..B, --until-failure.
#pragma once

#include "host-tools/mesh/options/series_options.hpp"

namespace mesh::host {

/// Refuses what goes with one run only, and what the first run would refuse. UsageError.
void check_series(const SeriesArguments& arguments);

/// Does the runs one after the other and prints the outcome of each. True if all are verified.
/// UsageError if the first of them would be refused.
bool run_series(const SeriesArguments& arguments);

} // namespace mesh::host
