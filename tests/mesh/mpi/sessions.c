/* MPI without a world that is there by itself: sessions, their sets of processes, communicators of
 * groups of these. Two parts of a program have a session each. */
#include "check.h"

static MPI_Comm comm_of_set(MPI_Session session, const char *set, const char *words) {
    MPI_Group group;
    MPI_Comm comm = MPI_COMM_NULL;
    CHECK(MPI_Group_from_session_pset(session, set, &group) == MPI_SUCCESS);
    CHECK(MPI_Comm_create_from_group(group, words, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
          MPI_SUCCESS);
    MPI_Group_free(&group);
    return comm;
}

/* A part of the program that nobody else knows of. */
static int sum_of_ranks(void) {
    int mine, sum = 0;
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Comm comm = comm_of_set(session, "mpi://WORLD", "a part");
    MPI_Comm_rank(comm, &mine);
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    CHECK(session == MPI_SESSION_NULL);
    return sum;
}

int main(void) {
    MPI_Session session;
    MPI_Info info;
    MPI_Group all, even;
    MPI_Comm comm, self, half = MPI_COMM_NULL;
    int count = 0, flag = 1, length = 0, sum = 0, one = 1, at, world = 0, own = 0, range[1][3];
    char name[64], value[16];
    MPI_Initialized(&flag);
    CHECK(flag == 0);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    for (at = 0; at < count; ++at) {
        length = 0;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, at, &length, name);
        CHECK(length > 1 && length < (int)sizeof name);
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, at, &length, name);
        CHECK((int)strlen(name) + 1 == length);
        world += strcmp(name, "mpi://WORLD") == 0;
        own += strcmp(name, "mpi://SELF") == 0;
    }
    CHECK(world == 1 && own == 1);
    comm = comm_of_set(session, "mpi://WORLD", "main");
    self = comm_of_set(session, "mpi://SELF", "alone");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Session_get_pset_info(session, "mpi://WORLD", &info);
    length = sizeof value;
    MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
    CHECK(flag && atoi(value) == size);
    MPI_Info_free(&info);
    CHECK(class_of(MPI_Group_from_session_pset(session, "mpi://NONE", &all)) == MPI_ERR_ARG);
    MPI_Comm_group(comm, &all);
    range[0][0] = 0, range[0][1] = size - 1, range[0][2] = 2;
    MPI_Group_range_incl(all, 1, range, &even);
    if (rank % 2 == 0)
        MPI_Comm_create_from_group(even, "half", MPI_INFO_NULL, MPI_ERRORS_RETURN, &half);
    for (at = 0; at < 3; ++at)
        CHECK(sum_of_ranks() == size * (size - 1) / 2);
    if (half != MPI_COMM_NULL) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, half);
        CHECK(sum == (size + 1) / 2);
        MPI_Comm_free(&half);
    }
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, self);
    CHECK(sum == 1);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        printf("%d wrong\n", wrong);
    MPI_Group_free(&all);
    MPI_Group_free(&even);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&self);
    MPI_Session_finalize(&session);
    MPI_Finalized(&flag);
    CHECK(flag == 0);
    return 0;
}
