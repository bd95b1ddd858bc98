// Names of MPI-1: each calls what has replaced it.
#include "mpi/objects/objects.hpp"

namespace mesh::mpi {

namespace {

int type_extent(MPI_Datatype type, MPI_Aint* extent) {
    MPI_Aint lower;
    return PMPI_Type_get_extent(type, &lower, extent);
}

int type_lb(MPI_Datatype type, MPI_Aint* lower) {
    MPI_Aint extent;
    return PMPI_Type_get_extent(type, lower, &extent);
}

int type_ub(MPI_Datatype type, MPI_Aint* upper) {
    MPI_Aint lower;
    const int code = PMPI_Type_get_extent(type, &lower, upper);
    if (code == MPI_SUCCESS)
        *upper += lower;
    return code;
}

} // namespace

} // namespace mesh::mpi

#include "doors/deprecated.inc"
