// `mesh run --orders`: a program or an op under many orders of what happens (cables/order.hpp).
//
// With a number, so many orders are drawn from the seed; of the first that fails as many put-offs
// are left out as can be. With `all`, orders are gone through by their number of put-offs, so the
// first that fails has the fewest.
#pragma once

#include "series.hpp"

namespace mesh::host {

/// Does the runs one after the other, and prints the outcome of each, and the smallest order found
/// that fails with the command that repeats it. True if all are verified. UsageError if the first
/// run would be refused, or the engine is not sim.
bool run_orders(const SeriesArguments& arguments);

} // namespace mesh::host
