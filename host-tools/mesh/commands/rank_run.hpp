// `mesh run` where a launcher (mpirun, srun) has started several of it: rank 0 does all that one
// process does, and the others have their part of the emulators.
#pragma once

#include "host-tools/mesh/ranks/join.hpp"
#include "host-tools/mesh/rig/run_plan.hpp"

#include <memory>
#include <string>

namespace mesh::host {

/// The other ranks of this run; nullptr: it is alone. UsageError, RunError.
std::unique_ptr<Uplink> join_for(const RunArguments& arguments);

/// A rank other than 0, to its end, which is that of the run. What is wrong here, rank 0 tells.
void serve(Uplink& uplink, RunArguments arguments, const std::string& command);

/// Rank 0: the others may make their plans, and have made them. UsageError, as each says; RunError:
/// their programs are others, or one is gone.
void await_ranks(Uplink& uplink, const RigPlan& plan);

/// A command of many runs: each of the ranks does its part by itself. UsageError: all would do the
/// same, since no --shard was given.
void run_apart_by_shards(std::string_view shard);

/// True if another rank of the launch says what is wrong with the command line, so that it is said
/// once.
bool another_rank_speaks();

} // namespace mesh::host
