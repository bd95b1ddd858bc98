/* Requests that the program completes itself, alone and among others, in all calls that end one. */
#include "check.h"

typedef struct {
    int number, code; /* what the functions tell of it */
    int asked, freed, cancelled, too_late;
    MPI_Request request;
} Task;

static int query(void *extra, MPI_Status *status) {
    Task *task = extra;
    ++task->asked;
    MPI_Status_set_elements(status, MPI_INT, task->number);
    MPI_Status_set_cancelled(status, task->cancelled);
    status->MPI_SOURCE = 10 * task->number;
    status->MPI_TAG = 100 * task->number;
    return MPI_SUCCESS;
}

static int drop(void *extra) {
    Task *task = extra;
    ++task->freed;
    return task->code;
}

static int cancel(void *extra, int complete) {
    Task *task = extra;
    if (complete) {
        ++task->too_late;
        return MPI_SUCCESS;
    }
    task->cancelled = 1;
    return MPI_Grequest_complete(task->request);
}

static MPI_Request start(Task *task, int number) {
    memset(task, 0, sizeof *task);
    task->number = number;
    MPI_Grequest_start(query, drop, cancel, task, &task->request);
    return task->request;
}

/* The status is what query() told, and the request is gone. */
static int told(const Task *task, const MPI_Status *status) {
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    return count == task->number && status->MPI_SOURCE == 10 * task->number &&
           status->MPI_TAG == 100 * task->number && task->asked == 1 && task->freed == 1;
}

static void alone(void) {
    Task task;
    MPI_Request request = start(&task, 3);
    MPI_Status status;
    int flag = 1;
    MPI_Test(&request, &flag, &status);
    CHECK(!flag && request == task.request);
    MPI_Request_get_status(request, &flag, &status);
    CHECK(!flag && task.asked == 0);
    MPI_Grequest_complete(request);
    CHECK(task.asked == 0 && task.freed == 0);
    MPI_Request_get_status(request, &flag, &status);
    CHECK(flag && task.asked == 1 && task.freed == 0 && status.MPI_SOURCE == 30);
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && task.asked == 2 && task.freed == 0);
    task.asked = 0;
    MPI_Wait(&request, &status);
    CHECK(told(&task, &status) && request == MPI_REQUEST_NULL);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag);
    request = start(&task, 4);
    MPI_Grequest_complete(request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && task.asked == 1 && task.freed == 1 && request == MPI_REQUEST_NULL);
}

static void freed(void) {
    Task task;
    MPI_Request request = start(&task, 1);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL && task.freed == 0);
    MPI_Grequest_complete(task.request);
    CHECK(task.freed == 1 && task.asked == 0);
    request = start(&task, 1);
    MPI_Grequest_complete(request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL && task.freed == 1 && task.asked == 0);
}

static void cancelled(void) {
    Task task;
    MPI_Request request = start(&task, 5);
    MPI_Status status;
    int flag = 0;
    MPI_Cancel(&request);
    CHECK(request == task.request && task.too_late == 0);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag && told(&task, &status));
    request = start(&task, 6);
    MPI_Grequest_complete(request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag && task.too_late == 1 && told(&task, &status));
}

static void among_others(void) {
    Task tasks[2];
    MPI_Request requests[5];
    MPI_Status statuses[5];
    int in[2] = {-1, -1}, places[5], place, flag, done, to = (rank + 1) % size;
    for (flag = 0; flag < 2; ++flag) {
        requests[2 * flag] = start(&tasks[flag], flag + 1);
        MPI_Irecv(&in[flag], 1, MPI_INT, (rank + size - 1) % size, flag, MPI_COMM_WORLD,
                  &requests[2 * flag + 1]);
    }
    requests[4] = MPI_REQUEST_NULL;
    MPI_Send(&rank, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    MPI_Waitany(5, requests, &place, statuses);
    CHECK(place == 1 && in[0] == statuses[0].MPI_SOURCE);
    MPI_Testany(3, requests, &place, &flag, statuses);
    CHECK(!flag && place == MPI_UNDEFINED);
    MPI_Grequest_complete(requests[2]);
    MPI_Testany(5, requests, &place, &flag, statuses);
    CHECK(flag && place == 2 && told(&tasks[1], statuses) && requests[2] == MPI_REQUEST_NULL);
    MPI_Testsome(3, requests, &done, places, statuses);
    CHECK(done == 0);
    MPI_Testall(5, requests, &flag, statuses);
    CHECK(!flag && tasks[0].asked == 0);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitsome(3, requests, &done, places, statuses);
    CHECK(done == 1 && places[0] == 0 && told(&tasks[0], statuses));
    requests[0] = start(&tasks[0], 7);
    requests[2] = start(&tasks[1], 8);
    MPI_Send(&rank, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
    MPI_Grequest_complete(requests[2]);
    MPI_Grequest_complete(requests[0]);
    MPI_Waitall(5, requests, statuses);
    CHECK(told(&tasks[0], &statuses[0]) && told(&tasks[1], &statuses[2]));
    CHECK(in[1] == statuses[3].MPI_SOURCE && requests[2] == MPI_REQUEST_NULL);
}

/* The code of drop() is the one that is returned. */
static void errors(void) {
    Task tasks[2];
    MPI_Request requests[2];
    MPI_Status statuses[2];
    int at;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (at = 0; at < 2; ++at) {
        requests[at] = start(&tasks[at], at + 1);
        tasks[at].code = at == 0 ? MPI_SUCCESS : MPI_ERR_OTHER;
        MPI_Grequest_complete(requests[at]);
    }
    CHECK(class_of(MPI_Waitall(2, requests, statuses)) == MPI_ERR_IN_STATUS);
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS);
    CHECK(class_of(statuses[1].MPI_ERROR) == MPI_ERR_OTHER);
    CHECK(told(&tasks[0], &statuses[0]) && told(&tasks[1], &statuses[1]));
    requests[0] = start(&tasks[0], 1);
    tasks[0].code = MPI_ERR_OTHER;
    MPI_Grequest_complete(requests[0]);
    CHECK(class_of(MPI_Wait(requests, statuses)) == MPI_ERR_OTHER && told(&tasks[0], statuses));
    requests[0] = start(&tasks[0], 1);
    tasks[0].code = MPI_ERR_OTHER;
    MPI_Grequest_complete(requests[0]);
    CHECK(class_of(MPI_Request_free(requests)) == MPI_ERR_OTHER && tasks[0].freed == 1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static Task awaited;

static void add_and_complete(void *in, void *inout, int *count, MPI_Datatype *type) {
    (void)count, (void)type;
    *(int *)inout += *(int *)in;
    if (rank == 0 && awaited.number == 9) {
        awaited.number = 10;
        MPI_Grequest_complete(awaited.request);
    }
}

/* What completes it may happen while the program waits for it. */
static void behind(void) {
    int sum = 0;
    MPI_Op op;
    MPI_Request reduction;
    MPI_Status status;
    MPI_Op_create(add_and_complete, 1, &op);
    start(&awaited, 9);
    MPI_Ireduce(&rank, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD, &reduction);
    if (rank != 0)
        MPI_Grequest_complete(awaited.request);
    MPI_Wait(&awaited.request, &status);
    CHECK(told(&awaited, &status) && awaited.number == (rank == 0 ? 10 : 9));
    MPI_Wait(&reduction, MPI_STATUS_IGNORE);
    CHECK(rank != 0 || sum == size * (size - 1) / 2);
    MPI_Op_free(&op);
}

int main(int argc, char **argv) {
    begin(&argc, &argv);
    alone();
    freed();
    cancelled();
    among_others();
    errors();
    behind();
    return end();
}
