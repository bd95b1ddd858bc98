// The launcher (mpirun, srun) that has started several of this process to share one run, if there
// is one, and how they find each other.
#pragma once

#include "uplink.hpp"

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

namespace mesh::host {

/// The place of this process among those of one launch.
struct Launch {
    unsigned rank = 0;
    unsigned ranks = 1;
};

/// As the launcher's variables say: those of Open MPI, of MPICH's and other process managers, and
/// of a step of Slurm. Nothing if it is alone, or if MESH_RANKS=apart says that each process is to
/// run by itself.
std::optional<Launch> launch_from_environment();
/// From now on this process and its children run by themselves (MESH_RANKS=apart).
void run_apart();

/// Joins the other ranks: MPI, which `object` (libmesh-mpi.so; MESH_MPI names another one) brings,
/// says where they are, and sockets with a secret connect them. The process is no longer bound to
/// cores, as a launcher binds it: its emulators would all share them. `silence`: how long a rank
/// may say nothing. UsageError: the object is missing, or is of another MPI than the launcher.
/// RunError: a rank cannot be reached, or is of another version.
std::unique_ptr<Uplink> join_ranks(const Launch& launch, std::filesystem::path object,
                                   std::chrono::milliseconds silence);

} // namespace mesh::host
