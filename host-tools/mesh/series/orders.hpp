// `mesh run --orders`: a program or an op under many orders of what happens (cables/order.hpp).
//
// With a number, so many orders are drawn from the seed. With `all`, each order by turns is tried
// (explorer.hpp). Of the first that fails as many put-offs are left out as can be.
#pragma once

#include "host-tools/mesh/reports/case_result.hpp"
#include "series.hpp"

#include <functional>
#include <string>
#include <vector>

namespace mesh::host {

/// The smallest order found in which a program fails.
struct SmallestOrder {
    CaseResult result;       // of the run in this order
    std::size_t drawn = 0;   // put-offs that the first one had,
    std::size_t put_off = 0; // and those that are left
    std::string words;       // what they put off; "": nothing
    unsigned runs = 0;       // that it took to find it
};

using RunOnce = std::function<bool(RunArguments)>;

/// The caller's verdict on a run: one that was verified may fail for a reason of the caller's own.
using Judge = std::function<CaseResult(CaseResult)>;

/// Leaves out of an order, in which the run of `words` has failed and left a report, what can be
/// left out. `words`: of the command line, the program and `run` first, without an order.
SmallestOrder smallest_order(const std::vector<std::string>& words, const CaseResult& first,
                             Judge judge);

/// Does the runs one after the other, and prints the outcome of each, and the smallest order found
/// that fails with the command that repeats it. True if all are verified. UsageError if the first
/// run would be refused, or the engine is not sim. `run_once` does a run in this process, and says
/// whether it was right.
bool run_orders(const SeriesArguments& arguments, const RunOnce& run_once);

} // namespace mesh::host
