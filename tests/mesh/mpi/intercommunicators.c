/* Communicators between the even ranks and the odd ones: messages, collectives, and what is made of
 * them; duplicates that are made beside the program, and communicators that only members make. */
#include "check.h"

static MPI_Comm half, across;
static int own, others, ours, theirs, is_odd;

/* The sum of what the ranks of the other half have. */
static int sum_of_others(void) {
    int at, sum = 0;
    for (at = 1 - is_odd; at < size; at += 2)
        sum += at;
    return sum;
}

static void messages(void) {
    int value = -1, flag, count;
    MPI_Status status;
    MPI_Group group, mine;
    MPI_Comm_test_inter(across, &flag);
    CHECK(flag);
    MPI_Comm_test_inter(half, &flag);
    CHECK(!flag);
    MPI_Comm_rank(across, &value);
    CHECK(value == own);
    MPI_Comm_remote_size(across, &theirs);
    CHECK(theirs == others);
    MPI_Comm_remote_group(across, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &mine);
    MPI_Group_translate_ranks(group, 1, &(int){others - 1}, mine, &value);
    CHECK(value == 2 * (others - 1) + 1 - is_odd);
    MPI_Group_rank(group, &value);
    CHECK(value == MPI_UNDEFINED);
    MPI_Group_free(&group);
    MPI_Group_free(&mine);
    /* Each tells all of the other half; those hear it in any order. */
    for (count = 0; count < others; ++count)
        MPI_Send(&rank, 1, MPI_INT, count, 5, across);
    for (count = 0; count < others; ++count) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, across, &status);
        CHECK(value == 2 * status.MPI_SOURCE + 1 - is_odd);
    }
}

static void rooted(MPI_Comm comm) {
    /* Rank 1 of the odd half is the root, or 0 if there is no other. */
    const int who = size > 3 ? 1 : 0;
    const int root = !is_odd ? who : own == who ? MPI_ROOT : MPI_PROC_NULL;
    const int is_root = root == MPI_ROOT;
    int value = is_root ? 77 : 0, at, sum = 0, all[64] = {0}, counts[64], places[64];
    double big[500];
    MPI_Bcast(&value, 1, MPI_INT, root, comm);
    CHECK(value == (is_root || !is_odd ? 77 : 0));
    for (at = 0; at < 500; ++at)
        big[at] = is_root ? at : 0;
    MPI_Bcast(big, 500, MPI_DOUBLE, root, comm);
    CHECK(big[499] == (is_root || !is_odd ? 499 : 0));
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, comm);
    CHECK(sum == (is_root ? sum_of_others() : 0));
    MPI_Gather(&rank, is_odd ? 0 : 1, MPI_INT, all, 1, MPI_INT, root, comm);
    for (at = 0; is_root && at < others; ++at)
        CHECK(all[at] == 2 * at);
    for (at = 0; at < others; ++at) {
        all[at] = 100 + at;
        counts[at] = 1;
        places[at] = others - 1 - at;
    }
    MPI_Scatter(all, 1, MPI_INT, &value, 1, MPI_INT, root, comm);
    CHECK(is_odd || value == 100 + own);
    MPI_Scatterv(all, counts, places, MPI_INT, &value, 1, MPI_INT, root, comm);
    CHECK(is_odd || value == 100 + ours - 1 - own);
    MPI_Gatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, root, comm);
    for (at = 0; is_root && at < others; ++at)
        CHECK(all[others - 1 - at] == 2 * at);
}

static void symmetric(MPI_Comm comm) {
    int at, sum = 0, all[64], out[64], counts[64], places[64];
    int pairs[128], part[128], shares;
    MPI_Barrier(comm);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    CHECK(sum == sum_of_others());
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (at = 0; at < others; ++at)
        CHECK(all[at] == 2 * at + 1 - is_odd);
    for (at = 0; at < others; ++at) {
        out[at] = 100 * rank + at;
        counts[at] = 1;
        places[at] = others - 1 - at;
    }
    MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (at = 0; at < others; ++at)
        CHECK(all[at] == 100 * (2 * at + 1 - is_odd) + own);
    MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, comm);
    for (at = 0; at < others; ++at)
        CHECK(all[others - 1 - at] == 2 * at + 1 - is_odd);
    MPI_Alltoallv(out, counts, places, MPI_INT, all, counts, places, MPI_INT, comm);
    for (at = 0; at < others; ++at)
        CHECK(all[others - 1 - at] == 100 * (2 * at + 1 - is_odd) + ours - 1 - own);
    /* Both halves have as much in all: ours * others, of which each rank gets what the other half
     * has ranks. */
    shares = ours * others;
    for (at = 0; at < shares; ++at)
        pairs[at] = at + rank;
    MPI_Reduce_scatter_block(pairs, part, others, MPI_INT, MPI_SUM, comm);
    for (at = 0; at < others; ++at)
        CHECK(part[at] == others * (own * others + at) + sum_of_others());
}

static void not_waiting(void) {
    MPI_Comm copy, second;
    MPI_Request requests[4];
    int sum = 0, root = is_odd ? 0 : own == 0 ? MPI_ROOT : MPI_PROC_NULL, value = own == 0 ? 9 : 0;
    MPI_Comm_idup(across, &copy, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, across, &requests[1]);
    MPI_Ibcast(&value, 1, MPI_INT, root, across, &requests[2]);
    MPI_Comm_dup(MPI_COMM_WORLD, &second); /* beside the other one */
    MPI_Ibarrier(across, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(sum == sum_of_others() && value == (is_odd || own == 0 ? 9 : 0));
    symmetric(copy);
    rooted(copy);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, second);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Comm_free(&second);
    MPI_Comm_free(&copy);
}

static void made_of_them(void) {
    MPI_Comm merged, copy, part, few;
    MPI_Group group, first;
    int result, its_rank, its_size, sum, flag;
    MPI_Intercomm_merge(across, is_odd, &merged);
    MPI_Comm_rank(merged, &its_rank);
    CHECK(its_rank == (is_odd ? others + own : own));
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Comm_compare(merged, MPI_COMM_WORLD, &result);
    CHECK(result == (size > 2 ? MPI_SIMILAR : MPI_CONGRUENT));
    MPI_Comm_compare(merged, across, &result);
    CHECK(result == MPI_UNEQUAL);
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(across, 1, &merged);
    MPI_Comm_rank(merged, &its_rank);
    CHECK(its_rank == (is_odd ? others + own : own)); /* that of rank 0 is the first */
    MPI_Comm_free(&merged);

    MPI_Comm_dup(across, &copy);
    MPI_Comm_compare(across, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_test_inter(copy, &flag);
    CHECK(flag);
    symmetric(copy);
    MPI_Comm_free(&copy);

    /* The first of each half, and those behind: backwards. */
    MPI_Comm_split(across, own == 0, -own, &part);
    if (ours > 1 && others > 1) {
        MPI_Comm_remote_size(part, &its_size);
        MPI_Comm_rank(part, &its_rank);
        CHECK(its_size == (own == 0 ? 1 : others - 1));
        CHECK(its_rank == (own == 0 ? 0 : ours - 1 - own));
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, part);
        CHECK(sum == (own == 0 ? 1 - is_odd : 2 * (others - 1) + 1 - is_odd));
        MPI_Comm_free(&part);
    } else if (part != MPI_COMM_NULL) {
        MPI_Comm_free(&part);
    }
    MPI_Comm_split(across, is_odd, 0, &part);
    CHECK(part == MPI_COMM_NULL);
    MPI_Comm_group(across, &group);
    MPI_Group_incl(group, 1, &(int){ours - 1}, &first);
    MPI_Comm_create(across, first, &few);
    CHECK((few != MPI_COMM_NULL) == (own == ours - 1));
    if (few != MPI_COMM_NULL) {
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, few);
        CHECK(sum == 2 * (others - 1) + 1 - is_odd);
        MPI_Comm_free(&few);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&group);
}

static void by_members_alone(void) {
    MPI_Comm few, copies[2], alone;
    MPI_Group world, some;
    MPI_Request requests[2];
    int at, ranks[64], sum, value, one = 1, two = 2;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (at = 0; 2 * at < size; ++at)
        ranks[at] = 2 * at;
    MPI_Group_incl(world, at, ranks, &some);
    if (!is_odd) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &few);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, few);
        CHECK(sum == ours * (ours - 1));
        MPI_Comm_free(&few);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &alone);
    MPI_Comm_size(alone, &value);
    CHECK(value == 1 || value == size); /* ranks of one machine share its memory elsewhere */
    MPI_Comm_free(&alone);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &alone);
    CHECK(alone == MPI_COMM_NULL);
    /* Two duplicates at a time, begun in another order by each half. */
    for (at = 0; at < 2; ++at)
        MPI_Comm_idup((at + is_odd) % 2 ? half : MPI_COMM_WORLD, &copies[(at + is_odd) % 2],
                      &requests[at]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    value = own == 0 ? ours - 1 : own - 1;
    MPI_Isend(&one, 1, MPI_INT, 2 * value + is_odd, 1, copies[0], &requests[0]);
    MPI_Isend(&two, 1, MPI_INT, value, 1, copies[1], &requests[1]);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copies[0]);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copies[1], MPI_STATUS_IGNORE);
    CHECK(value == 2);
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copies[0], MPI_STATUS_IGNORE);
    CHECK(value == 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_compare(copies[1], half, &at);
    CHECK(at == MPI_CONGRUENT);
    MPI_Comm_free(&copies[0]);
    MPI_Comm_free(&copies[1]);
}

/* Frees the program's handle of a type, not the one in the array, and uses its memory again. */
static void forget(MPI_Datatype type) {
    MPI_Datatype other;
    MPI_Type_free(&type);
    MPI_Type_contiguous(3, MPI_CHAR, &other);
    MPI_Type_free(&other);
}

/* Rank 0 and all others: a call that does not wait holds its types, as many as the other group has
 * ranks; those that mean nothing to it may be none. */
static void unequal(void) {
    const int alone = rank == 0, far = alone ? size - 1 : 1, first = alone ? 1 : 0;
    int at, in[192] = {0}, out[192], counts[64], places[64], root = alone ? MPI_ROOT : 0;
    MPI_Datatype types[64], gone;
    MPI_Comm side, comm;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, alone, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, first, 13, &comm);
    for (at = 0; at < 64; ++at)
        types[at] = MPI_DATATYPE_NULL;
    for (at = 0; at < far; ++at) {
        MPI_Type_vector(2, 1, 2, MPI_INT, &types[at]);
        MPI_Type_commit(&types[at]);
        counts[at] = 1;
        places[at] = 3 * at * (int)sizeof(int);
        out[3 * at] = 100 * rank + at;
        out[3 * at + 1] = -1;
        out[3 * at + 2] = out[3 * at] + 50;
    }
    MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, comm, &request);
    for (at = 0; at < far; ++at)
        forget(types[at]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (at = 0; at < far; ++at) {
        const int value = 100 * (first + at) + (alone ? 0 : rank - 1);
        CHECK(in[3 * at] == value && in[3 * at + 1] == 0 && in[3 * at + 2] == value + 50);
    }
    gone = types[0];
    MPI_Type_vector(2, 1, 2, MPI_INT, &types[0]);
    MPI_Type_commit(&types[0]);
    memset(in, 0, sizeof in);
    MPI_Igather(out, 1, alone ? gone : types[0], in, 1, alone ? types[0] : gone, root, comm,
                &request);
    forget(types[0]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (at = 0; alone && at < far; ++at)
        CHECK(in[3 * at] == 100 * (at + 1) && in[3 * at + 2] == in[3 * at] + 50);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&side);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    is_odd = rank % 2;
    MPI_Comm_split(MPI_COMM_WORLD, is_odd, rank, &half);
    MPI_Comm_rank(half, &own);
    MPI_Comm_size(half, &ours);
    others = size - ours;
    if (size > 1) {
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - is_odd, 12, &across);
        messages();
        symmetric(across);
        rooted(across);
        not_waiting();
        made_of_them();
        by_members_alone();
        unequal();
        MPI_Comm_set_errhandler(across, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        CHECK(class_of(MPI_Scan(&rank, &own, 1, MPI_INT, MPI_SUM, across)) == MPI_ERR_COMM);
        CHECK(class_of(MPI_Send(&rank, 1, MPI_INT, others, 0, across)) == MPI_ERR_RANK);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        MPI_Comm_free(&across);
    }
    MPI_Comm_free(&half);
    return end();
}
