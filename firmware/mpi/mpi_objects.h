/* What a program hangs on the objects of MPI: attributes, names, error handlers, codes of errors
 * of its own, and info. A part of mpi.h, which includes it. */
#ifndef MPI_OBJECTS_H
#define MPI_OBJECTS_H

#ifdef __cplusplus
extern "C" {
#endif

#define MPI_MAX_INFO_KEY 256
#define MPI_MAX_INFO_VAL 1024

typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int key, void *extra, void *value,
                                        void *copied, int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int key, void *value, void *extra);
typedef int MPI_Type_copy_attr_function(MPI_Datatype type, int key, void *extra, void *value,
                                        void *copied, int *flag);
typedef int MPI_Type_delete_attr_function(MPI_Datatype type, int key, void *value, void *extra);
typedef void MPI_Comm_errhandler_function(MPI_Comm *comm, int *code, ...);

#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function *)1)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_DUP_FN ((MPI_Type_copy_attr_function *)1)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)

/* Attributes. `value` of a get is the address of a pointer. */
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *drop,
                           int *key, void *extra);
int MPI_Comm_free_keyval(int *key);
int MPI_Comm_set_attr(MPI_Comm comm, int key, void *value);
int MPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *flag);
int MPI_Comm_delete_attr(MPI_Comm comm, int key);
int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *drop,
                           int *key, void *extra);
int MPI_Type_free_keyval(int *key);
int MPI_Type_set_attr(MPI_Datatype type, int key, void *value);
int MPI_Type_get_attr(MPI_Datatype type, int key, void *value, int *flag);
int MPI_Type_delete_attr(MPI_Datatype type, int key);

/* Names. */
int MPI_Comm_set_name(MPI_Comm comm, const char *name);
int MPI_Comm_get_name(MPI_Comm comm, char *name, int *length);
int MPI_Type_set_name(MPI_Datatype type, const char *name);
int MPI_Type_get_name(MPI_Datatype type, char *name, int *length);

/* Errors. */
int MPI_Error_string(int code, char *text, int *length);
int MPI_Error_class(int code, int *error_class);
int MPI_Add_error_class(int *error_class);
int MPI_Add_error_code(int error_class, int *code);
int MPI_Add_error_string(int code, const char *text);
int MPI_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *handler);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *handler);
int MPI_Comm_call_errhandler(MPI_Comm comm, int code);
int MPI_Errhandler_free(MPI_Errhandler *handler);

/* Info. */
int MPI_Info_create(MPI_Info *info);
int MPI_Info_free(MPI_Info *info);
int MPI_Info_dup(MPI_Info info, MPI_Info *copy);
int MPI_Info_set(MPI_Info info, const char *key, const char *value);
int MPI_Info_delete(MPI_Info info, const char *key);
int MPI_Info_get(MPI_Info info, const char *key, int length, char *value, int *flag);
int MPI_Info_get_string(MPI_Info info, const char *key, int *room, char *value, int *flag);
int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *length, int *flag);
int MPI_Info_get_nkeys(MPI_Info info, int *count);
int MPI_Info_get_nthkey(MPI_Info info, int number, char *key);
int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info);
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info);

#ifdef __cplusplus
}
#endif

#endif
