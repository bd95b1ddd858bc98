// Names of MPI-1: each calls what has replaced it.
#include "mpi/mpi.h"

extern "C" {

int MPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* drop, int* key, void* extra) {
    return MPI_Comm_create_keyval(copy, drop, key, extra);
}

int MPI_Keyval_free(int* key) { return MPI_Comm_free_keyval(key); }

int MPI_Attr_put(MPI_Comm comm, int key, void* value) {
    return MPI_Comm_set_attr(comm, key, value);
}

int MPI_Attr_get(MPI_Comm comm, int key, void* value, int* flag) {
    return MPI_Comm_get_attr(comm, key, value, flag);
}

int MPI_Attr_delete(MPI_Comm comm, int key) { return MPI_Comm_delete_attr(comm, key); }

int MPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* handler) {
    return MPI_Comm_create_errhandler(function, handler);
}

int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) {
    return MPI_Comm_set_errhandler(comm, handler);
}

int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) {
    return MPI_Comm_get_errhandler(comm, handler);
}

int MPI_Address(void* place, MPI_Aint* address) { return MPI_Get_address(place, address); }

int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* type) {
    return MPI_Type_create_hvector(count, length, stride, old, type);
}

int MPI_Type_hindexed(int count, const int* lengths, const MPI_Aint* places, MPI_Datatype old,
                      MPI_Datatype* type) {
    return MPI_Type_create_hindexed(count, lengths, places, old, type);
}

int MPI_Type_struct(int count, const int* lengths, const MPI_Aint* places,
                    const MPI_Datatype* types, MPI_Datatype* type) {
    return MPI_Type_create_struct(count, lengths, places, types, type);
}

int MPI_Type_extent(MPI_Datatype type, MPI_Aint* extent) {
    MPI_Aint lower;
    return MPI_Type_get_extent(type, &lower, extent);
}

int MPI_Type_lb(MPI_Datatype type, MPI_Aint* lower) {
    MPI_Aint extent;
    return MPI_Type_get_extent(type, lower, &extent);
}

int MPI_Type_ub(MPI_Datatype type, MPI_Aint* upper) {
    MPI_Aint lower;
    const int code = MPI_Type_get_extent(type, &lower, upper);
    *upper += code == MPI_SUCCESS ? lower : 0;
    return code;
}
}
