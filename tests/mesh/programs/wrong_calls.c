/* Wrong calls of MPI, each with a name. With a name as its word the program makes that call, whose
 * error ends the run; without, it makes all of them, and tells the class of the error of each. */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

static int rank, number = 1, other = 1, flag, many[4];
static const int nine = 9, huge[2] = {1 << 29, 1 << 29};
static const MPI_Aint places[2] = {0, 4};
static const MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
static MPI_Comm comm;
static MPI_Group group;
static MPI_Datatype type;
static MPI_Op op;
static MPI_Request request;
static MPI_Errhandler handler;
static MPI_Info info;
static MPI_Message message;
static MPI_Win win;
static MPI_Session session;
static char text[300];
static int place, before = -4;
static MPI_Aint far, far_before = -4;
static const int zeros[3] = {0, 0, 0}, ones[3] = {1, 1, 1}, cube[3] = {INT_MAX, INT_MAX, INT_MAX};
static const int ends[2] = {1, 2}, far_edges[2] = {1, -7};
static int ranges[2][3] = {{0, 1, 1}, {1, 0, -1}};

static void add(void *in, void *inout, int *count, MPI_Datatype *its) {}
static void handle(MPI_Comm *its, int *code, ...) {}

/* Each gives a handle that was freed, and makes another object, which may have its memory. */
static MPI_Comm freed_comm(void) {
    MPI_Comm next, mine;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    mine = comm;
    MPI_Comm_free(&mine);
    MPI_Comm_dup(MPI_COMM_SELF, &next);
    return comm;
}
static MPI_Group freed_group(void) {
    static const int zero = 0;
    MPI_Group all, mine;
    MPI_Comm_group(WORLD, &all);
    MPI_Group_incl(all, 1, &zero, &group);
    mine = group;
    MPI_Group_free(&mine);
    MPI_Group_incl(all, 1, &zero, &mine);
    MPI_Group_free(&all);
    return group;
}
static MPI_Datatype freed_type(void) {
    MPI_Datatype next, mine;
    MPI_Type_contiguous(2, MPI_INT, &type);
    MPI_Type_commit(&type);
    mine = type;
    MPI_Type_free(&mine);
    MPI_Type_contiguous(2, MPI_INT, &next);
    MPI_Type_commit(&next);
    return type;
}
static int struct_of(int length, MPI_Datatype first, MPI_Datatype second) {
    const int lengths[2] = {1, length};
    const MPI_Datatype members[2] = {first, second};
    MPI_Datatype made = MPI_DATATYPE_NULL;
    const int code = MPI_Type_create_struct(2, lengths, places, members, &made);
    return made == MPI_DATATYPE_NULL ? code : MPI_SUCCESS;
}
static MPI_Op freed_op(void) {
    MPI_Op mine;
    MPI_Op_create(add, 1, &op);
    mine = op;
    MPI_Op_free(&mine);
    MPI_Op_create(add, 1, &mine);
    return op;
}
static MPI_Request *ended_request(void) {
    MPI_Request mine;
    MPI_Irecv(&other, 1, MPI_INT, rank, 0, WORLD, &mine);
    request = mine;
    MPI_Send(&number, 1, MPI_INT, rank, 0, WORLD);
    MPI_Wait(&mine, MPI_STATUS_IGNORE);
    MPI_Send_init(&number, 1, MPI_INT, rank, 0, WORLD, &mine);
    return &request;
}
static MPI_Errhandler freed_handler(void) {
    MPI_Errhandler mine;
    MPI_Comm_create_errhandler(handle, &handler);
    mine = handler;
    MPI_Errhandler_free(&mine);
    MPI_Comm_create_errhandler(handle, &mine);
    return handler;
}
static MPI_Info freed_info(void) {
    MPI_Info mine;
    MPI_Info_create(&info);
    mine = info;
    MPI_Info_free(&mine);
    MPI_Info_create(&mine);
    return info;
}
static MPI_Message *ended_message(void) {
    MPI_Message mine;
    MPI_Send(&number, 1, MPI_INT, rank, 0, WORLD);
    MPI_Mprobe(rank, 0, WORLD, &mine, MPI_STATUS_IGNORE);
    message = mine;
    MPI_Mrecv(&other, 1, MPI_INT, &mine, MPI_STATUS_IGNORE);
    return &message;
}
static MPI_Win freed_win(void) {
    MPI_Win mine;
    MPI_Win_create(&number, 4, 4, MPI_INFO_NULL, MPI_COMM_SELF, &mine);
    win = mine;
    MPI_Win_free(&mine);
    return win;
}
static int freed_key(void) {
    int mine, key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    mine = key;
    MPI_Comm_free_keyval(&mine);
    return key;
}
static int key_of_types(void) {
    int key;
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    return key;
}
#define WILD(type) ((type)0x5a5a5a5a)
#define IN_USE(type) ((type)used_info())
static MPI_Info used_info(void) {
    MPI_Info_create(&info);
    return info;
}

/* What is freed once more than the program has handles of it. */
static int group_twice(void) {
    MPI_Group one, two;
    MPI_Comm_group(WORLD, &one);
    two = one;
    MPI_Group_free(&one);
    return MPI_Group_free(&two);
}
static int type_twice(void) {
    freed_type();
    return MPI_Type_free(&type);
}
static int comm_twice(void) {
    freed_comm();
    return MPI_Comm_free(&comm);
}
static int op_twice(void) {
    freed_op();
    return MPI_Op_free(&op);
}
static int info_twice(void) {
    freed_info();
    return MPI_Info_free(&info);
}
static int handler_twice(void) {
    freed_handler();
    return MPI_Errhandler_free(&handler);
}
static int win_twice(void) {
    freed_win();
    return MPI_Win_free(&win);
}
static int key_twice(void) {
    int key = freed_key();
    return MPI_Comm_free_keyval(&key);
}
static int standard_type(void) {
    type = MPI_INT;
    return MPI_Type_free(&type);
}
static int standard_op(void) {
    op = MPI_SUM;
    return MPI_Op_free(&op);
}

static MPI_Errhandler handler_of(MPI_Comm its) {
    MPI_Comm_get_errhandler(its, &handler);
    return handler;
}
static MPI_Group world_group(void) {
    MPI_Comm_group(WORLD, &group);
    return group;
}
static int not_persistent(void) {
    MPI_Irecv(&other, 1, MPI_INT, rank, 9, WORLD, &request);
    return MPI_Start(&request);
}

static const char *long_key(void) {
    memset(text, 'k', 256);
    return text;
}
static MPI_Comm ring(void) {
    const int nodes = 2, round = 1;
    MPI_Cart_create(WORLD, 1, &nodes, &round, 0, &comm);
    MPI_Comm_set_errhandler(comm, handler_of(WORLD));
    return comm;
}
static int dist_graph(int degree, int to) {
    return MPI_Dist_graph_create(WORLD, 1, &rank, &degree, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &comm);
}
static int dealt_out(int dimensions, int order) {
    static const int blocks[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK};
    static const int usual[3] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                                 MPI_DISTRIBUTE_DFLT_DARG};
    const int eight = 8;
    return MPI_Type_create_darray(1, 0, dimensions, dimensions == 1 ? &eight : cube, blocks, usual,
                                  ones, order, MPI_INT, &type);
}
static int floats_swapped(void) {
    double here = 1, mine = 2, result;
    MPI_Win_create(&here, 8, 8, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_set_errhandler(win, handler_of(WORLD));
    MPI_Win_fence(0, win);
    return MPI_Compare_and_swap(&mine, &mine, &result, MPI_DOUBLE, 0, 0, win);
}

#define CALLS                                                                                      \
    CALL(freed_comm, MPI_Barrier(freed_comm()))                                                    \
    CALL(null_comm, MPI_Barrier(MPI_COMM_NULL))                                                    \
    CALL(no_comm, MPI_Comm_rank((MPI_Comm)0, &number))                                             \
    CALL(wild_comm, MPI_Send(&number, 1, MPI_INT, rank, 0, WILD(MPI_Comm)))                        \
    CALL(other_comm, MPI_Comm_rank(IN_USE(MPI_Comm), &number))                                     \
    CALL(constant_comm, MPI_Comm_rank((MPI_Comm)MPI_INT, &number))                                 \
    CALL(comm_twice, comm_twice())                                                                 \
    CALL(freed_group, MPI_Group_size(freed_group(), &number))                                      \
    CALL(null_group, MPI_Comm_create(WORLD, MPI_GROUP_NULL, &comm))                                \
    CALL(wild_group, MPI_Group_rank(WILD(MPI_Group), &number))                                     \
    CALL(other_group, MPI_Group_rank(IN_USE(MPI_Group), &number))                                  \
    CALL(group_twice, group_twice())                                                               \
    CALL(freed_type, MPI_Send(&number, 1, freed_type(), rank, 0, WORLD))                           \
    CALL(freed_type_made, MPI_Type_contiguous(2, freed_type(), &type))                             \
    CALL(freed_member, struct_of(1, MPI_INT, freed_type()))                                        \
    CALL(freed_first_member, struct_of(1, freed_type(), MPI_INT))                                  \
    CALL(low_length, struct_of(-1, MPI_INT, MPI_INT))                                              \
    CALL(null_type, MPI_Bcast(&number, 1, MPI_DATATYPE_NULL, 0, WORLD))                            \
    CALL(wild_type, MPI_Type_size(WILD(MPI_Datatype), &number))                                    \
    CALL(other_type, MPI_Type_size(IN_USE(MPI_Datatype), &number))                                 \
    CALL(type_twice, type_twice())                                                                 \
    CALL(standard_type, standard_type())                                                           \
    CALL(freed_op, MPI_Allreduce(&number, &other, 1, MPI_INT, freed_op(), WORLD))                  \
    CALL(null_op, MPI_Reduce(&number, &other, 1, MPI_INT, MPI_OP_NULL, 0, WORLD))                  \
    CALL(wild_op, MPI_Scan(&number, &other, 1, MPI_INT, WILD(MPI_Op), WORLD))                      \
    CALL(op_twice, op_twice())                                                                     \
    CALL(standard_op, standard_op())                                                               \
    CALL(ended_request, MPI_Wait(ended_request(), MPI_STATUS_IGNORE))                              \
    CALL(ended_requests, MPI_Waitall(1, ended_request(), MPI_STATUSES_IGNORE))                     \
    CALL(tested_request, MPI_Test(ended_request(), &flag, MPI_STATUS_IGNORE))                      \
    CALL(wild_request, (request = WILD(MPI_Request), MPI_Wait(&request, MPI_STATUS_IGNORE)))       \
    CALL(null_request, (request = MPI_REQUEST_NULL, MPI_Request_free(&request)))                   \
    CALL(started_request, MPI_Start(ended_request()))                                              \
    CALL(freed_handler, MPI_Comm_set_errhandler(MPI_COMM_SELF, freed_handler()))                   \
    CALL(null_handler, MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL))                \
    CALL(handler_twice, handler_twice())                                                           \
    CALL(freed_info, MPI_Info_set(freed_info(), "a", "b"))                                         \
    CALL(null_info, MPI_Info_get_nkeys(MPI_INFO_NULL, &number))                                    \
    CALL(info_twice, info_twice())                                                                 \
    CALL(ended_message, MPI_Mrecv(&number, 1, MPI_INT, ended_message(), MPI_STATUS_IGNORE))        \
    CALL(freed_win, MPI_Win_fence(0, freed_win()))                                                 \
    CALL(null_win, MPI_Win_fence(0, MPI_WIN_NULL))                                                 \
    CALL(comm_as_win, MPI_Win_fence(0, (MPI_Win)IN_USE(MPI_Win)))                                  \
    CALL(win_twice, win_twice())                                                                   \
    CALL(freed_key, MPI_Comm_set_attr(MPI_COMM_SELF, freed_key(), NULL))                           \
    CALL(no_key, MPI_Comm_set_attr(MPI_COMM_SELF, MPI_KEYVAL_INVALID, NULL))                       \
    CALL(key_twice, key_twice())                                                                   \
    CALL(key_of_types, MPI_Comm_set_attr(MPI_COMM_SELF, key_of_types(), NULL))                     \
    CALL(high_rank, MPI_Send(&number, 1, MPI_INT, 2, 0, WORLD))                                    \
    CALL(low_rank, MPI_Recv(&number, 1, MPI_INT, -7, 0, WORLD, MPI_STATUS_IGNORE))                 \
    CALL(any_rank, MPI_Isend(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, &request))             \
    CALL(low_tag, MPI_Send(&number, 1, MPI_INT, rank, -3, WORLD))                                  \
    CALL(low_count, MPI_Bcast(&number, -1, MPI_INT, 0, WORLD))                                     \
    CALL(high_root, MPI_Bcast(&number, 1, MPI_INT, 9, WORLD))                                      \
    CALL(rank_of_group, MPI_Group_incl(world_group(), 1, &nine, &group))                           \
    CALL(null_sent, MPI_Send(NULL, 1, MPI_INT, rank, 0, WORLD))                                    \
    CALL(null_received, MPI_Irecv(NULL, 1, MPI_INT, rank, 0, WORLD, &request))                     \
    CALL(null_broadcast, MPI_Bcast(NULL, 1, MPI_INT, 0, WORLD))                                    \
    CALL(null_gathered, MPI_Gather(&number, 1, MPI_INT, NULL, 1, MPI_INT, 0, MPI_COMM_SELF))       \
    CALL(null_scattered, MPI_Scatter(NULL, 1, MPI_INT, &number, 1, MPI_INT, 0, MPI_COMM_SELF))     \
    CALL(null_reduced, MPI_Reduce(&number, NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_SELF))           \
    CALL(null_all, MPI_Alltoall(&number, 1, MPI_INT, NULL, 1, MPI_INT, WORLD))                     \
    CALL(one_reduced, MPI_Allreduce(&number, &number, 1, MPI_INT, MPI_SUM, WORLD))                 \
    CALL(one_scanned, MPI_Scan(&number, &number, 1, MPI_INT, MPI_SUM, WORLD))                      \
    CALL(overlapping, MPI_Allreduce(many, many + 1, 2, MPI_INT, MPI_SUM, WORLD))                   \
    CALL(one_gathered, MPI_Allgather(many + rank, 1, MPI_INT, many, 1, MPI_INT, WORLD))            \
    CALL(one_exchanged, MPI_Alltoall(many, 1, MPI_INT, many, 1, MPI_INT, WORLD))                   \
    CALL(one_scattered, MPI_Scatter(many, 1, MPI_INT, many, 1, MPI_INT, 0, MPI_COMM_SELF))         \
    CALL(own_size, MPI_Gather(many, 2, MPI_INT, many + 2, 1, MPI_INT, 0, MPI_COMM_SELF))           \
    CALL(much_sent, MPI_Send(many, 1 << 30, MPI_DOUBLE, rank, 0, WORLD))                           \
    CALL(much_reduced, MPI_Allreduce(many, many, 1 << 30, MPI_DOUBLE, MPI_SUM, WORLD))             \
    CALL(large_type, MPI_Type_contiguous((1 << 29) + 1, MPI_DOUBLE, &type))                        \
    CALL(large_vector, MPI_Type_vector(70000, 70000, 70000, MPI_INT, &type))                       \
    CALL(large_struct, MPI_Type_create_struct(2, huge, places, ints, &type))                       \
    CALL(packed_size, MPI_Pack_size(1 << 30, MPI_INT, WORLD, &number))                             \
    CALL(no_place, MPI_Comm_rank(WORLD, NULL))                                                     \
    CALL(no_place_dup, MPI_Comm_dup(WORLD, NULL))                                                  \
    CALL(no_place_type, MPI_Type_contiguous(2, MPI_INT, NULL))                                     \
    CALL(no_place_request, MPI_Irecv(&number, 1, MPI_INT, rank, 0, WORLD, NULL))                   \
    CALL(no_requests, MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE))                                   \
    CALL(no_place_later, MPI_Ibarrier(WORLD, NULL))                                                \
    CALL(not_persistent, not_persistent())                                                         \
    CALL(bytes_added, MPI_Allreduce(&number, &other, 4, MPI_BYTE, MPI_SUM, WORLD))                 \
    CALL(bytes_and, MPI_Allreduce(&number, &other, 4, MPI_BYTE, MPI_LAND, WORLD))                  \
    CALL(twice_left_out, MPI_Group_excl(world_group(), 2, zeros, &group))                          \
    CALL(twice_in_ranges, MPI_Group_range_incl(world_group(), 2, ranges, &group))                  \
    CALL(twice_in_left_out, MPI_Group_range_excl(world_group(), 2, ranges, &group))                \
    CALL(other_members, MPI_Comm_create(MPI_COMM_SELF, world_group(), &comm))                      \
    CALL(no_function, MPI_Op_create(NULL, 1, &op))                                                 \
    CALL(no_handling, MPI_Comm_create_errhandler(NULL, &handler))                                  \
    CALL(no_questions, MPI_Grequest_start(NULL, NULL, NULL, NULL, &request))                       \
    CALL(handler_of_session, MPI_Session_init(MPI_INFO_NULL, freed_handler(), &session))           \
    CALL(handler_of_group, MPI_Comm_create_from_group(world_group(), "all", MPI_INFO_NULL,         \
         freed_handler(), &comm))                                                                  \
    CALL(low_room, MPI_Info_get(used_info(), "key", -1, text, &flag))                              \
    CALL(long_key, MPI_Info_set(used_info(), long_key(), "value"))                                 \
    CALL(null_packed, MPI_Pack(NULL, 1, MPI_INT, many, 16, &place, WORLD))                         \
    CALL(null_unpacked, MPI_Unpack(many, 16, &place, NULL, 1, MPI_INT, WORLD))                     \
    CALL(null_packed_outside, MPI_Pack_external("external32", NULL, 1, MPI_INT, many, 16, &far))   \
    CALL(packed_before, MPI_Pack(&number, 1, MPI_INT, many + 1, 12, &before, WORLD))               \
    CALL(unpacked_before, MPI_Unpack(many + 1, 12, &before, &number, 1, MPI_INT, WORLD))           \
    CALL(packed_outside_before, MPI_Pack_external("external32", &number, 1, MPI_INT, many + 1,     \
         12, &far_before))                                                                         \
    CALL(edge_of_graph, MPI_Graph_create(WORLD, 2, ends, far_edges, 0, &comm))                     \
    CALL(ends_of_graph, MPI_Graph_create(WORLD, 2, far_edges, ends, 0, &comm))                     \
    CALL(low_degree, dist_graph(-1, 0))                                                            \
    CALL(high_edge, dist_graph(1, 9))                                                              \
    CALL(no_place_bound, MPI_Type_ub(MPI_INT, NULL))                                               \
    CALL(no_place_status, MPI_Status_set_elements(NULL, MPI_INT, 1))                               \
    CALL(low_requests, MPI_Waitany(-1, &request, &number, MPI_STATUS_IGNORE))                      \
    CALL(low_starts, MPI_Startall(-1, &request))                                                   \
    CALL(no_starts, MPI_Startall(2, NULL))                                                         \
    CALL(far_vector, MPI_Type_create_hvector(3, 1, PTRDIFF_MAX, MPI_INT, &type))                   \
    CALL(far_resized, MPI_Type_create_resized(MPI_INT, PTRDIFF_MAX, 1, &type))                     \
    CALL(far_array, MPI_Type_create_subarray(3, cube, ones, zeros, MPI_ORDER_C, MPI_INT, &type))   \
    CALL(other_order, dealt_out(1, 77))                                                            \
    CALL(far_dealt_out, dealt_out(3, MPI_ORDER_C))                                                 \
    CALL(low_neighbors, MPI_Neighbor_allgather(many, -1, MPI_INT, many, 1, MPI_INT, ring()))       \
    CALL(null_neighbors, MPI_Neighbor_allgather(many, 1, MPI_INT, NULL, 1, MPI_INT, ring()))       \
    CALL(floats_swapped, floats_swapped())

static const char *const names[] = {
#define CALL(name, call) #name,
    CALLS
#undef CALL
};
enum { COUNT = sizeof names / sizeof *names };

static int make(int which) {
    int at = 0;
#define CALL(name, call)                                                                           \
    if (which == at++)                                                                             \
        return call;
    CALLS
#undef CALL
    return MPI_SUCCESS;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    if (argc == 1) {
        MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    }
    for (int which = 0; which < COUNT; ++which) {
        int class = MPI_SUCCESS;
        if (argc > 1 && strcmp(argv[1], names[which]) != 0)
            continue;
        MPI_Error_class(make(which), &class);
        if (rank == 0)
            printf("%s: %d\n", names[which], class);
    }
    MPI_Finalize();
    return 0;
}
