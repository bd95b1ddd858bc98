// The wait for the end of one request, as the host tool tells it.
#pragma once

#include "mpi/awaited.hpp"
#include "mpi/engine.hpp"
#include "mpi/envelope.hpp"
#include "mpi/under_way.hpp"

#include <cstddef>

namespace mesh::mpi {

// Its name, and where its fields are, are known to kernel/api/waits.cpp.
struct RequestDone {
    const Request* request;
    mutable Awaited awaited;
    bool has_gone = false; // wait until `announced` has it no more; it may be freed by then

    bool operator()() const {
        if (has_gone)
            return *announced.find([this](const Request& one) { return &one == request; }) ==
                   nullptr;
        if (!request->is_done)
            see_what_came();
        return request->is_done;
    }

private:
    void see_what_came() const {
        const Unexpected* const one =
            *find_unexpected(request->context, MPI_ANY_SOURCE, MPI_ANY_TAG);
        if (one == nullptr)
            return;
        awaited.came_from = one->from;
        awaited.came_tag = one->envelope.tag;
    }
};
static_assert(offsetof(RequestDone, awaited) == sizeof(void*) && sizeof(Awaited) == 20);

} // namespace mesh::mpi
