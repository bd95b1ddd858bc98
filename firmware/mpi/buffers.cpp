// What a program attaches for buffered sends. The heap is buffer enough, so it is left alone.
#include "mpi/objects.hpp"

#include <utility>

namespace mesh::mpi {

namespace {

/// What the program has attached for buffered sends, and gets back as it was.
void* attached = nullptr;
int attached_bytes = 0;

} // namespace

} // namespace mesh::mpi

using namespace mesh::mpi;

extern "C" {

int MPI_Buffer_attach(void* buffer, int bytes) {
    if (attached != nullptr)
        return Checks("MPI_Buffer_attach").refuse(MPI_ERR_BUFFER, "one is attached already");
    attached = buffer;
    attached_bytes = bytes;
    return MPI_SUCCESS;
}

int MPI_Buffer_detach(void* buffer, int* bytes) {
    *static_cast<void**>(buffer) = std::exchange(attached, nullptr);
    *bytes = std::exchange(attached_bytes, 0);
    return MPI_SUCCESS;
}
}
