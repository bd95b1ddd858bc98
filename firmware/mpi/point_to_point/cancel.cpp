// Cancelling of receives for which no message has come, of announced sends for which no receive has
// been found, and of generalized requests, by the program itself. Other requests go on as if nobody
// had cancelled them.
#include "mpi/engine/under_way.hpp"
#include "mpi/point_to_point/generalized.hpp"

#include "fiber/fiber.hpp"

namespace mesh::mpi {

namespace {

auto is(const Request& request) {
    return [&request](const Request& other) { return &other == &request; };
}

void cancel_receive(Request& request) {
    if (posted.take_first(is(request)) != nullptr)
        request.is_cancelled = request.is_done = true;
}

/// Asks the receiver, which has the announcement, and says whether a receive has been found.
void cancel_send(Request& request) {
    if (*announced.find(is(request)) == nullptr)
        return;
    Envelope envelope{Envelope::What::take_back, 0, 0, 0, 0, 0, request.number};
    post_envelope(program_memory(sizeof envelope), request.node, envelope, 0, fiber::node().now());
}

} // namespace

void end_cancelled(std::uint32_t number, wire::ModelTime ready) {
    Request* const request =
        announced.take_first([number](const Request& other) { return other.number == number; });
    if (request == nullptr)
        return;
    request->is_cancelled = true;
    has_left(*request, request->bytes, ready); // the request may be gone then
    fiber::node().scheduler().touch();
}

namespace {

using Kind = Request::Kind;

int cancel(Checks& checks, Request& request) {
    if (request.kind == Kind::generalized)
        return cancel_generalized("MPI_Cancel", request);
    if (request.kind == Kind::collective || request.traffic != Traffic::messages)
        return checks.refuse(MPI_ERR_REQUEST, "only messages are cancelled");
    if (request.kind == Kind::receive)
        cancel_receive(request);
    else
        cancel_send(request);
    return MPI_SUCCESS;
}

void test_cancelled(const MPI_Status* status, int* flag) { *flag = status->MPI_internal[2]; }

void status_set_cancelled(MPI_Status* status, int flag) { status->MPI_internal[2] = flag != 0; }

} // namespace

} // namespace mesh::mpi

#include "doors/cancel.inc"
