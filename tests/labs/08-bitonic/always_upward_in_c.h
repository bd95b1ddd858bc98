// SAYS: and that is wrong
// LOSES: 8 numbers in six other orders
unsigned sort(unsigned key) {
    int me, ranks, size, bit;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (size = 2; size <= ranks; size *= 2)
        for (bit = size / 2; bit > 0; bit /= 2) {
            unsigned theirs;
            MPI_Sendrecv(&key, 1, MPI_UNSIGNED, me ^ bit, kTag, &theirs, 1, MPI_UNSIGNED, me ^ bit,
                         kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            const int rising = 1, lower = (me & bit) == 0;
            if (rising == lower ? theirs < key : theirs > key)
                key = theirs;
        }
    return key;
}
