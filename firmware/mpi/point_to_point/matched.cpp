// Probes that take a message for the one receive that names it.
#include "mpi/engine/under_way.hpp"
#include "mpi/point_to_point/status.hpp"

namespace mesh::mpi {

namespace {

/// Gives the program the message that was found, or the error if its source has failed.
int match(Checks& checks, Rank from, const Found& found, MPI_Message* message, MPI_Status* status) {
    Comm& comm = checks.comm();
    *message = MPI_MESSAGE_NULL;
    if (!found.there)
        return failure_of == nullptr ? MPI_SUCCESS : checks.end(failure_of(comm, from));
    *message = MPI_MESSAGE_NO_PROC;
    if (from != MPI_PROC_NULL) {
        Unexpected* const taken = take_message(comm, found.source, found.tag);
        taken->comm = &comm;
        ++comm.owners;
        *message = give_handle(*taken);
    }
    tell(found, status);
    return MPI_SUCCESS;
}

/// The receive of a message that the program has from a probe.
class Matched : public Checks {
public:
    Matched(const char* call, const void* memory, int number, MPI_Datatype handle,
            const MPI_Message* place)
        : Checks(call) {
        if (result(place).bad())
            return;
        const MPI_Message message = *place;
        message_ = find_object<Unexpected>(message);
        if (message_ != nullptr)
            answer_for(*message_->comm);
        else if (message == MPI_MESSAGE_NULL)
            refuse(MPI_ERR_REQUEST, "the message is none that MPI_Mprobe() gave");
        else if (message != MPI_MESSAGE_NO_PROC)
            refuse_handle(number_of(message), kMessage);
        if (message_ != nullptr)
            data(memory, number, handle);
    }
    Request request(void* memory, int number, MPI_Datatype handle) const {
        const Rank from = message_ == nullptr ? MPI_PROC_NULL : MPI_ANY_SOURCE;
        Request made =
            asked(Request::Kind::receive, memory, number, handle, from, MPI_ANY_TAG, comm());
        made.owns_comm = message_ != nullptr;
        return made;
    }
    void start(Request& request, MPI_Message* message) {
        if (message_ == nullptr)
            begin(request);
        else
            begin(request, message_);
        *message = MPI_MESSAGE_NULL;
    }

private:
    Unexpected* message_ = nullptr; // nullptr: MPI_MESSAGE_NO_PROC
};

int mprobe(Checks& checks, int from, int tag, MPI_Message* message, MPI_Status* status) {
    Comm& comm = checks.comm();
    const Found found = from == MPI_PROC_NULL ? Found{true} : wait_to_find(comm, from, tag);
    return match(checks, from, found, message, status);
}

int improbe(Checks& checks, int from, int tag, int* flag, MPI_Message* message,
            MPI_Status* status) {
    Comm& comm = checks.comm();
    const Found found = from == MPI_PROC_NULL ? Found{true} : look(comm, from, tag);
    *flag = found.there;
    return match(checks, from, found, message, status);
}

void mrecv(Matched& checks, void* data, int count, MPI_Datatype type, MPI_Message* message,
           MPI_Status* status) {
    Request request = checks.request(data, count, type);
    checks.start(request, message);
    wait(request);
    tell(request, status);
    if (request.error != MPI_SUCCESS)
        checks.refuse(request.error, nullptr);
    if (request.owns_comm)
        release(*request.comm);
}

int imrecv(Matched& checks, void* data, int count, MPI_Datatype type, MPI_Message* message,
           MPI_Request* handle) {
    auto* const request = make<Request>(checks.request(data, count, type));
    if (request == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    hold(request->type);
    checks.start(*request, message);
    *handle = give_handle(*request);
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/matched.inc"
