/* Windows: memory that other ranks read and change. A part of mpi.h, which includes it. */
#ifndef MPI_WINDOWS_H
#define MPI_WINDOWS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MPI_ABI_Win *MPI_Win;
#define MPI_WIN_NULL ((MPI_Win)0x110)

enum {
    MPI_MODE_NOCHECK = 1024,
    MPI_MODE_NOPRECEDE = 2048,
    MPI_MODE_NOPUT = 4096,
    MPI_MODE_NOSTORE = 8192,
    MPI_MODE_NOSUCCEED = 16384,

    MPI_LOCK_EXCLUSIVE = 301,
    MPI_LOCK_SHARED = 302,
    MPI_WIN_FLAVOR_CREATE = 311,
    MPI_WIN_FLAVOR_ALLOCATE = 312,
    MPI_WIN_FLAVOR_DYNAMIC = 313,
    MPI_WIN_FLAVOR_SHARED = 314,
    MPI_WIN_UNIFIED = 321,
    MPI_WIN_SEPARATE = 322,

    MPI_WIN_BASE = 601,
    MPI_WIN_DISP_UNIT = 602,
    MPI_WIN_SIZE = 603,
    MPI_WIN_CREATE_FLAVOR = 604,
    MPI_WIN_MODEL = 605,

    MPI_ERR_ASSERT = 22,
    MPI_ERR_BASE = 24,
    MPI_ERR_DISP = 26,
    MPI_ERR_LOCKTYPE = 37,
    MPI_ERR_RMA_ATTACH = 46,
    MPI_ERR_RMA_CONFLICT = 47,
    MPI_ERR_RMA_RANGE = 48,
    MPI_ERR_RMA_SHARED = 49,
    MPI_ERR_RMA_SYNC = 50,
    MPI_ERR_SIZE = 52,
    MPI_ERR_WIN = 56,
    MPI_ERR_RMA_FLAVOR = 57
};

typedef int MPI_Win_copy_attr_function(MPI_Win win, int key, void *extra, void *value, void *copied,
                                       int *flag);
typedef int MPI_Win_delete_attr_function(MPI_Win win, int key, void *value, void *extra);
typedef void MPI_Win_errhandler_function(MPI_Win *win, int *code, ...);
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_DUP_FN ((MPI_Win_copy_attr_function *)1)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)

/* Life. */
int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void *memory);
int MPI_Free_mem(void *memory);
int MPI_Win_create(void *memory, MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm,
                   MPI_Win *win);
int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory,
                     MPI_Win *win);
int MPI_Win_allocate_shared(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void *memory,
                            MPI_Win *win);
int MPI_Win_shared_query(MPI_Win win, int rank, MPI_Aint *bytes, int *unit, void *memory);
int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win);
int MPI_Win_attach(MPI_Win win, void *memory, MPI_Aint bytes);
int MPI_Win_detach(MPI_Win win, const void *memory);
int MPI_Win_free(MPI_Win *win);
int MPI_Win_get_group(MPI_Win win, MPI_Group *group);

/* Operations. */
int MPI_Put(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place,
            int target_count, MPI_Datatype target_type, MPI_Win win);
int MPI_Get(void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
            MPI_Datatype target_type, MPI_Win win);
int MPI_Accumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place,
                   int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Get_accumulate(const void *data, int count, MPI_Datatype type, void *result,
                       int result_count, MPI_Datatype result_type, int target, MPI_Aint place,
                       int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win);
int MPI_Fetch_and_op(const void *data, void *result, MPI_Datatype type, int target, MPI_Aint place,
                     MPI_Op op, MPI_Win win);
int MPI_Compare_and_swap(const void *data, const void *compared, void *result, MPI_Datatype type,
                         int target, MPI_Aint place, MPI_Win win);
int MPI_Rput(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place,
             int target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Rget(void *data, int count, MPI_Datatype type, int target, MPI_Aint place, int target_count,
             MPI_Datatype target_type, MPI_Win win, MPI_Request *request);
int MPI_Raccumulate(const void *data, int count, MPI_Datatype type, int target, MPI_Aint place,
                    int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                    MPI_Request *request);
int MPI_Rget_accumulate(const void *data, int count, MPI_Datatype type, void *result,
                        int result_count, MPI_Datatype result_type, int target, MPI_Aint place,
                        int target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
                        MPI_Request *request);

/* When they may begin, and when they are done. */
int MPI_Win_fence(int claims, MPI_Win win);
int MPI_Win_post(MPI_Group group, int claims, MPI_Win win);
int MPI_Win_start(MPI_Group group, int claims, MPI_Win win);
int MPI_Win_complete(MPI_Win win);
int MPI_Win_wait(MPI_Win win);
int MPI_Win_test(MPI_Win win, int *flag);
int MPI_Win_lock(int kind, int target, int claims, MPI_Win win);
int MPI_Win_unlock(int target, MPI_Win win);
int MPI_Win_lock_all(int claims, MPI_Win win);
int MPI_Win_unlock_all(MPI_Win win);
int MPI_Win_flush(int target, MPI_Win win);
int MPI_Win_flush_all(MPI_Win win);
int MPI_Win_flush_local(int target, MPI_Win win);
int MPI_Win_flush_local_all(MPI_Win win);
int MPI_Win_sync(MPI_Win win);

/* What a program hangs on them. */
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *drop,
                          int *key, void *extra);
int MPI_Win_free_keyval(int *key);
int MPI_Win_set_attr(MPI_Win win, int key, void *value);
int MPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag);
int MPI_Win_delete_attr(MPI_Win win, int key);
int MPI_Win_set_name(MPI_Win win, const char *name);
int MPI_Win_get_name(MPI_Win win, char *name, int *length);
int MPI_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *handler);
int MPI_Win_set_errhandler(MPI_Win win, MPI_Errhandler handler);
int MPI_Win_get_errhandler(MPI_Win win, MPI_Errhandler *handler);
int MPI_Win_call_errhandler(MPI_Win win, int code);
int MPI_Win_set_info(MPI_Win win, MPI_Info info);
int MPI_Win_get_info(MPI_Win win, MPI_Info *info);

#ifdef __cplusplus
}
#endif

#endif
