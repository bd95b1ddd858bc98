// What a program attaches for buffered sends. The heap is buffer enough, so it is left alone.
#include "mpi/objects.hpp"

#include <utility>

namespace mesh::mpi {

namespace {

/// What the program has attached for buffered sends, and gets back as it was.
void* attached = nullptr;
int attached_bytes = 0;

int buffer_attach(Checks& checks, void* buffer, int bytes) {
    if (attached != nullptr)
        return checks.refuse(MPI_ERR_BUFFER, "one is attached already");
    attached = buffer;
    attached_bytes = bytes;
    return MPI_SUCCESS;
}

int buffer_detach(Checks&, void* buffer, int* bytes) {
    *static_cast<void**>(buffer) = std::exchange(attached, nullptr);
    *bytes = std::exchange(attached_bytes, 0);
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/buffers.inc"
