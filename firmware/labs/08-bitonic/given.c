/* Lab 8: a number at each rank, to be sorted by the ranks' numbers. Given: it stays as it is.
   Words: which order the numbers come in, 0: from high to low; the rank's number instead. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTag = 1, kRanksMax = 64 };

#include "answer.h"

/* The number of a rank, some of them twice: cards of a pack that was shuffled `order` times. */
static unsigned card(int ranks, unsigned order, int rank) {
    unsigned pack[kRanksMax];
    uint32_t dice = order;
    int at;
    for (at = 0; at < ranks; ++at)
        pack[at] = (unsigned)(ranks - 1 - at) / 2;
    for (at = ranks; order > 0 && at > 1; --at) {
        dice = dice * 1664525 + 1013904223;
        const unsigned other = (dice >> 16) % (unsigned)at, kept = pack[at - 1];
        pack[at - 1] = pack[other];
        pack[other] = kept;
    }
    return pack[rank];
}

int main(int argc, char **argv) {
    int me, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > kRanksMax)
        MPI_Abort(MPI_COMM_WORLD, 1);
    printf("%u\n", sort(argc > 2 ? (unsigned)atoi(argv[2])
                                 : card(ranks, argc > 1 ? (unsigned)atoi(argv[1]) : 1, me)));
    MPI_Finalize();
    return 0;
}
