/* Types and constants of what a program hangs on the objects of MPI: attributes, names, error
 * handlers, info. A part of mpi.h, which includes it. */
#ifndef MPI_OBJECTS_H
#define MPI_OBJECTS_H

#define MPI_MAX_INFO_KEY 256
#define MPI_MAX_INFO_VAL 1024

/* Functions of keys: one is asked for a copy of a value (`flag`: 0 for none), the other is told that
 * a value goes. A code other than MPI_SUCCESS is the error of the call. MPI 4.1, 7.7. */
typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int key, void *extra, void *value,
                                        void *copied, int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int key, void *value, void *extra);
typedef int MPI_Type_copy_attr_function(MPI_Datatype type, int key, void *extra, void *value,
                                        void *copied, int *flag);
typedef int MPI_Type_delete_attr_function(MPI_Datatype type, int key, void *value, void *extra);

/* Error handlers of the program's own, with the object of the call and the error. MPI 4.1, 9.3. */
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);
typedef void MPI_Session_errhandler_function(MPI_Session *session, int *code, ...);

#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function *)1)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_DUP_FN ((MPI_Type_copy_attr_function *)1)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)

/* Failures, as ULFM has them: no numbers of the standard yet, so those of MPICH. */
#define MPIX_ERR_PROC_FAILED 101
#define MPIX_ERR_PROC_FAILED_PENDING 102
#define MPIX_ERR_REVOKED 103

/* Names of MPI-1, which many programs still have. */
typedef MPI_Comm_copy_attr_function MPI_Copy_function;
typedef MPI_Comm_delete_attr_function MPI_Delete_function;
typedef MPI_Comm_errhandler_function MPI_Handler_function;

#define MPI_NULL_COPY_FN ((MPI_Copy_function *)0)
#define MPI_DUP_FN ((MPI_Copy_function *)1)
#define MPI_NULL_DELETE_FN ((MPI_Delete_function *)0)

#endif
