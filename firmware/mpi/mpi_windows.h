/* Windows: memory that other ranks read and change. A part of mpi.h, which includes it. */
#ifndef MPI_WINDOWS_H
#define MPI_WINDOWS_H

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

/* The same functions as for communicators (mpi_objects.h). */
typedef int MPI_Win_copy_attr_function(MPI_Win win, int key, void *extra, void *value, void *copied,
                                       int *flag);
typedef int MPI_Win_delete_attr_function(MPI_Win win, int key, void *value, void *extra);
typedef void MPI_Win_errhandler_function(MPI_Win *win, int *code, ...);
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_DUP_FN ((MPI_Win_copy_attr_function *)1)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)

#endif
