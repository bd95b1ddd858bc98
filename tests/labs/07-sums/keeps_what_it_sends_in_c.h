// SAYS: and that is wrong
// LOSES: running sums
unsigned total(unsigned mine) {
    int me, ranks, bit;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (bit = 1; bit < ranks; bit *= 2) {
        unsigned theirs;
        MPI_Sendrecv(&mine, 1, MPI_UNSIGNED, me ^ bit, kTag, &theirs, 1, MPI_UNSIGNED, me ^ bit,
                     kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine += theirs;
    }
    return mine;
}

unsigned running(unsigned mine) {
    int me, ranks, bit;
    unsigned whole = mine;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (bit = 1; bit < ranks; bit *= 2) {
        unsigned theirs;
        MPI_Sendrecv(&mine, 1, MPI_UNSIGNED, me ^ bit, kTag, &theirs, 1, MPI_UNSIGNED, me ^ bit,
                     kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        whole += theirs;
        if ((me ^ bit) < me)
            mine += theirs;
    }
    return mine;
}
