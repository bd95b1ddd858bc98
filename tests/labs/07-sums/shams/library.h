/* EARNS: 0
   SAYS: which this check forbids */
unsigned total(unsigned mine) {
    unsigned sum;
    MPI_Request request;
    MPI_Iallreduce(&mine, &sum, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return sum;
}
unsigned running(unsigned mine) {
    unsigned sum;
    MPI_Scan(&mine, &sum, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}
