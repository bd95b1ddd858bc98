/* Operations of windows on pairs that have holes, and many puts and gets of one epoch. */
#include "check.h"

/* Every rank offers a value and its rank; the best of them stays. */
#define ALL_OFFER(T, TYPE, OP, BEST)                                                               \
    do {                                                                                           \
        struct {                                                                                   \
            T value;                                                                               \
            int index;                                                                             \
        } pairs[3], mine, old;                                                                     \
        MPI_Win win;                                                                               \
        memset(pairs, 0x5A, sizeof pairs);                                                         \
        memset(&mine, 0, sizeof mine);                                                             \
        for (at = 0; at < 3; ++at) {                                                               \
            pairs[at].value = 50;                                                                  \
            pairs[at].index = 99;                                                                  \
        }                                                                                          \
        mine.value = (T)(rank + 47);                                                               \
        mine.index = rank;                                                                         \
        MPI_Win_create(pairs, sizeof pairs, sizeof pairs[0], MPI_INFO_NULL, MPI_COMM_WORLD, &win); \
        MPI_Win_fence(0, win);                                                                     \
        MPI_Accumulate(&mine, 1, TYPE, 0, 1, 1, TYPE, OP, win);                                    \
        MPI_Win_fence(0, win);                                                                     \
        if (rank == size - 1)                                                                      \
            MPI_Fetch_and_op(&mine, &old, TYPE, 0, 2, OP, win);                                    \
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);                                                    \
        CHECK(rank != size - 1 || (old.value == 50 && old.index == 99));                           \
        CHECK(rank != 0 || size < 4 ||                                                             \
              (pairs[1].value == (BEST) + 47 && pairs[1].index == (BEST)));                        \
        CHECK(pairs[0].value == 50 && pairs[0].index == 99);                                       \
        MPI_Win_free(&win);                                                                        \
    } while (0)

/* The second halves of some pairs lie beside the first halves of others. */
static void vector_of_pairs(void) {
    struct {
        short value;
        int index;
    } pairs[5], mine[4];
    int at;
    MPI_Datatype type;
    MPI_Win win;
    memset(pairs, 0, sizeof pairs);
    memset(mine, 0, sizeof mine);
    for (at = 0; at < 4; ++at) {
        mine[at].value = (short)(rank + at);
        mine[at].index = rank;
    }
    MPI_Type_vector(2, 2, 3, MPI_SHORT_INT, &type);
    MPI_Type_commit(&type);
    MPI_Win_create(pairs, sizeof pairs, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Accumulate(mine, 4, MPI_SHORT_INT, 0, 0, 1, type, MPI_MAXLOC, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (at = 0; at < 5 && rank == 0; ++at)
        CHECK(pairs[at].value == (at == 2 ? 0 : size - 1 + at - (at > 2)));
    MPI_Win_free(&win);
    MPI_Type_free(&type);
}

/* Many of one epoch: what comes in the place of another comes in the order of the calls. */
static void ask_often(int times) {
    static int values[1000], got[1000];
    int words[2] = {-1, 1000 + rank}, at, right = 0;
    MPI_Win win;
    MPI_Win_create(words, sizeof words, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (at = 0; at < times && rank < 2; ++at) {
        values[at] = at;
        MPI_Accumulate(&values[at], 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Get(&got[at], 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    for (at = 0; at < times && rank < 2; ++at)
        right += got[at] == 1001 - rank;
    CHECK(rank >= 2 || (words[0] == times - 1 && right == times));
    MPI_Win_free(&win);
}

int main(int argc, char **argv) {
    int at;
    begin(&argc, &argv);
    ALL_OFFER(short, MPI_SHORT_INT, MPI_MAXLOC, size - 1);
    ALL_OFFER(double, MPI_DOUBLE_INT, MPI_MINLOC, 0);
    ALL_OFFER(long, MPI_LONG_INT, MPI_MINLOC, 0);
    ALL_OFFER(long double, MPI_LONG_DOUBLE_INT, MPI_MINLOC, 0);
    vector_of_pairs();
    ask_often(1000);
    return end();
}
