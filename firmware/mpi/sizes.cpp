// Sizes as wide numbers, and types by their size.
#include "mpi/type_builder.hpp"

namespace mesh::mpi {

namespace {

struct Sized {
    int kind;
    int bytes;
    MPI_Datatype type;
};

int type_match_size(Checks& checks, int kind, int bytes, MPI_Datatype* handle) {
    const std::array<Sized, 9> all{
        {{MPI_TYPECLASS_INTEGER, 1, MPI_INT8_T},
         {MPI_TYPECLASS_INTEGER, 2, MPI_INT16_T},
         {MPI_TYPECLASS_INTEGER, 4, MPI_INT32_T},
         {MPI_TYPECLASS_INTEGER, 8, MPI_INT64_T},
         {MPI_TYPECLASS_REAL, sizeof(float), MPI_FLOAT},
         {MPI_TYPECLASS_REAL, sizeof(double), MPI_DOUBLE},
         {MPI_TYPECLASS_REAL, sizeof(long double), MPI_LONG_DOUBLE},
         {MPI_TYPECLASS_COMPLEX, 2 * sizeof(float), MPI_C_FLOAT_COMPLEX},
         {MPI_TYPECLASS_COMPLEX, 2 * sizeof(double), MPI_C_DOUBLE_COMPLEX}}};
    for (const Sized& one : all) {
        if (one.kind != kind || one.bytes != bytes)
            continue;
        *handle = one.type;
        return MPI_SUCCESS;
    }
    return checks.refuse(MPI_ERR_ARG, "there is no type of this size");
}

int status_set_cancelled(MPI_Status* status, int flag) {
    status->MPI_internal[2] = flag != 0;
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/sizes.inc"
