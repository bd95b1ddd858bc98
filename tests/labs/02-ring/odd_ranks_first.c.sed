# SAYS: right, but
# LOSES: not one step wasted
/int theirs;/,/STATUS_IGNORE);/c\
        int theirs = 0;\
        if (me % 2 == 1)\
            MPI_Ssend(&number, 1, MPI_INT, right, 1, MPI_COMM_WORLD);\
        MPI_Recv(&theirs, 1, MPI_INT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\
        if (me % 2 == 0)\
            MPI_Ssend(&number, 1, MPI_INT, right, 1, MPI_COMM_WORLD);
