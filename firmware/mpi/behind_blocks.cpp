// Collectives that move data, for a program that does not wait, and the barrier.
#include "mpi/behind.hpp"

namespace mesh::mpi {

namespace {

using Begin = decltype(begin_behind);

/// The type of data that is there, not MPI_IN_PLACE.
template <class T>
T given(const void* data, T type) {
    return data != MPI_IN_PLACE ? type : T{};
}
/// The same of the part that a rank has in a call with a root: it has none where `root` is MPI_ROOT
/// or MPI_PROC_NULL.
MPI_Datatype given(const void* data, MPI_Datatype type, Rank root) {
    return root >= 0 ? given(data, type) : MPI_DATATYPE_NULL;
}
/// A type that has a meaning at the root only.
MPI_Datatype at_root(MPI_Comm handle, Rank root, MPI_Datatype type) {
    const Comm* const comm = comm_of(handle);
    return comm != nullptr && comm->is_root(root) ? type : MPI_DATATYPE_NULL;
}

int barrier(const char* name, Begin& begin, MPI_Comm comm, MPI_Request* request) {
    const auto call = [](MPI_Comm on, MPI_Op) { return MPI_Barrier(on); };
    return begin(name, comm, {}, later(call), request);
}
int bcast(const char* name, Begin& begin, void* data, int count, MPI_Datatype type, int root,
          MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) { return MPI_Bcast(data, count, type, root, on); };
    return begin(name, comm, {.one = type}, later(call), request);
}
int gather(const char* name, Begin& begin, const void* mine, int count, MPI_Datatype type,
           void* all, int all_count, MPI_Datatype all_type, int root, MPI_Comm comm,
           MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Gather(mine, count, type, all, all_count, all_type, root, on);
    };
    return begin(name, comm,
                 {.one = given(mine, type, root), .other = at_root(comm, root, all_type)},
                 later(call), request);
}
int gatherv(const char* name, Begin& begin, const void* mine, int count, MPI_Datatype type,
            void* all, const int* counts, const int* places, MPI_Datatype all_type, int root,
            MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Gatherv(mine, count, type, all, counts, places, all_type, root, on);
    };
    return begin(name, comm,
                 {.one = given(mine, type, root), .other = at_root(comm, root, all_type)},
                 later(call), request);
}
int scatter(const char* name, Begin& begin, const void* all, int all_count, MPI_Datatype all_type,
            void* mine, int count, MPI_Datatype type, int root, MPI_Comm comm,
            MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Scatter(all, all_count, all_type, mine, count, type, root, on);
    };
    return begin(name, comm,
                 {.one = given(mine, type, root), .other = at_root(comm, root, all_type)},
                 later(call), request);
}
int scatterv(const char* name, Begin& begin, const void* all, const int* counts, const int* places,
             MPI_Datatype all_type, void* mine, int count, MPI_Datatype type, int root,
             MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Scatterv(all, counts, places, all_type, mine, count, type, root, on);
    };
    return begin(name, comm,
                 {.one = given(mine, type, root), .other = at_root(comm, root, all_type)},
                 later(call), request);
}
/// For the calls that are declared alike; `wait`: the one that waits.
int exchange(const char* name, Begin& begin, decltype(MPI_Alltoall)* wait, const void* out,
             int out_count, MPI_Datatype out_type, void* in, int in_count, MPI_Datatype in_type,
             MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return wait(out, out_count, out_type, in, in_count, in_type, on);
    };
    return begin(name, comm, {.one = given(out, out_type), .other = in_type}, later(call), request);
}
int allgatherv(const char* name, Begin& begin, const void* mine, int count, MPI_Datatype type,
               void* all, const int* counts, const int* places, MPI_Datatype all_type,
               MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Allgatherv(mine, count, type, all, counts, places, all_type, on);
    };
    return begin(name, comm, {.one = given(mine, type), .other = all_type}, later(call), request);
}
int alltoallv(const char* name, Begin& begin, const void* out, const int* out_counts,
              const int* out_places, MPI_Datatype out_type, void* in, const int* in_counts,
              const int* in_places, MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Alltoallv(out, out_counts, out_places, out_type, in, in_counts, in_places,
                             in_type, on);
    };
    return begin(name, comm, {.one = given(out, out_type), .other = in_type}, later(call), request);
}
int alltoallw(const char* name, Begin& begin, const void* out, const int* out_counts,
              const int* out_places, const MPI_Datatype* out_types, void* in, const int* in_counts,
              const int* in_places, const MPI_Datatype* in_types, MPI_Comm comm,
              MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op) {
        return MPI_Alltoallw(out, out_counts, out_places, out_types, in, in_counts, in_places,
                             in_types, on);
    };
    return begin(name, comm, {.ones = given(out, out_types), .others = in_types}, later(call),
                 request);
}

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    return barrier("MPI_Ibarrier", begin_behind, comm, request);
}
int MPI_Barrier_init(MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return barrier("MPI_Barrier_init", prepare_behind, comm, request);
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
    return bcast("MPI_Ibcast", begin_behind, data, count, type, root, comm, request);
}
int MPI_Bcast_init(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info,
                   MPI_Request* request) {
    return bcast("MPI_Bcast_init", prepare_behind, data, count, type, root, comm, request);
}

int MPI_Igather(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                MPI_Datatype all_type, int root, MPI_Comm comm, MPI_Request* request) {
    return gather("MPI_Igather", begin_behind, mine, count, type, all, all_count, all_type, root,
                  comm, request);
}
int MPI_Gather_init(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                    MPI_Datatype all_type, int root, MPI_Comm comm, MPI_Info,
                    MPI_Request* request) {
    return gather("MPI_Gather_init", prepare_behind, mine, count, type, all, all_count, all_type,
                  root, comm, request);
}

int MPI_Igatherv(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                 const int* places, MPI_Datatype all_type, int root, MPI_Comm comm,
                 MPI_Request* request) {
    return gatherv("MPI_Igatherv", begin_behind, mine, count, type, all, counts, places, all_type,
                   root, comm, request);
}
int MPI_Gatherv_init(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                     const int* places, MPI_Datatype all_type, int root, MPI_Comm comm, MPI_Info,
                     MPI_Request* request) {
    return gatherv("MPI_Gatherv_init", prepare_behind, mine, count, type, all, counts, places,
                   all_type, root, comm, request);
}

int MPI_Iscatter(const void* all, int all_count, MPI_Datatype all_type, void* mine, int count,
                 MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
    return scatter("MPI_Iscatter", begin_behind, all, all_count, all_type, mine, count, type, root,
                   comm, request);
}
int MPI_Scatter_init(const void* all, int all_count, MPI_Datatype all_type, void* mine, int count,
                     MPI_Datatype type, int root, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return scatter("MPI_Scatter_init", prepare_behind, all, all_count, all_type, mine, count, type,
                   root, comm, request);
}

int MPI_Iscatterv(const void* all, const int* counts, const int* places, MPI_Datatype all_type,
                  void* mine, int count, MPI_Datatype type, int root, MPI_Comm comm,
                  MPI_Request* request) {
    return scatterv("MPI_Iscatterv", begin_behind, all, counts, places, all_type, mine, count, type,
                    root, comm, request);
}
int MPI_Scatterv_init(const void* all, const int* counts, const int* places, MPI_Datatype all_type,
                      void* mine, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Info,
                      MPI_Request* request) {
    return scatterv("MPI_Scatterv_init", prepare_behind, all, counts, places, all_type, mine, count,
                    type, root, comm, request);
}

int MPI_Iallgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                   MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
    return exchange("MPI_Iallgather", begin_behind, MPI_Allgather, mine, count, type, all,
                    all_count, all_type, comm, request);
}
int MPI_Allgather_init(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                       MPI_Datatype all_type, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return exchange("MPI_Allgather_init", prepare_behind, MPI_Allgather, mine, count, type, all,
                    all_count, all_type, comm, request);
}

int MPI_Iallgatherv(const void* mine, int count, MPI_Datatype type, void* all, const int* counts,
                    const int* places, MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
    return allgatherv("MPI_Iallgatherv", begin_behind, mine, count, type, all, counts, places,
                      all_type, comm, request);
}
int MPI_Allgatherv_init(const void* mine, int count, MPI_Datatype type, void* all,
                        const int* counts, const int* places, MPI_Datatype all_type, MPI_Comm comm,
                        MPI_Info, MPI_Request* request) {
    return allgatherv("MPI_Allgatherv_init", prepare_behind, mine, count, type, all, counts, places,
                      all_type, comm, request);
}

int MPI_Ialltoall(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                  MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
    return exchange("MPI_Ialltoall", begin_behind, MPI_Alltoall, out, out_count, out_type, in,
                    in_count, in_type, comm, request);
}
int MPI_Alltoall_init(const void* out, int out_count, MPI_Datatype out_type, void* in, int in_count,
                      MPI_Datatype in_type, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return exchange("MPI_Alltoall_init", prepare_behind, MPI_Alltoall, out, out_count, out_type, in,
                    in_count, in_type, comm, request);
}

int MPI_Ialltoallv(const void* out, const int* out_counts, const int* out_places,
                   MPI_Datatype out_type, void* in, const int* in_counts, const int* in_places,
                   MPI_Datatype in_type, MPI_Comm comm, MPI_Request* request) {
    return alltoallv("MPI_Ialltoallv", begin_behind, out, out_counts, out_places, out_type, in,
                     in_counts, in_places, in_type, comm, request);
}
int MPI_Alltoallv_init(const void* out, const int* out_counts, const int* out_places,
                       MPI_Datatype out_type, void* in, const int* in_counts, const int* in_places,
                       MPI_Datatype in_type, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return alltoallv("MPI_Alltoallv_init", prepare_behind, out, out_counts, out_places, out_type,
                     in, in_counts, in_places, in_type, comm, request);
}

int MPI_Ialltoallw(const void* out, const int* out_counts, const int* out_places,
                   const MPI_Datatype* out_types, void* in, const int* in_counts,
                   const int* in_places, const MPI_Datatype* in_types, MPI_Comm comm,
                   MPI_Request* request) {
    return alltoallw("MPI_Ialltoallw", begin_behind, out, out_counts, out_places, out_types, in,
                     in_counts, in_places, in_types, comm, request);
}
int MPI_Alltoallw_init(const void* out, const int* out_counts, const int* out_places,
                       const MPI_Datatype* out_types, void* in, const int* in_counts,
                       const int* in_places, const MPI_Datatype* in_types, MPI_Comm comm, MPI_Info,
                       MPI_Request* request) {
    return alltoallw("MPI_Alltoallw_init", prepare_behind, out, out_counts, out_places, out_types,
                     in, in_counts, in_places, in_types, comm, request);
}
}
