/* Names of MPI-1 that later versions took out, and that many programs still have. A part of mpi.h,
 * which includes it. */
#ifndef MPI_FORMER_H
#define MPI_FORMER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef MPI_Comm_errhandler_function MPI_Handler_function;

#define MPI_NULL_COPY_FN ((MPI_Copy_function *)0)
#define MPI_DUP_FN ((MPI_Copy_function *)1)
#define MPI_NULL_DELETE_FN ((MPI_Delete_function *)0)

int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *drop, int *key, void *extra);
int MPI_Keyval_free(int *key);
int MPI_Attr_put(MPI_Comm comm, int key, void *value);
int MPI_Attr_get(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Attr_delete(MPI_Comm comm, int key);
int MPI_Errhandler_create(MPI_Handler_function *function, MPI_Errhandler *handler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *handler);
int MPI_Address(void *place, MPI_Aint *address);
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_hindexed(int count, const int lengths[], const MPI_Aint places[], MPI_Datatype old,
                      MPI_Datatype *type);
int MPI_Type_struct(int count, const int lengths[], const MPI_Aint places[],
                    const MPI_Datatype types[], MPI_Datatype *type);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lower);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *upper);

#ifdef __cplusplus
}
#endif

#endif
