/* Windows: puts, gets and accumulates between fences, groups and locks; atomic operations of all
 * ranks on one word; strided and large data; what is wrong is told. */
#include "check.h"

enum { LARGE = 4000 };

static int next, before;

static void fences(void) {
    int *memory, at, line[4], got[32] = {0}, value = rank, *base, flag, *kind;
    MPI_Aint *bytes;
    MPI_Win win;
    MPI_Datatype column, nothing;
    MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (at = 0; at < 64; ++at)
        memory[at] = 1000 * rank + at;
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    CHECK(flag && base == memory);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    CHECK(flag && *bytes == 64 * sizeof(int));
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &kind, &flag);
    CHECK(flag && *kind == MPI_WIN_FLAVOR_ALLOCATE);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&value, 1, MPI_INT, next, 3, 1, MPI_INT, win);
    MPI_Get(got, 4, MPI_INT, before, 8, 4, MPI_INT, win);
    MPI_Put(&value, 1, MPI_INT, MPI_PROC_NULL, 3, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[3] == before && memory[2] == 1000 * rank + 2 && memory[4] == 1000 * rank + 4);
    for (at = 0; at < 4; ++at)
        CHECK(got[at] == 1000 * before + 8 + at);
    /* A column of an 8 x 8 square into a row of another rank, and all into one word. */
    MPI_Type_vector(4, 1, 8, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (at = 0; at < 4; ++at)
        line[at] = 7000 + 10 * rank + at;
    MPI_Put(line, 4, MPI_INT, next, 37, 1, column, win);
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Accumulate(NULL, 1, nothing, next, 0, 2, nothing, MPI_SUM, win);
    MPI_Accumulate(NULL, 0, MPI_INT, next, 0, 0, nothing, MPI_SUM, win);
    MPI_Type_free(&nothing);
    MPI_Win_fence(0, win);
    for (at = 0; at < 4; ++at)
        CHECK(memory[37 + 8 * at] == 7000 + 10 * before + at);
    CHECK(rank != 0 || memory[0] == size * (size - 1) / 2);
    /* What goes may be less than there is room for. */
    memory[20] = memory[21] = memory[22] = -1;
    MPI_Win_fence(0, win);
    MPI_Put(line, 2, MPI_INT, next, 20, 3, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[20] == 7000 + 10 * before && memory[21] == memory[20] + 1 && memory[22] == -1);
    MPI_Get(got, 1, column, next, 37, 4, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(got[0] == 7000 + 10 * rank);
    MPI_Type_free(&column);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
}

static void groups(void) {
    int memory[2] = {-1, -1}, flag = 0;
    MPI_Win win;
    MPI_Group world, to, from;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &world);
    MPI_Group_incl(world, 1, &next, &to);
    MPI_Group_incl(world, 1, &before, &from);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 1, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    CHECK(memory[1] == before && memory[0] == -1);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, win);
    MPI_Win_complete(win);
    while (!flag)
        MPI_Win_test(win, &flag);
    CHECK(memory[0] == before);
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Win_free(&win);
}

/* Every rank adds to a word of rank 0, under a lock, and at once; then each takes a ticket. */
static void locks(void) {
    long memory[3] = {0, 0, -1}, one = 1, old, value, none = -1, mine = rank, seen = 0;
    double *wide = malloc(LARGE * sizeof(double)), *back = malloc(LARGE * sizeof(double));
    double *large;
    int at, turn, bad = 0, tickets[64], all[64];
    MPI_Win win, other;
    MPI_Request request[2];
    MPI_Win_create(memory, sizeof memory, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (turn = 0; turn < 3; ++turn) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        value += 1;
        MPI_Put(&value, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 1, MPI_SUM, win);
    MPI_Win_flush(0, win);
    tickets[0] = (int)old;
    MPI_Compare_and_swap(&mine, &none, &seen, MPI_LONG, 0, 2, win);
    MPI_Win_flush_local_all(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOCHECK, win);
    MPI_Fetch_and_op(NULL, &old, MPI_LONG, 0, 0, MPI_NO_OP, win);
    MPI_Get(&value, 1, MPI_LONG, 0, 2, 1, MPI_LONG, win);
    MPI_Win_unlock(0, win);
    CHECK(old == 3 * size);
    CHECK(value >= 0 && value < size && (seen == -1) == (value == rank));
    MPI_Allgather(tickets, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (at = 0; at < size; ++at)
        bad |= 1 << all[at];
    CHECK(bad == (1 << size) - 1);
    MPI_Win_free(&win);

    MPI_Win_allocate(LARGE * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &large,
                     &other);
    for (at = 0; at < LARGE; ++at) {
        large[at] = 0;
        wide[at] = rank + 0.5 * at;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, other);
    MPI_Rput(wide, LARGE, MPI_DOUBLE, next, 0, LARGE, MPI_DOUBLE, other, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Win_flush_all(other);
    MPI_Rget(back, LARGE, MPI_DOUBLE, next, 0, LARGE, MPI_DOUBLE, other, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    for (bad = at = 0; at < LARGE; ++at)
        bad += back[at] != wide[at];
    CHECK(bad == 0);
    MPI_Win_unlock_all(other);
    MPI_Barrier(MPI_COMM_WORLD);
    /* It has come when the epoch ends, also if nobody has waited for its request. */
    memset(back, 0, LARGE * sizeof(double));
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, other);
    MPI_Rget(back, LARGE, MPI_DOUBLE, next, 0, LARGE, MPI_DOUBLE, other, request);
    MPI_Win_unlock(next, other);
    CHECK(back[0] == wide[0] && back[LARGE - 1] == wide[LARGE - 1]);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    memset(back, 0, LARGE * sizeof(double));
    MPI_Win_lock(MPI_LOCK_SHARED, next, 0, other);
    MPI_Rget(back, LARGE, MPI_DOUBLE, next, 0, LARGE, MPI_DOUBLE, other, request);
    MPI_Request_free(request);
    MPI_Win_unlock(next, other);
    CHECK(back[0] == wide[0] && back[LARGE - 1] == wide[LARGE - 1]);
    MPI_Win_lock_all(0, other);
    MPI_Raccumulate(wide, LARGE, MPI_DOUBLE, next, 0, LARGE, MPI_DOUBLE, MPI_SUM, other, request);
    MPI_Rget_accumulate(wide, LARGE, MPI_DOUBLE, back, LARGE, MPI_DOUBLE, next, 0, LARGE,
                        MPI_DOUBLE, MPI_REPLACE, other, request + 1);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (bad = at = 0; at < LARGE; ++at)
        bad += back[at] != 2 * wide[at];
    CHECK(bad == 0);
    MPI_Win_unlock_all(other);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(large[10] == before + 5);
    MPI_Win_fence(0, other);
    for (at = 0; at < LARGE; ++at)
        wide[at] += 1;
    MPI_Put(wide, LARGE, MPI_DOUBLE, next, 0, LARGE, MPI_DOUBLE, other);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, other);
    for (bad = at = 0; at < LARGE; ++at)
        bad += large[at] != before + 1 + 0.5 * at;
    CHECK(bad == 0);
    MPI_Win_free(&other);
    free(wide);
    free(back);
}

static int told;
static void handler(MPI_Win *win, int *code, ...) {
    (void)win;
    told = class_of(*code);
}

static void mistakes(void) {
    int memory[4] = {0}, value = 0, length, flag, *shared, *same;
    MPI_Aint place;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Win win, open;
    MPI_Errhandler mine;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_name(win, "four words");
    MPI_Win_get_name(win, name, &length);
    CHECK(strcmp(name, "four words") == 0 && length == 10);
    for (value = 0; value < 100; ++value) { /* no key of the program is one of the standard */
        MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &length, NULL);
        MPI_Win_set_attr(win, length, name);
        MPI_Win_get_attr(win, length, &same, &flag);
        CHECK(flag && (void *)same == (void *)name);
        MPI_Win_delete_attr(win, length);
        MPI_Win_free_keyval(&length);
    }
    value = 0;
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK(class_of(MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win)) == MPI_ERR_RMA_SYNC);
    CHECK(class_of(MPI_Win_unlock(0, win)) == MPI_ERR_RMA_SYNC);
    CHECK(class_of(MPI_Win_complete(win)) == MPI_ERR_RMA_SYNC);
    CHECK(class_of(MPI_Win_wait(win)) == MPI_ERR_RMA_SYNC);
    MPI_Win_fence(0, win);
    CHECK(class_of(MPI_Put(&value, 1, MPI_INT, size, 0, 1, MPI_INT, win)) == MPI_ERR_RANK);
    CHECK(class_of(MPI_Put(&value, -1, MPI_INT, 0, 0, 1, MPI_INT, win)) == MPI_ERR_COUNT);
    MPI_Win_create_errhandler(handler, &mine);
    MPI_Win_set_errhandler(win, mine);
    MPI_Errhandler_free(&mine);
    MPI_Put(&value, 1, MPI_INT, -5, 0, 1, MPI_INT, win);
    CHECK(told == MPI_ERR_RANK);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);

    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &shared, &win);
    MPI_Win_shared_query(win, 0, &place, &length, &same);
    CHECK(place == sizeof(int) && length == sizeof(int) && same == shared);
    MPI_Win_free(&win);

    /* Displacements of a window without memory of its own are addresses. */
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &open);
    MPI_Win_attach(open, memory, sizeof memory);
    MPI_Get_address(memory, &place);
    MPI_Sendrecv_replace(&place, 1, MPI_AINT, before, 0, next, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    MPI_Win_fence(0, open);
    value = 40 + rank;
    MPI_Put(&value, 1, MPI_INT, next, MPI_Aint_add(place, sizeof(int)), 1, MPI_INT, open);
    MPI_Win_fence(0, open);
    CHECK(memory[1] == 40 + before);
    MPI_Win_detach(open, memory);
    MPI_Win_get_attr(open, MPI_WIN_BASE, &place, &flag);
    CHECK(flag && place == 0);
    MPI_Win_free(&open);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    fences();
    groups();
    locks();
    mistakes();
    return end();
}
