// SAYS: right, but
// LOSES: in n steps
unsigned total(unsigned mine) {
    unsigned sum = 0;
    MPI_Reduce(&mine, &sum, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(&sum, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    return sum;
}

unsigned running(unsigned mine) {
    int me, ranks, bit;
    unsigned whole = mine;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (bit = 1; bit < ranks; bit *= 2) {
        unsigned theirs;
        MPI_Sendrecv(&whole, 1, MPI_UNSIGNED, me ^ bit, kTag, &theirs, 1, MPI_UNSIGNED, me ^ bit,
                     kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        whole += theirs;
        if ((me ^ bit) < me)
            mine += theirs;
    }
    return mine;
}
