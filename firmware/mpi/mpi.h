/* MPI for C programs on the nodes: a rank is a node.
 *
 * Names, types, numbers and layouts are those of the ABI that MPI 5.0 publishes, so that a compiler
 * finds handles that were mixed up, and nobody has invented a number. What is there of the standard,
 * and how, is in firmware/mpi/README.md. What is not declared here is not there. */
#ifndef MPI_H_ABI
#define MPI_H_ABI

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the standard that most calls are taken from; not all of it is there. */
#define MPI_VERSION 3
#define MPI_SUBVERSION 1
#define MPI_ABI_VERSION 1
#define MPI_ABI_SUBVERSION 0

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef MPI_Offset MPI_Count;

typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5]; /* 0, 1: bytes, low half first; 2: was cancelled */
} MPI_Status;

typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Datatype *MPI_Datatype;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Request *MPI_Request;

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM ((MPI_Op)0x21)
#define MPI_MIN ((MPI_Op)0x22)
#define MPI_MAX ((MPI_Op)0x23)
#define MPI_PROD ((MPI_Op)0x24)
#define MPI_BAND ((MPI_Op)0x28)
#define MPI_BOR ((MPI_Op)0x29)
#define MPI_BXOR ((MPI_Op)0x2a)
#define MPI_LAND ((MPI_Op)0x30)
#define MPI_LOR ((MPI_Op)0x31)
#define MPI_LXOR ((MPI_Op)0x32)
#define MPI_MINLOC ((MPI_Op)0x38)
#define MPI_MAXLOC ((MPI_Op)0x39)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP ((MPI_Op)0x3d)

#define MPI_COMM_NULL ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF ((MPI_Comm)0x102)
#define MPI_GROUP_NULL ((MPI_Group)0x108)
#define MPI_GROUP_EMPTY ((MPI_Group)0x109)
#define MPI_MESSAGE_NULL ((MPI_Message)0x128)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)0x129)
#define MPI_INFO_NULL ((MPI_Info)0x130)
#define MPI_INFO_ENV ((MPI_Info)0x131)
#define MPI_ERRHANDLER_NULL ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_RETURN ((MPI_Errhandler)0x142)
#define MPI_ERRORS_ABORT ((MPI_Errhandler)0x143)
#define MPI_REQUEST_NULL ((MPI_Request)0x180)

#define MPI_DATATYPE_NULL ((MPI_Datatype)0x200)
#define MPI_AINT ((MPI_Datatype)0x201)
#define MPI_COUNT ((MPI_Datatype)0x202)
#define MPI_OFFSET ((MPI_Datatype)0x203)
#define MPI_PACKED ((MPI_Datatype)0x207)
#define MPI_SHORT ((MPI_Datatype)0x208)
#define MPI_INT ((MPI_Datatype)0x209)
#define MPI_LONG ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG ((MPI_Datatype)0x20b)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_UNSIGNED_SHORT ((MPI_Datatype)0x20c)
#define MPI_UNSIGNED ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_FLOAT ((MPI_Datatype)0x210)
#define MPI_C_FLOAT_COMPLEX ((MPI_Datatype)0x212)
#define MPI_C_COMPLEX MPI_C_FLOAT_COMPLEX
#define MPI_CXX_FLOAT_COMPLEX ((MPI_Datatype)0x213)
#define MPI_DOUBLE ((MPI_Datatype)0x214)
#define MPI_C_DOUBLE_COMPLEX ((MPI_Datatype)0x216)
#define MPI_CXX_DOUBLE_COMPLEX ((MPI_Datatype)0x217)
#define MPI_LOGICAL ((MPI_Datatype)0x218)
#define MPI_INTEGER ((MPI_Datatype)0x219)
#define MPI_REAL ((MPI_Datatype)0x21a)
#define MPI_COMPLEX ((MPI_Datatype)0x21b)
#define MPI_DOUBLE_PRECISION ((MPI_Datatype)0x21c)
#define MPI_DOUBLE_COMPLEX ((MPI_Datatype)0x21d)
#define MPI_LONG_DOUBLE ((MPI_Datatype)0x220)
#define MPI_C_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x224)
#define MPI_CXX_LONG_DOUBLE_COMPLEX ((MPI_Datatype)0x225)
#define MPI_FLOAT_INT ((MPI_Datatype)0x228)
#define MPI_DOUBLE_INT ((MPI_Datatype)0x229)
#define MPI_LONG_INT ((MPI_Datatype)0x22a)
#define MPI_2INT ((MPI_Datatype)0x22b)
#define MPI_SHORT_INT ((MPI_Datatype)0x22c)
#define MPI_LONG_DOUBLE_INT ((MPI_Datatype)0x22d)
#define MPI_2INTEGER ((MPI_Datatype)0x232)
#define MPI_C_BOOL ((MPI_Datatype)0x238)
#define MPI_CXX_BOOL ((MPI_Datatype)0x239)
#define MPI_WCHAR ((MPI_Datatype)0x23c)
#define MPI_INT8_T ((MPI_Datatype)0x240)
#define MPI_UINT8_T ((MPI_Datatype)0x241)
#define MPI_CHAR ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR ((MPI_Datatype)0x245)
#define MPI_BYTE ((MPI_Datatype)0x247)
#define MPI_INT16_T ((MPI_Datatype)0x248)
#define MPI_UINT16_T ((MPI_Datatype)0x249)
#define MPI_INT32_T ((MPI_Datatype)0x250)
#define MPI_UINT32_T ((MPI_Datatype)0x251)
#define MPI_INT64_T ((MPI_Datatype)0x258)
#define MPI_UINT64_T ((MPI_Datatype)0x259)

enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT = 2,
    MPI_ERR_TYPE = 3,
    MPI_ERR_TAG = 4,
    MPI_ERR_COMM = 5,
    MPI_ERR_RANK = 6,
    MPI_ERR_REQUEST = 7,
    MPI_ERR_ROOT = 8,
    MPI_ERR_GROUP = 9,
    MPI_ERR_OP = 10,
    MPI_ERR_TOPOLOGY = 11,
    MPI_ERR_DIMS = 12,
    MPI_ERR_ARG = 13,
    MPI_ERR_UNKNOWN = 14,
    MPI_ERR_TRUNCATE = 15,
    MPI_ERR_OTHER = 16,
    MPI_ERR_INTERN = 17,
    MPI_ERR_PENDING = 18,
    MPI_ERR_IN_STATUS = 19,
    MPI_ERR_INFO_KEY = 31,
    MPI_ERR_INFO_NOKEY = 32,
    MPI_ERR_INFO_VALUE = 33,
    MPI_ERR_INFO = 34,
    MPI_ERR_KEYVAL = 36,
    MPI_ERR_NO_MEM = 39,
    MPI_ERR_LASTCODE = 0x3fff
};

#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)1)
#define MPI_STATUS_IGNORE ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_UNWEIGHTED ((int *)10)
#define MPI_WEIGHTS_EMPTY ((int *)11)

#define MPI_MAX_ERROR_STRING 512
#define MPI_MAX_LIBRARY_VERSION_STRING 8192
#define MPI_MAX_OBJECT_NAME 128
#define MPI_MAX_PROCESSOR_NAME 256
#define MPI_BSEND_OVERHEAD 512

enum {
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -2,
    MPI_PROC_NULL = -3,
    MPI_ROOT = -4,
    MPI_UNDEFINED = -32766,

    MPI_THREAD_SINGLE = 0,
    MPI_THREAD_FUNNELED = 1024,
    MPI_THREAD_SERIALIZED = 2048,
    MPI_THREAD_MULTIPLE = 4096,

    MPI_ORDER_C = 0xC,
    MPI_ORDER_FORTRAN = 0xF,
    MPI_DISTRIBUTE_NONE = 16,
    MPI_DISTRIBUTE_BLOCK = 17,
    MPI_DISTRIBUTE_CYCLIC = 18,
    MPI_DISTRIBUTE_DFLT_DARG = 19,

    MPI_COMBINER_NAMED = 101,
    MPI_COMBINER_DUP = 102,
    MPI_COMBINER_CONTIGUOUS = 103,
    MPI_COMBINER_VECTOR = 104,
    MPI_COMBINER_HVECTOR = 105,
    MPI_COMBINER_INDEXED = 106,
    MPI_COMBINER_HINDEXED = 107,
    MPI_COMBINER_INDEXED_BLOCK = 108,
    MPI_COMBINER_HINDEXED_BLOCK = 109,
    MPI_COMBINER_STRUCT = 110,
    MPI_COMBINER_SUBARRAY = 111,
    MPI_COMBINER_DARRAY = 112,
    MPI_COMBINER_F90_INTEGER = 113,
    MPI_COMBINER_F90_REAL = 114,
    MPI_COMBINER_F90_COMPLEX = 115,
    MPI_COMBINER_RESIZED = 116,

    MPI_TYPECLASS_INTEGER = 192,
    MPI_TYPECLASS_REAL = 193,
    MPI_TYPECLASS_COMPLEX = 194,

    MPI_IDENT = 201,
    MPI_CONGRUENT = 202,
    MPI_SIMILAR = 203,
    MPI_UNEQUAL = 204,

    MPI_CART = 211,
    MPI_GRAPH = 212,
    MPI_DIST_GRAPH = 213,
    MPI_COMM_TYPE_SHARED = 221,

    MPI_KEYVAL_INVALID = 0,
    MPI_TAG_UB = 501,
    MPI_IO = 502,
    MPI_HOST = 503,
    MPI_WTIME_IS_GLOBAL = 504,
    MPI_UNIVERSE_SIZE = 505,
    MPI_APPNUM = 506,
    MPI_LASTUSEDCODE = 507
};

typedef void MPI_User_function(void *in, void *inout, int *count, MPI_Datatype *type);

/* Life of the program. */
int MPI_Init(int *argc, char ***argv);
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Finalized(int *flag);
int MPI_Abort(MPI_Comm comm, int code);
int MPI_Get_version(int *version, int *subversion);
int MPI_Get_library_version(char *version, int *length);
int MPI_Get_processor_name(char *name, int *length);
double MPI_Wtime(void);
double MPI_Wtick(void);
int MPI_Query_thread(int *provided);
int MPI_Is_thread_main(int *flag);
int MPI_Pcontrol(const int level, ...);

/* Messages. */
int MPI_Send(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Ssend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Bsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Rsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status *status);
int MPI_Get_count(const MPI_Status *status, MPI_Datatype type, int *count);

/* Messages that a program does not wait for. */
int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Issend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request);
int MPI_Ibsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request);
int MPI_Irsend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request *request);
int MPI_Irecv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request *request);
int MPI_Buffer_attach(void *buffer, int bytes);
int MPI_Buffer_detach(void *buffer, int *bytes);
int MPI_Send_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request);
int MPI_Ssend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Rsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Bsend_init(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request *request);
int MPI_Recv_init(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                  MPI_Request *request);
int MPI_Start(MPI_Request *request);
int MPI_Startall(int count, MPI_Request requests[]);
int MPI_Request_free(MPI_Request *request);
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status);
int MPI_Cancel(MPI_Request *request);
int MPI_Test_cancelled(const MPI_Status *status, int *flag);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]);
int MPI_Waitany(int count, MPI_Request requests[], int *place, MPI_Status *status);
int MPI_Waitsome(int count, MPI_Request requests[], int *done, int places[],
                 MPI_Status statuses[]);
int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status);
int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]);
int MPI_Testany(int count, MPI_Request requests[], int *place, int *flag, MPI_Status *status);
int MPI_Testsome(int count, MPI_Request requests[], int *done, int places[],
                 MPI_Status statuses[]);
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status);
int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status);
int MPI_Improbe(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status);
int MPI_Mrecv(void *data, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status);
int MPI_Imrecv(void *data, int count, MPI_Datatype type, MPI_Message *message,
               MPI_Request *request);
int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                 void *in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                 MPI_Status *status);
int MPI_Sendrecv_replace(void *data, int count, MPI_Datatype type, int to, int out_tag, int from,
                         int in_tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                  void *in, int in_count, MPI_Datatype in_type, int from, int in_tag,
                  MPI_Comm comm, MPI_Request *request);
int MPI_Isendrecv_replace(void *data, int count, MPI_Datatype type, int to, int out_tag, int from,
                          int in_tag, MPI_Comm comm, MPI_Request *request);

/* Requests that the program completes itself. */
typedef int MPI_Grequest_query_function(void *extra, MPI_Status *status);
typedef int MPI_Grequest_free_function(void *extra);
typedef int MPI_Grequest_cancel_function(void *extra, int complete);
int MPI_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free,
                       MPI_Grequest_cancel_function *cancel, void *extra, MPI_Request *request);
int MPI_Grequest_complete(MPI_Request request);

/* Collectives. */
int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm);
int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm);
int MPI_Reduce_local(const void *left, void *right, int count, MPI_Datatype type, MPI_Op op);
int MPI_Scan(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Exscan(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op,
               MPI_Comm comm);
int MPI_Reduce_scatter(const void *mine, void *part, const int counts[], MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *mine, void *part, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm);
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op);
int MPI_Op_free(MPI_Op *op);
int MPI_Op_commutative(MPI_Op op, int *commutes);
int MPI_Gather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
               MPI_Datatype all_type, int root, MPI_Comm comm);
int MPI_Gatherv(const void *mine, int count, MPI_Datatype type, void *all, const int counts[],
                const int places[], MPI_Datatype all_type, int root, MPI_Comm comm);
int MPI_Scatter(const void *all, int all_count, MPI_Datatype all_type, void *mine, int count,
                MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Scatterv(const void *all, const int counts[], const int places[], MPI_Datatype all_type,
                 void *mine, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allgather(const void *mine, int count, MPI_Datatype type, void *all, int all_count,
                  MPI_Datatype all_type, MPI_Comm comm);
int MPI_Allgatherv(const void *mine, int count, MPI_Datatype type, void *all, const int counts[],
                   const int places[], MPI_Datatype all_type, MPI_Comm comm);
int MPI_Alltoall(const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                 MPI_Datatype in_type, MPI_Comm comm);
int MPI_Alltoallv(const void *out, const int out_counts[], const int out_places[],
                  MPI_Datatype out_type, void *in, const int in_counts[], const int in_places[],
                  MPI_Datatype in_type, MPI_Comm comm);
int MPI_Alltoallw(const void *out, const int out_counts[], const int out_places[],
                  const MPI_Datatype out_types[], void *in, const int in_counts[],
                  const int in_places[], const MPI_Datatype in_types[], MPI_Comm comm);

/* Types. */
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old,
                            MPI_Datatype *type);
int MPI_Type_indexed(int count, const int lengths[], const int places[], MPI_Datatype old,
                     MPI_Datatype *type);
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint places[],
                             MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_create_indexed_block(int count, int length, const int places[], MPI_Datatype old,
                                  MPI_Datatype *type);
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint places[],
                           const MPI_Datatype types[], MPI_Datatype *type);
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lower, MPI_Aint extent,
                            MPI_Datatype *type);
int MPI_Type_create_subarray(int dimensions, const int sizes[], const int parts[],
                             const int starts[], int order, MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_dup(MPI_Datatype old, MPI_Datatype *type);
int MPI_Type_commit(MPI_Datatype *type);
int MPI_Type_free(MPI_Datatype *type);
int MPI_Type_size(MPI_Datatype type, int *size);
int MPI_Type_get_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent);
int MPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint *lower, MPI_Aint *extent);
int MPI_Get_address(const void *place, MPI_Aint *address);
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint more);
MPI_Aint MPI_Aint_diff(MPI_Aint one, MPI_Aint other);
int MPI_Get_elements(const MPI_Status *status, MPI_Datatype type, int *count);
int MPI_Pack(const void *data, int count, MPI_Datatype type, void *into, int room, int *place,
             MPI_Comm comm);
int MPI_Unpack(const void *from, int room, int *place, void *data, int count, MPI_Datatype type,
               MPI_Comm comm);
int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *bytes);

/* Communicators. */
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *copy);
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *copy);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *part);
int MPI_Comm_split_type(MPI_Comm comm, int kind, int key, MPI_Info info, MPI_Comm *part);
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *part);
int MPI_Comm_free(MPI_Comm *comm);
int MPI_Comm_disconnect(MPI_Comm *comm);
int MPI_Comm_get_parent(MPI_Comm *parent);
int MPI_Comm_group(MPI_Comm comm, MPI_Group *group);
int MPI_Comm_compare(MPI_Comm one, MPI_Comm other, int *result);
int MPI_Comm_test_inter(MPI_Comm comm, int *flag);

/* Groups. */
int MPI_Group_size(MPI_Group group, int *size);
int MPI_Group_rank(MPI_Group group, int *rank);
int MPI_Group_free(MPI_Group *group);
int MPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group *part);
int MPI_Group_excl(MPI_Group group, int count, const int ranks[], MPI_Group *part);
int MPI_Group_range_incl(MPI_Group group, int count, int ranges[][3], MPI_Group *part);
int MPI_Group_range_excl(MPI_Group group, int count, int ranges[][3], MPI_Group *part);
int MPI_Group_union(MPI_Group one, MPI_Group other, MPI_Group *both);
int MPI_Group_intersection(MPI_Group one, MPI_Group other, MPI_Group *both);
int MPI_Group_difference(MPI_Group one, MPI_Group other, MPI_Group *rest);
int MPI_Group_translate_ranks(MPI_Group one, int count, const int ranks[], MPI_Group other,
                              int others[]);
int MPI_Group_compare(MPI_Group one, MPI_Group other, int *result);

/* Grids. */
int MPI_Dims_create(int nodes, int dimensions, int sizes[]);
int MPI_Cart_create(MPI_Comm comm, int dimensions, const int sizes[], const int periods[],
                    int reorder, MPI_Comm *grid);
int MPI_Cart_map(MPI_Comm comm, int dimensions, const int sizes[], const int periods[], int *rank);
int MPI_Topo_test(MPI_Comm comm, int *kind);
int MPI_Cartdim_get(MPI_Comm comm, int *dimensions);
int MPI_Cart_get(MPI_Comm comm, int most, int sizes[], int periods[], int coordinates[]);
int MPI_Cart_rank(MPI_Comm comm, const int coordinates[], int *rank);
int MPI_Cart_coords(MPI_Comm comm, int rank, int most, int coordinates[]);
int MPI_Cart_shift(MPI_Comm comm, int dimension, int distance, int *from, int *to);
int MPI_Cart_sub(MPI_Comm comm, const int stay[], MPI_Comm *part);

#ifdef __cplusplus
}
#endif

#include "mpi_groups.h"
#include "mpi_nonblocking.h"
#include "mpi_objects.h"
#include "mpi_topologies.h"
#include "mpi_types.h"
#include "mpi_windows.h"

#include "mpi_former.h" /* with types of the one above */

#endif
