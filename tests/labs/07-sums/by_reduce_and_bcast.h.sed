# SAYS: right, but
# LOSES: in n steps
/^unsigned total/,/^}/c\
unsigned total(unsigned mine) {\
    unsigned sum = 0;\
    MPI_Reduce(&mine, &sum, 1, MPI_UNSIGNED, MPI_SUM, 0, MPI_COMM_WORLD);\
    MPI_Bcast(&sum, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);\
    return sum;\
}
