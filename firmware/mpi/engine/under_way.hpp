// Messages that the engine has under way, for the files that take some of them back.
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
extern Queue<Request> expected; // receives whose data was called for, in the order of its coming
/// The link to the first message that such a receive takes, or the one behind the last, to nullptr.
Unexpected** find_unexpected(std::uint32_t context, Rank source, int tag);
/// The message that a probe of the program waits for; `comm` is nullptr if none does.
struct Probing {
    const Comm* comm = nullptr;
    Rank source = MPI_PROC_NULL;
};
extern Probing probing;
/// The wait for the end of one request, as the host tool tells it. Its name, and the places of its
/// fields, are known to kernel/api/waits.cpp.
struct RequestDone {
    const Request* request;
    mutable Awaited awaited;
    bool has_gone = false; // waits until `announced` has it no more; it may be freed by then

    /// The wait is over. Else it notes the first message that has come and is another one.
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

/// The node of a rank of the other side; kNoNode for MPI_ANY_SOURCE.
inline NodeId peer_node(const Comm& comm, Rank peer) {
    return peer == MPI_ANY_SOURCE ? kNoNode : comm.peers->node(peer);
}

/// Memory of the heap for a letter with `bytes` bytes behind it; nullptr: there is none.
void* room_for_letter(std::size_t bytes);
/// The same for the program, which waits for memory, and for its turn. Ends the run if no memory
/// can come back.
void* program_memory(std::size_t bytes);
/// Sends an envelope from such a place, with `data_bytes` bytes of data that lie behind it there.
/// It leaves at the model time `when`. The engine frees the place.
void post_envelope(void* place, NodeId to, const Envelope& envelope, std::size_t data_bytes,
                   wire::ModelTime when);
/// Notes that the receiver has `bytes` more bytes of a send. The request may be gone then.
void has_left(Request& request, std::uint32_t bytes, wire::ModelTime when);

/// Prints that a message of the program has other data than its receive asks for. There only in a
/// program that has messages.
[[gnu::weak]] void tell_meaning(const Envelope& envelope, std::uint16_t ours,
                                const Request& request);

/// Prints that a receive which begins has the buffer of another one. There only in such a program.
[[gnu::weak]] void tell_overlap(const Request& request);

#if MESH_NOTES
/// Prints that the program has changed the buffer of a request since that began. There only in such
/// a program.
[[gnu::weak]] void tell_changed(const Request& request);
#endif

/// Notes the meaning of a message in its receive, if that asks for another one.
void compare(Request& request, const Envelope& envelope);

/// Forgets a message that its sender cancels, and answers. False: the heap has no room for the
/// answer, and nothing was done.
bool give_back(const Envelope& asked, NodeId from, wire::ModelTime ready);
/// Ends a send that this node cancelled, and that its receiver has forgotten. There only in a
/// program that cancels.
[[gnu::weak]] void end_cancelled(std::uint32_t number, wire::ModelTime ready);

/// The wait of a process that works whenever the node has had an event: `work` is asked then, and
/// never says that the wait is over, since there is always something to come.
class Always : public Waiting {
public:
    Always(Kernel& kernel, bool (*work)(Waiting&)) : Waiting(kernel.scheduler(), work) {}
    Status await_resume() const { return Status::ok; }
};
/// A process that waits so. It never ends, so its Status means nothing.
template <bool (*kWork)(Waiting&)>
Process always(Kernel& kernel) {
    const Status status = co_await Always{kernel, kWork};
    co_return status;
}

// Members that fail. A program that makes a call of failures.cpp has functions of that file in
// place of the weak ones of outlived.cpp; both need these.

/// Starts the processes that move messages; false: the board has no room for them.
bool start_processes();
/// Does begin() for a peer that has not failed.
void begin_now(Request& request);
/// Does send_at_once(), with the same result.
bool send_now(const Comm& comm, std::uint32_t context, const Type& type, std::size_t count,
              const void* data, Rank to, int tag, std::uint16_t meaning);
/// Ends the run, or notes the failure, since a node does not answer any more. `request`: the send
/// whose data was to go there, or nullptr.
void lose_node(NodeId node, Request* request);
/// Does compare() for a message of a member that has not failed.
void note_meaning(Request& request, const Envelope& envelope);
/// The code of code_of_part() for messages of members that have not failed.
int disagreement_in(const Request& request, const char* call);
/// Drops messages that have come, or were announced, on communicators that were revoked.
void forget_revoked();
/// Waits for all ranks at the end. MPI_SUCCESS, or an error that is told already unless the world
/// has MPI_ERRORS_RETURN.
int meet_at_end(Comm& world, const char* call);
/// The words for a class of the standard, which stay.
const char* words_of_standard(int code);

/// The error that a call now has for a message with `peer`, or MPI_ANY_SOURCE; MPI_SUCCESS: none.
/// There only in a program that makes a call of failures.cpp.
[[gnu::weak]] int failure_of(const Comm& comm, Rank peer);

} // namespace mesh::mpi
