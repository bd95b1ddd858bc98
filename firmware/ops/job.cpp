// The program of `mesh run --op ...`: does the host's job and reports the result. A family of ops
// is a file in job/.
#include "meshputer.hpp"
#include "ops/job/broadcast.hpp"
#include "ops/job/personal.hpp"
#include "ops/job/reduction.hpp"
#include "ops/job/send.hpp"
#include "ops/room.hpp"

namespace mesh::ops {
namespace {

Process end_with(Kernel&, Status status) { co_return status; }

Process begin(Kernel& node) {
    if (node.workspace().size() < workspace_needed(node.network(), node.job()))
        return end_with(node, Status::no_memory);
    switch (node.job().op) {
    case wire::Op::bcast: return run_broadcast(node);
    case wire::Op::send: return run_send(node);
    case wire::Op::barrier: return barrier(node);
    case wire::Op::scatter: return run_personal(node, Exchange::scatter);
    case wire::Op::gather: return run_personal(node, Exchange::gather);
    case wire::Op::allgather: return run_personal(node, Exchange::allgather);
    case wire::Op::alltoall: return run_personal(node, Exchange::alltoall);
    case wire::Op::reduce:
    case wire::Op::allreduce:
    case wire::Op::scan: return run_reduction(node);
    case wire::Op::ascend: // programs of their own
    case wire::Op::descend:
    case wire::Op::sort:
    case wire::Op::fft:
    case wire::Op::none:
    case wire::Op::app: break;
    }
    return end_with(node, Status::bad_argument);
}

} // namespace
} // namespace mesh::ops

mesh::Process app_main(mesh::Kernel& node) { return mesh::ops::begin(node); }
