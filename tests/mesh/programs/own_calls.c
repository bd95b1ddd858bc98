/* What a function of the program may call while MPI calls it, and what a rank may wait for in its
 * own memory: each of these is right, and ends. */
#include "../mpi/check.h"

#include <math.h>

static int keys[3], asked, told, is_stubborn = 1;

/* It is told that an attribute goes, and takes away all others. */
static int takes_all(MPI_Comm comm, int key, void *value, void *extra) {
    MPI_Comm_delete_attr(comm, keys[0]);
    MPI_Comm_delete_attr(comm, keys[2]);
    return MPI_SUCCESS;
}
/* It is told that an attribute goes with its communicator, and frees that. */
static int frees(MPI_Comm comm, int key, void *value, void *extra) {
    ++told;
    return MPI_Comm_free(&comm);
}
/* It is told that an attribute gets another value, and deletes it. */
static int deletes(MPI_Comm comm, int key, void *value, void *extra) {
    if (asked++ == 0)
        MPI_Comm_delete_attr(comm, key);
    return MPI_SUCCESS;
}
/* It is asked whether an attribute is copied, and deletes those that are copied after it. */
static int shrinks(MPI_Comm comm, int key, void *extra, void *value, void *copied, int *flag) {
    MPI_Comm_delete_attr(comm, keys[0]);
    MPI_Comm_delete_attr(comm, keys[1]);
    *(void **)copied = value;
    *flag = 1;
    return MPI_SUCCESS;
}
static int refuses(MPI_Comm comm, int key, void *value, void *extra) {
    return is_stubborn ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int has(MPI_Comm comm, int key) {
    void *value;
    int flag;
    MPI_Comm_get_attr(comm, key, &value, &flag);
    return flag;
}

static void set_three(MPI_Comm comm, MPI_Comm_copy_attr_function *copy,
                      MPI_Comm_delete_attr_function *drop, int which) {
    for (int at = 0; at < 3; ++at) {
        MPI_Comm_create_keyval(at == which ? copy : MPI_COMM_DUP_FN,
                               at == which ? drop : MPI_COMM_NULL_DELETE_FN, &keys[at], NULL);
        MPI_Comm_set_attr(comm, keys[at], (void *)(MPI_Aint)(at + 1));
    }
}
static void free_three(void) {
    for (int at = 0; at < 3; ++at)
        MPI_Comm_free_keyval(&keys[at]);
}

static void attributes(void) {
    MPI_Comm comm, copy;
    int key;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    set_three(comm, MPI_COMM_NULL_COPY_FN, takes_all, 1);
    MPI_Comm_delete_attr(comm, keys[1]);
    CHECK(!has(comm, keys[0]) && !has(comm, keys[1]) && !has(comm, keys[2]));
    free_three();
    set_three(comm, shrinks, MPI_COMM_NULL_DELETE_FN, 2);
    MPI_Comm_dup(comm, &copy);
    CHECK(!has(comm, keys[0]) && !has(comm, keys[1]) && has(comm, keys[2]));
    CHECK(has(copy, keys[0]) && has(copy, keys[1]) && has(copy, keys[2]));
    MPI_Comm_free(&copy);
    free_three();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deletes, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    CHECK(has(comm, key) && asked == 2);
    MPI_Comm_delete_attr(comm, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, frees, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    MPI_Comm_free(&comm);
    CHECK(told == 1 && comm == MPI_COMM_NULL);
    MPI_Comm_free_keyval(&key);
}

/* Errors of a communicator and of a datatype are not those of the world, which end the run. */
static void handlers(void) {
    MPI_Comm comm;
    int key;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuses, &key, NULL);
    MPI_Comm_set_attr(comm, key, NULL);
    CHECK(class_of(MPI_Comm_set_attr(comm, key, NULL)) == MPI_ERR_OTHER);
    CHECK(class_of(MPI_Comm_delete_attr(comm, key)) == MPI_ERR_OTHER);
    CHECK(class_of(MPI_Comm_delete_attr(comm, key + 1)) == MPI_ERR_KEYVAL);
    CHECK(class_of(MPI_Comm_free(&comm)) == MPI_ERR_OTHER && comm != MPI_COMM_NULL);
    CHECK(MPI_Barrier(comm) == MPI_SUCCESS);
    is_stubborn = 0;
    CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

/* The function of a request that has ended may not free it again. */
static MPI_Request its_own;
static int query(void *extra, MPI_Status *status) {
    MPI_Status_set_elements(status, MPI_BYTE, 3);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int release(void *extra) {
    MPI_Request again = its_own;
    CHECK(class_of(MPI_Request_free(&again)) == MPI_ERR_REQUEST);
    return MPI_SUCCESS;
}
static int cancel(void *extra, int complete) { return MPI_SUCCESS; }

static void requests(void) {
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Grequest_start(query, release, cancel, NULL, &request);
    its_own = request;
    MPI_Grequest_complete(request);
    CHECK(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS && request == MPI_REQUEST_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void operations(void) {
    unsigned char mine = (unsigned char)(0xf0 | rank), all[3];
    MPI_Comm half;
    const MPI_Op ops[3] = {MPI_BAND, MPI_BOR, MPI_BXOR};
    for (int at = 0; at < 3; ++at)
        MPI_Allreduce(&mine, &all[at], 1, MPI_BYTE, ops[at], MPI_COMM_WORLD);
    CHECK(all[0] == 0xf0 && all[1] == 0xf3 && all[2] == 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    for (int at = 0; at < size; ++at) {
        const MPI_Comm comms[2] = {MPI_COMM_WORLD, half};
        for (int which = 0; which < 2; ++which) {
            double value = rank == at ? NAN : rank + 1, least, greatest;
            const int is_there = which == 0 || at / 2 == rank / 2;
            MPI_Allreduce(&value, &least, 1, MPI_DOUBLE, MPI_MIN, comms[which]);
            MPI_Allreduce(&value, &greatest, 1, MPI_DOUBLE, MPI_MAX, comms[which]);
            CHECK(!isnan(least) && (isnan(greatest) != 0) == is_there);
        }
        struct {
            double value;
            int index;
        } pair = {rank == at ? NAN : 5.0, rank}, first;
        MPI_Allreduce(&pair, &first, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
        CHECK(first.value == 5 && first.index == (at == 0));
        MPI_Allreduce(&pair, &first, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
        CHECK(isnan(first.value) && first.index == at);
    }
    MPI_Comm_free(&half);
}

/* Rank 0 looks at its own window in each way until rank 1 has changed it. */
static void own_window(int way) {
    int *memory, seen = 0, one = 1;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    *memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_unlock(0, win);
    }
    while (rank == 0 && !seen) {
        MPI_Win_lock(way == 1 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, win);
        if (way == 0)
            MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        else if (way == 1)
            seen = *memory;
        else
            MPI_Fetch_and_op(NULL, &seen, MPI_INT, 0, 0, MPI_NO_OP, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
}

static void no_rank(void) {
    MPI_Status status;
    CHECK(MPI_Recv(NULL, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status) ==
          MPI_SUCCESS);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

/* Round the ring, small and large, with the buffer of the receive, or another one. */
static void both_at_once(void) {
    static double out[1000], in[1000];
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    for (int count = 1; count <= 1000; count *= 10) {
        MPI_Request request[2];
        MPI_Status status[2];
        int got = 0;
        out[0] = out[count - 1] = rank + count;
        MPI_Isendrecv(out, count, MPI_DOUBLE, to, 1, in, 1000, MPI_DOUBLE, from, 1, MPI_COMM_WORLD,
                      &request[0]);
        MPI_Isendrecv_replace(out, count, MPI_DOUBLE, to, 2, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                              &request[1]);
        MPI_Waitall(2, request, status);
        MPI_Get_count(&status[0], MPI_DOUBLE, &got);
        CHECK(got == count && in[0] == from + count && in[count - 1] == from + count);
        CHECK(status[1].MPI_SOURCE == from && out[count - 1] == from + count);
    }
}

/* Types of other languages that C has under another name. */
static void other_names(void) {
    const struct {
        MPI_Datatype type, of_c;
        const char *name;
    } all[] = {
        {MPI_INTEGER, MPI_INT, "MPI_INTEGER"},
        {MPI_REAL, MPI_FLOAT, "MPI_REAL"},
        {MPI_DOUBLE_PRECISION, MPI_DOUBLE, "MPI_DOUBLE_PRECISION"},
        {MPI_COMPLEX, MPI_C_FLOAT_COMPLEX, "MPI_COMPLEX"},
        {MPI_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX"},
        {MPI_CXX_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX"},
        {MPI_LOGICAL, MPI_INT, "MPI_LOGICAL"},
        {MPI_2INTEGER, MPI_2INT, "MPI_2INTEGER"},
        {MPI_CXX_BOOL, MPI_C_BOOL, "MPI_CXX_BOOL"},
    };
    double complex_one[2] = {1, rank}, sum[2];
    for (unsigned at = 0; at < sizeof all / sizeof *all; ++at) {
        char name[MPI_MAX_OBJECT_NAME];
        int one, other, length;
        MPI_Type_size(all[at].type, &one);
        MPI_Type_size(all[at].of_c, &other);
        MPI_Type_get_name(all[at].type, name, &length);
        CHECK(one == other && strcmp(name, all[at].name) == 0);
    }
    MPI_Allreduce(complex_one, sum, 1, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum[0] == size && sum[1] == size * (size - 1) / 2);
}

/* No other factors are nearer to each other; each is tried here. */
static int nearest(int product, int count, int greatest, int least) {
    int best = 1 << 30;
    if (count == 1)
        return product <= greatest ? (least == 0 ? greatest : least) - product : best;
    for (int factor = 1; factor <= greatest && factor <= product; ++factor)
        if (product % factor == 0) {
            const int its = nearest(product / factor, count - 1, factor, least == 0 ? factor : least);
            best = its < best ? its : best;
        }
    return best;
}
static void grids(void) {
    int known[3] = {0};
    MPI_Dims_create(3168, 3, known);
    CHECK(known[0] == 18 && known[1] == 16 && known[2] == 11);
    for (int product = 1; product < 400; ++product)
        for (int count = 2; count <= 4; ++count) {
            int sizes[4] = {0}, all = 1;
            MPI_Dims_create(product, count, sizes);
            for (int at = 0; at < count; ++at) {
                all *= sizes[at];
                CHECK(at == 0 || sizes[at] <= sizes[at - 1]);
            }
            CHECK(all == product);
            CHECK(sizes[0] - sizes[count - 1] == nearest(product, count, product, 0));
        }
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    attributes();
    handlers();
    requests();
    operations();
    for (int way = 0; way < 3; ++way)
        own_window(way);
    no_rank();
    both_at_once();
    other_names();
    grids();
    return end();
}
