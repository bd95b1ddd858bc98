// Collectives among neighbours, for a program that does not wait.
#include "mpi/behind.hpp"
#include "mpi/graphs.hpp"

namespace mesh::mpi {

namespace {

/// Checks what is to be known before the call begins.
int topology_of(const char* name, MPI_Comm handle) {
    Checks checks(name, handle);
    return check_topology(checks);
}

template <class F>
int begin_call(const char* name, MPI_Comm comm, const Held& held, const F& call,
               MPI_Request* request) {
    const int code = topology_of(name, comm);
    return code != MPI_SUCCESS ? code : begin_behind(name, comm, held, later(call), request);
}

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Ineighbor_allgather(const void* mine, int count, MPI_Datatype type, void* all,
                            int all_count, MPI_Datatype all_type, MPI_Comm comm,
                            MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Neighbor_allgather(mine, count, type, all, all_count, all_type, on);
    };
    return begin_call("MPI_Ineighbor_allgather", comm, {.one = type, .other = all_type}, call,
                      request);
}

int MPI_Ineighbor_allgatherv(const void* mine, int count, MPI_Datatype type, void* all,
                             const int* counts, const int* places, MPI_Datatype all_type,
                             MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Neighbor_allgatherv(mine, count, type, all, counts, places, all_type, on);
    };
    return begin_call("MPI_Ineighbor_allgatherv", comm, {.one = type, .other = all_type}, call,
                      request);
}

int MPI_Ineighbor_alltoall(const void* out, int out_count, MPI_Datatype out_type, void* in,
                           int in_count, MPI_Datatype in_type, MPI_Comm comm,
                           MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Neighbor_alltoall(out, out_count, out_type, in, in_count, in_type, on);
    };
    return begin_call("MPI_Ineighbor_alltoall", comm, {.one = out_type, .other = in_type}, call,
                      request);
}

int MPI_Ineighbor_alltoallv(const void* out, const int* out_counts, const int* out_places,
                            MPI_Datatype out_type, void* in, const int* in_counts,
                            const int* in_places, MPI_Datatype in_type, MPI_Comm comm,
                            MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Neighbor_alltoallv(out, out_counts, out_places, out_type, in, in_counts,
                                      in_places, in_type, on);
    };
    return begin_call("MPI_Ineighbor_alltoallv", comm, {.one = out_type, .other = in_type}, call,
                      request);
}

int MPI_Ineighbor_alltoallw(const void* out, const int* out_counts, const MPI_Aint* out_places,
                            const MPI_Datatype* out_types, void* in, const int* in_counts,
                            const MPI_Aint* in_places, const MPI_Datatype* in_types, MPI_Comm comm,
                            MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Neighbor_alltoallw(out, out_counts, out_places, out_types, in, in_counts,
                                      in_places, in_types, on);
    };
    if (const int code = topology_of("MPI_Ineighbor_alltoallw", comm); code != MPI_SUCCESS)
        return code;
    const Around around(*comm_of(comm));
    const Held held{.ones = out_types,
                    .others = in_types,
                    .ones_count = static_cast<int>(around.destinations().size()),
                    .others_count = static_cast<int>(around.sources().size())};
    return begin_call("MPI_Ineighbor_alltoallw", comm, held, call, request);
}
}
