// Generalized requests: the program does the work of each itself, and says when it is done.
// Functions of its own tell the status, free its data for the request, and cancel it.
#include "mpi/point_to_point/generalized.hpp"

#include "fiber/fiber.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/point_to_point/status.hpp"

namespace mesh::mpi {

namespace {

struct Generalized : Request {
    MPI_Grequest_query_function* query = nullptr;
    MPI_Grequest_free_function* free = nullptr;
    MPI_Grequest_cancel_function* cancel = nullptr;
    void* extra = nullptr;
};

int told(const char* call, int code) {
    return code == MPI_SUCCESS ? code
                               : Checks(call).refuse(code, "a function of the request refuses");
}

int query(Generalized& request, MPI_Status* status) {
    MPI_Status nobodys;
    if (status == MPI_STATUS_IGNORE)
        tell(request, status = &nobodys);
    return request.query(request.extra, status);
}

} // namespace

int query_generalized(const char* call, Request& request, MPI_Status* status) {
    return told(call, query(static_cast<Generalized&>(request), status));
}

int free_generalized(const char* call, Request& request) {
    auto& ours = static_cast<Generalized&>(request);
    return ours.is_done ? told(call, ours.free(ours.extra)) : int{MPI_SUCCESS};
}

int cancel_generalized(const char* call, Request& request) {
    auto& ours = static_cast<Generalized&>(request);
    return told(call, ours.cancel(ours.extra, ours.is_done));
}

// The code of the last function is returned, or told in the status of one of several
// (MPI 4.1, 13.2).
int end_generalized(Request& request, MPI_Status* status) {
    auto& ours = static_cast<Generalized&>(request);
    query(ours, status);
    return ours.free(ours.extra);
}

namespace {

int grequest_start(Checks& checks, MPI_Grequest_query_function* query,
                   MPI_Grequest_free_function* free, MPI_Grequest_cancel_function* cancel,
                   void* extra, MPI_Request* handle) {
    if (query == nullptr || free == nullptr || cancel == nullptr)
        return checks.refuse(MPI_ERR_ARG, "no function: a null pointer");
    auto* const request = make<Generalized>();
    if (request == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    request->kind = Request::Kind::generalized;
    request->type = type_of(MPI_BYTE);
    request->node = mesh::fiber::node().id(); // who waits for it waits for this node's
    request->traffic = Traffic::collectives;
    request->tag = part_tag::kCompletion;
    request->query = query;
    request->free = free;
    request->cancel = cancel;
    request->extra = extra;
    *handle = give_handle(*request);
    return MPI_SUCCESS;
}

int grequest_complete(Checks& checks, MPI_Request handle) {
    // It may have been freed: then it ends here.
    auto* const request = find_object<Request>(handle);
    if (request == nullptr)
        return checks.refuse_handle(number_of(handle), kRequest);
    if (request->kind != Request::Kind::generalized || request->is_done)
        return checks.refuse(MPI_ERR_REQUEST, "no generalized request, or complete already");
    request->clock = mesh::fiber::node().now();
    request->is_done = true;
    mesh::fiber::node().scheduler().touch();
    if (!request->is_ours)
        return MPI_SUCCESS;
    const int code = free_generalized("MPI_Grequest_complete", *request);
    leave_to_engine(*request);
    return code;
}

} // namespace

} // namespace mesh::mpi

#include "doors/generalized.inc"
