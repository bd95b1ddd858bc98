// What the engine has under way, for those who take some of it back.
#pragma once

#include "kernel/node/kernel.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/engine/engine.hpp"
#include "mpi/engine/envelope.hpp"
#include "mpi/objects/queue.hpp"

#include <cstddef>

namespace mesh::mpi {

extern Queue<Request> announced; // sends that wait for `go`
extern Queue<Request> posted;    // receives that wait for an envelope
extern Queue<Unexpected> unexpected;
extern Queue<Request> expected; // receives whose data was called for, as it will come
/// The link to the first one that such a receive takes; what it points to is nullptr if there is
/// none.
Unexpected** find_unexpected(std::uint32_t context, Rank source, int tag);
/// What a probe of the program waits for, if one does.
struct Probing {
    const Comm* comm = nullptr;
    Rank source = MPI_PROC_NULL;
};
extern Probing probing;
/// The wait for the end of one request, as the host tool tells it. Its name, and where its fields
/// are, are known to kernel/api/waits.cpp.
struct RequestDone {
    const Request* request;
    mutable Awaited awaited;
    bool has_gone = false; // wait until `announced` has it no more; it may be freed by then

    bool operator()() const {
        if (has_gone)
            return *announced.find([this](const Request& one) { return &one == request; }) ==
                   nullptr;
        if (!request->is_done)
            see_what_came();
        return request->is_done;
    }

private:
    void see_what_came() const {
        const Unexpected* const one =
            *find_unexpected(request->context, MPI_ANY_SOURCE, MPI_ANY_TAG);
        if (one == nullptr)
            return;
        awaited.came_from = one->from;
        awaited.came_tag = one->envelope.tag;
    }
};
static_assert(offsetof(RequestDone, awaited) == sizeof(void*) && sizeof(Awaited) == 20);

/// kNoNode: any.
inline NodeId peer_node(const Comm& comm, Rank peer) {
    return peer == MPI_ANY_SOURCE ? kNoNode : comm.peers->node(peer);
}

/// A letter with room for `bytes` behind it; nullptr: there is none.
void* room_for_letter(std::size_t bytes);
/// The same for the program: waits for memory until nothing of it can come back.
void* program_memory(std::size_t bytes);
/// Sends an envelope from such a place, with the data that lies behind it there.
void post_envelope(void* place, NodeId to, const Envelope& envelope, std::size_t data_bytes,
                   wire::ModelTime when);
/// A send is done, or a part of it.
void has_left(Request& request, std::uint32_t bytes, wire::ModelTime when);

/// A message of the program has other data than its receive asks for. There only in a program that
/// has messages.
[[gnu::weak]] void tell_meaning(const Envelope& envelope, std::uint16_t ours);

/// The same of a receive that begins and has the buffer of another one.
[[gnu::weak]] void tell_overlap(const Request& request);

/// Notes of a receive what its message means, if that is not what it asks for.
void compare(Request& request, const Envelope& envelope);

/// A sender cancels what it announced to this node. False: no memory for the answer, nothing done.
bool give_back(const Envelope& asked, NodeId from, wire::ModelTime ready);
/// A receiver has forgotten what this node cancelled. There only in a program that cancels.
[[gnu::weak]] void end_cancelled(std::uint32_t number, wire::ModelTime ready);

/// The wait of a process that works whenever the node has had an event: `work` is asked then, and
/// never says that the wait is over, since there is always something to come.
class Always : public Waiting {
public:
    Always(Kernel& kernel, bool (*work)(Waiting&)) : Waiting(kernel.scheduler(), work) {}
    Status await_resume() const { return Status::ok; }
};
template <bool (*kWork)(Waiting&)>
Process always(Kernel& kernel) {
    const Status status = co_await Always{kernel, kWork};
    co_return status;
}

// Members that fail. A program that makes a call of failures.cpp has other functions there in place
// of the weak ones of outlived.cpp; these do what both need.

bool start_processes();
void begin_now(Request& request);
bool send_now(const Comm& comm, std::uint32_t context, const Type& type, std::size_t count,
              const void* data, Rank to, int tag, std::uint16_t meaning);
/// A node does not answer any more, to which data of this request was to go; nullptr: of none.
void lose_node(NodeId node, Request* request);
void note_meaning(Request& request, const Envelope& envelope);
int disagreement_in(const Request& request, const char* call);
/// What has come, or was announced, on communicators that were revoked goes.
void forget_revoked();
/// Waits for all, at the end.
int meet_at_end(Comm& world, const char* call);
const char* words_of_standard(int code);

/// The error that a call now has for a message with `peer`, or MPI_ANY_SOURCE; MPI_SUCCESS: none.
/// There only in a program that makes a call of failures.cpp.
[[gnu::weak]] int failure_of(const Comm& comm, Rank peer);

} // namespace mesh::mpi
