/* build: --engine sim --strict
 * What `mesh run --strict` finds: each function makes a mistake if `wrong` is set, and is its right
 * twin if not. The words of the program say which: NAME, or nothing for all twins. On four ranks. A
 * line that is to be told ends in the name of its function. */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

static bool wrong;
static int rank, other; /* the ranks go in pairs: 0 and 1, 2 and 3 */
static int place[8], in[8], out[8];
static float reals[8];
static MPI_Win window;

static void begin(MPI_Request *request) { MPI_Irecv(in, 2, MPI_INT, other, 1, WORLD, request); }

static void fill(int *numbers, int count) {
    for (int i = 0; i < count; ++i)
        numbers[i] = rank + i; /* store_elsewhere */
}

static void send_first(void) {
    if (wrong || rank % 2 == 0)
        MPI_Send(out, 1, MPI_INT, other, 0, WORLD); /* send_first */
    MPI_Recv(in, 1, MPI_INT, other, 0, WORLD, NO_STATUS);
    if (!wrong && rank % 2 != 0)
        MPI_Send(out, 1, MPI_INT, other, 0, WORLD);
}
static void scan_holds_message(void) {
    if (wrong && rank == 0)
        MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, WORLD); /* scan_holds_message */
    if (rank == 0)
        MPI_Send(out, 1, MPI_INT, 1, 0, WORLD);
    if (rank == 1)
        MPI_Recv(in, 1, MPI_INT, 0, 0, WORLD, NO_STATUS);
    if (!wrong || rank != 0)
        MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, WORLD);
}
static void store_to_sent(void) {
    MPI_Request request;
    MPI_Isend(out, 2, MPI_INT, other, 1, WORLD, &request);
    if (wrong)
        out[1] = 7; /* store_to_sent */
    MPI_Recv(in, 2, MPI_INT, other, 1, WORLD, NO_STATUS);
    MPI_Wait(&request, NO_STATUS);
    out[1] = 8;
}
static void store_elsewhere(void) {
    MPI_Request request;
    MPI_Isend(out, 2, MPI_INT, other, 1, WORLD, &request);
    fill(out + (wrong ? 1 : 2), 2);
    MPI_Recv(in, 2, MPI_INT, other, 1, WORLD, NO_STATUS);
    MPI_Wait(&request, NO_STATUS);
}
static void copy_over_sent(void) { /* by the C library, which tells no store */
    MPI_Request request;
    MPI_Isend(out, 8, MPI_INT, other, 1, WORLD, &request); /* copy_over_sent */
    if (wrong)
        memset(out, rank + 1, sizeof out);
    MPI_Recv(in, 8, MPI_INT, other, 1, WORLD, NO_STATUS);
    MPI_Wait(&request, NO_STATUS);
}
static void load_of_received(void) {
    MPI_Request request;
    begin(&request);
    MPI_Send(out, 2, MPI_INT, other, 1, WORLD);
    if (!wrong)
        MPI_Wait(&request, NO_STATUS);
    out[7] = in[0]; /* load_of_received */
    MPI_Wait(&request, NO_STATUS);
}
static void store_to_received(void) {
    MPI_Request request;
    in[0] = 1;
    begin(&request);
    if (wrong)
        in[0] = 2; /* store_to_received */
    MPI_Send(out, 2, MPI_INT, other, 1, WORLD);
    MPI_Wait(&request, NO_STATUS);
}
static void load_after_test(void) {
    MPI_Request request;
    int done = 0;
    begin(&request);
    MPI_Test(&request, &done, NO_STATUS);
    if (wrong && !done)
        out[7] = in[1]; /* load_after_test */
    MPI_Send(out, 2, MPI_INT, other, 1, WORLD);
    while (!done)
        MPI_Test(&request, &done, NO_STATUS);
    out[7] = in[1];
}
static void load_of_the_other(void) {
    MPI_Request requests[2];
    int first;
    MPI_Irecv(in, 1, MPI_INT, other, 1, WORLD, &requests[0]);
    MPI_Irecv(in + 1, 1, MPI_INT, other, 2, WORLD, &requests[1]);
    MPI_Send(out, 1, MPI_INT, other, 2, WORLD);
    MPI_Waitany(2, requests, &first, NO_STATUS);
    out[7] = in[wrong ? 1 - first : first]; /* load_of_the_other */
    MPI_Send(out, 1, MPI_INT, other, 1, WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void store_after_start(void) {
    MPI_Request request;
    MPI_Send_init(out, 2, MPI_INT, other, 1, WORLD, &request);
    for (int i = 0; i < 2; ++i) {
        if (!wrong)
            out[0] = i;
        MPI_Start(&request);
        if (wrong)
            out[0] = i; /* store_after_start */
        MPI_Recv(in, 2, MPI_INT, other, 1, WORLD, NO_STATUS);
        MPI_Wait(&request, NO_STATUS);
    }
    MPI_Request_free(&request);
}
static void store_between(void) { /* a vector has every other element */
    MPI_Request request;
    MPI_Datatype vector;
    MPI_Type_vector(4, 1, 2, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    MPI_Isend(out, 1, vector, other, 1, WORLD, &request);
    out[wrong ? 2 : 3] = 5; /* store_between */
    MPI_Recv(in, 4, MPI_INT, other, 1, WORLD, NO_STATUS);
    MPI_Wait(&request, NO_STATUS);
    MPI_Type_free(&vector);
}
static void free_of_sent(void) {
    MPI_Request request;
    int *const numbers = calloc(4, sizeof *numbers);
    MPI_Isend(numbers, 4, MPI_INT, other, 1, WORLD, &request);
    if (wrong)
        free(numbers); /* free_of_sent */
    MPI_Recv(in, 4, MPI_INT, other, 1, WORLD, NO_STATUS);
    MPI_Wait(&request, NO_STATUS);
    free(numbers);
}
static void beyond_array(void) {
    if (rank % 2 == 0)
        MPI_Send(out + 4, wrong ? 5 : 4, MPI_INT, other, 1, WORLD); /* beyond_array */
    else
        MPI_Recv(in, 8, MPI_INT, other, 1, WORLD, NO_STATUS);
}
static void beyond_block(void) {
    int *const numbers = malloc(3 * sizeof *numbers);
    MPI_Gather(&rank, 1, MPI_INT, rank == 0 ? in : NULL, 1, MPI_INT, 0, WORLD);
    MPI_Bcast(numbers, wrong ? 4 : 3, MPI_INT, 0, WORLD); /* beyond_block */
    free(numbers);
}
static void type_of_array(void) {
    MPI_Bcast(reals, 2, wrong ? MPI_INT : MPI_FLOAT, 0, WORLD); /* type_of_array */
}
static void type_of_message(void) {
    if (rank % 2 == 0)
        MPI_Send(out, 1, wrong ? MPI_INT : MPI_BYTE, other, 1, WORLD);
    else
        MPI_Recv(reals, 1, MPI_FLOAT, other, 1, WORLD, NO_STATUS); /* type_of_message */
}
static void product_of_truth(void) {
    _Bool mine = 1, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_C_BOOL, wrong ? MPI_PROD : MPI_LAND, /* product_of_truth */
                  WORLD);
}
static void one_buffer(void) {
    MPI_Request requests[2];
    MPI_Irecv(in, 1, MPI_INT, other, 1, WORLD, &requests[0]);
    MPI_Irecv(in + !wrong, 1, MPI_INT, other, 2, WORLD, &requests[1]); /* one_buffer */
    MPI_Send(out, 1, MPI_INT, other, 1, WORLD);
    MPI_Send(out, 1, MPI_INT, other, 2, WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void group_left(void) {
    MPI_Group group;
    MPI_Comm_group(WORLD, &group); /* group_left */
    if (!wrong)
        MPI_Group_free(&group);
}

/* Windows: each rank has `place`, and a fence is before and after. */
static void put_changed(void) {
    MPI_Put(out, 2, MPI_INT, other, 0, 2, MPI_INT, window);
    if (wrong)
        out[1] = 3; /* put_changed */
    MPI_Win_fence(0, window);
    out[1] = 4;
}
static void get_used(void) {
    MPI_Get(in, 2, MPI_INT, other, 0, 2, MPI_INT, window);
    if (!wrong)
        MPI_Win_fence(0, window);
    out[7] = in[1]; /* get_used */
}
static void put_meets_put(void) {
    if (rank == 1 || rank == 2)
        MPI_Put(&rank, 1, MPI_INT, 0, wrong ? 0 : rank, 1, MPI_INT, window); /* put_meets_put */
}
static void store_meets_get(void) {
    if (rank == 0)
        MPI_Get(in, 2, MPI_INT, 1, 0, 2, MPI_INT, window);
    if (rank == 1)
        place[wrong ? 1 : 2] = 4; /* store_meets_get */
}
static void load_meets_put(void) {
    if (rank == 0)
        MPI_Put(out, 2, MPI_INT, 1, 0, 2, MPI_INT, window);
    if (!wrong)
        MPI_Win_fence(0, window);
    if (rank == 1)
        out[7] = place[0]; /* load_meets_put */
}
static void sum_meets_product(void) {
    MPI_Op const op = wrong && rank == 1 ? MPI_PROD : MPI_SUM;
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, op, window); /* sum_meets_product */
}
static void noput_and_put(void) {
    MPI_Win_fence(wrong ? MPI_MODE_NOPUT : 0, window);
    if (rank == 0)
        MPI_Put(out, 1, MPI_INT, 1, 0, 1, MPI_INT, window); /* noput_and_put */
}
static void noprecede_and_get(void) {
    MPI_Get(in, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_fence(wrong ? MPI_MODE_NOPRECEDE : 0, window); /* noprecede_and_get */
}
static void put_in_locks(void) { /* twin: one at a time */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    if (rank == 1 || rank == 2) {
        MPI_Win_lock(wrong ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
        if (wrong)
            MPI_Sendrecv(out, 1, MPI_INT, 3 - rank, 5, in, 1, MPI_INT, 3 - rank, 5, WORLD,
                         NO_STATUS);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, window); /* put_in_locks */
        if (wrong)
            MPI_Sendrecv(out, 1, MPI_INT, 3 - rank, 5, in, 1, MPI_INT, 3 - rank, 5, WORLD,
                         NO_STATUS);
        MPI_Win_unlock(0, window);
    }
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
}
static void store_after_flush(void) {
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Put(out, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    if (!wrong)
        MPI_Win_flush_local(other, window);
    out[0] = 9; /* store_after_flush */
    MPI_Win_unlock(other, window);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
}
static void lock_in_fences(void) {
    if (!wrong)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, window);
    MPI_Put(out, 1, MPI_INT, other, 0, 1, MPI_INT, window);
    MPI_Win_unlock(other, window);
    MPI_Win_fence(wrong ? 0 : MPI_MODE_NOPRECEDE, window); /* lock_in_fences */
}
static void posted_store(void) { /* an epoch of MPI_Win_post() and MPI_Win_start() */
    MPI_Group world, pair;
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &other, &pair);
    if (rank % 2 != 0) {
        MPI_Win_post(pair, 0, window);
        if (wrong)
            place[0] = 1; /* not ordered against the put */
        MPI_Send(out, 1, MPI_INT, other, 6, WORLD);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(pair, 0, window);
        MPI_Recv(in, 1, MPI_INT, other, 6, WORLD, NO_STATUS);
        MPI_Put(out, 1, MPI_INT, other, 0, 1, MPI_INT, window); /* posted_store */
        MPI_Win_complete(window);
    }
    MPI_Group_free(&pair);
    MPI_Group_free(&world);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
}

static const struct {
    const char *name;
    void (*act)(void);
} messages[] = {
#define ONE(name) {#name, name}
    ONE(send_first), ONE(scan_holds_message), ONE(store_to_sent), ONE(store_elsewhere),
    ONE(copy_over_sent), ONE(load_of_received), ONE(store_to_received), ONE(load_after_test),
    ONE(load_of_the_other), ONE(store_after_start), ONE(store_between), ONE(free_of_sent),
    ONE(beyond_array), ONE(beyond_block), ONE(type_of_array), ONE(type_of_message),
    ONE(product_of_truth), ONE(one_buffer), ONE(group_left)},
  windows[] = {ONE(put_changed), ONE(get_used), ONE(put_meets_put), ONE(store_meets_get),
               ONE(load_meets_put), ONE(sum_meets_product), ONE(noput_and_put),
               ONE(noprecede_and_get), ONE(put_in_locks), ONE(store_after_flush),
               ONE(lock_in_fences), ONE(posted_store)};
#define COUNT(list) (sizeof list / sizeof *list)

static void act(const char *name, void (*one)(void), const char *asked) {
    wrong = asked != NULL;
    if (!wrong || strcmp(name, asked) == 0)
        one();
}

int main(int argc, char **argv) {
    const char *const asked = argc > 1 ? argv[1] : NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    other = rank ^ 1;
    for (size_t at = 0; at < COUNT(messages); ++at)
        act(messages[at].name, messages[at].act, asked);
    MPI_Win_create(place, sizeof place, sizeof *place, MPI_INFO_NULL, WORLD, &window);
    for (size_t at = 0; at < COUNT(windows); ++at) {
        MPI_Win_fence(0, window);
        act(windows[at].name, windows[at].act, asked);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    printf("through\n");
    return 0;
}
