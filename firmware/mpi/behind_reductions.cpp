// Reductions and scans for a program that does not wait.
#include "mpi/behind.hpp"

namespace mesh::mpi {

namespace {

using Begin = decltype(begin_behind);

int reduce(const char* name, Begin& begin, const void* mine, void* all, int count,
           MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op its_op) {
        return MPI_Reduce(mine, all, count, type, its_op, root, on);
    };
    return begin(name, comm, {.op = op, .one = type}, later(call), request);
}
/// For the calls that are declared alike; `wait`: the one that waits.
int combine(const char* name, Begin& begin, decltype(MPI_Scan)* wait, const void* mine, void* all,
            int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op its_op) {
        return wait(mine, all, count, type, its_op, on);
    };
    return begin(name, comm, {.op = op, .one = type}, later(call), request);
}
int reduce_scatter(const char* name, Begin& begin, const void* mine, void* part, const int* counts,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    const auto call = [=](MPI_Comm on, MPI_Op its_op) {
        return MPI_Reduce_scatter(mine, part, counts, type, its_op, on);
    };
    return begin(name, comm, {.op = op, .one = type}, later(call), request);
}

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Ireduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm, MPI_Request* request) {
    return reduce("MPI_Ireduce", begin_behind, mine, all, count, type, op, root, comm, request);
}
int MPI_Reduce_init(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return reduce("MPI_Reduce_init", prepare_behind, mine, all, count, type, op, root, comm,
                  request);
}

int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
    return combine("MPI_Iallreduce", begin_behind, MPI_Allreduce, mine, all, count, type, op, comm,
                   request);
}
int MPI_Allreduce_init(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return combine("MPI_Allreduce_init", prepare_behind, MPI_Allreduce, mine, all, count, type, op,
                   comm, request);
}

int MPI_Iscan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
              MPI_Request* request) {
    return combine("MPI_Iscan", begin_behind, MPI_Scan, mine, all, count, type, op, comm, request);
}
int MPI_Scan_init(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return combine("MPI_Scan_init", prepare_behind, MPI_Scan, mine, all, count, type, op, comm,
                   request);
}

int MPI_Iexscan(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                MPI_Request* request) {
    return combine("MPI_Iexscan", begin_behind, MPI_Exscan, mine, all, count, type, op, comm,
                   request);
}
int MPI_Exscan_init(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return combine("MPI_Exscan_init", prepare_behind, MPI_Exscan, mine, all, count, type, op, comm,
                   request);
}

int MPI_Ireduce_scatter(const void* mine, void* part, const int* counts, MPI_Datatype type,
                        MPI_Op op, MPI_Comm comm, MPI_Request* request) {
    return reduce_scatter("MPI_Ireduce_scatter", begin_behind, mine, part, counts, type, op, comm,
                          request);
}
int MPI_Reduce_scatter_init(const void* mine, void* part, const int* counts, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return reduce_scatter("MPI_Reduce_scatter_init", prepare_behind, mine, part, counts, type, op,
                          comm, request);
}

int MPI_Ireduce_scatter_block(const void* mine, void* part, int count, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm, MPI_Request* request) {
    return combine("MPI_Ireduce_scatter_block", begin_behind, MPI_Reduce_scatter_block, mine, part,
                   count, type, op, comm, request);
}
int MPI_Reduce_scatter_block_init(const void* mine, void* part, int count, MPI_Datatype type,
                                  MPI_Op op, MPI_Comm comm, MPI_Info, MPI_Request* request) {
    return combine("MPI_Reduce_scatter_block_init", prepare_behind, MPI_Reduce_scatter_block, mine,
                   part, count, type, op, comm, request);
}
}
