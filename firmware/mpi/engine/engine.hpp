// The engine: moves the messages of MPI above those of the kernel.
//
// A kernel's message that no process is ready to take waits at its sender, and all behind it wait
// with it; there may be too many such for a mesh to go on. So processes of the engine take
// everything at once. A message of MPI begins with an envelope, which is one kernel message of one
// packet under one tag, so envelopes come in the order in which they were sent:
//
// - eager: a small message is in its envelope. If no receive waits for it, it goes to the heap.
// - announced: a large message stays with its sender, and so does each of MPI_Ssend().
// - go: the answer to `announced`, once a receive has been found for it. Then the data comes, in
//   messages of another tag, straight into the memory of the receive.
// - take_back: the sender cancels what it announced. If no receive has been found for it, the
//   receiver forgets it and answers `taken_back`; else `go` was its answer.
//
// Envelopes are matched in the order in which they came, receives in the order in which they began:
// that is the order of the standard. Progress is made whenever the program waits in a call of MPI.
//
// Model time: a message leaves at the time at which the program sent it, `go` at the later one of
// the announcement and the receive, and a receive ends when the last packet has come. What the
// engine's own processes do takes no time.
#pragma once

#include "mpi/datatypes/types.hpp"
#include "mpi/objects/objects.hpp"

#include <cstdint>

namespace mesh::mpi {

/// A message that a program sends or receives, while it is under way.
struct Request : ObjectOf<kRequest, MPI_Request> {
    enum class Kind : std::uint8_t { send, receive, collective, generalized };
    enum class Mode : std::uint8_t { standard, synchronous, buffered };

    Request* next = nullptr; // in the engine's list that it is in
    Kind kind = Kind::send;
    Mode mode = Mode::standard;
    bool is_persistent = false;
    bool is_active = true; // begun, and its end not told to the program
    bool is_done = false;
    bool is_cancelled = false;
    bool is_ours = false;   // nobody waits for it: the engine ends it
    bool owns_comm = false; // is an owner of the communicator

    // What was asked for.
    Comm* comm = nullptr;
    Traffic traffic = Traffic::messages;
    std::uint32_t context = 0; // of both, since it began: the program may free the communicator
    Rank peer = MPI_PROC_NULL;
    int tag = 0;
    std::uint16_t meaning = 0; // of a collective; a message of the program has that of its type
    Type* type = nullptr;
    int count = 0;
    std::byte* data = nullptr; // of the program; not written by a send

    // What became of it.
    Rank source = MPI_PROC_NULL;
    int its_tag = MPI_ANY_TAG;
    int error = MPI_SUCCESS;
    std::uint16_t its_meaning = 0; // of a message that means something else
    std::uint32_t bytes = 0;       // of the message
    wire::ModelTime clock = 0;     // when it began, then when it was done
    Room room;                     // for data that does not lie side by side
    std::byte* place = nullptr;    // of the data side by side
    std::uint32_t capacity = 0;    // bytes there
    NodeId node = kNoNode;         // an announced message: the other end
    std::uint32_t number = 0;      // of an announced send
    std::uint32_t begun = 0;       // bytes of the data that have begun to come
    std::uint32_t moved = 0;       // bytes that have come, or whose receiver has them
};

/// A request of the kind `collective`.
struct Collective : Request {
    /// Begins it again, or gives back what it holds if it is not under way.
    void (*act)(Collective& self, bool begins) = nullptr;
};

/// Starts the processes of the engine; false: there is no room for them.
bool start_engine();
/// Waits until nothing that this node has sent is under way.
void drain_engine();

/// A request that has not begun.
Request asked(Request::Kind kind, const void* data, int count, MPI_Datatype type, Rank peer,
              int tag, Comm& comm, Traffic traffic = Traffic::messages);
/// Begins what a request asks for. `comm`, `type` and `data` must stay until it is done.
void begin(Request& request);
/// Sends a message that goes with its envelope: `data` is not needed any more then. False: it is
/// too large for that, nothing was done.
bool send_at_once(const Comm& comm, std::uint32_t context, const Type& type, std::size_t count,
                  const void* data, Rank to, int tag, std::uint16_t meaning);
/// Sends `bytes` of what `room` has; nobody waits for the end.
void send_room(Comm& comm, Traffic traffic, Room room, std::size_t bytes, Rank to, int tag);
/// The same with a copy of the data of a send that has begun, which is done then.
void send_copy(Request& request);
/// Waits for its end. Sets the model clock of the program.
void wait(Request& request);
/// The clock of the program is at least that of a request that is done.
void take_clock(const Request& request);
/// Lets a hundredth of a unit of model time pass, for a call that found nothing: some programs do
/// nothing but ask.
void pass_time();
/// For a wait for what this rank itself has sent: it is there at once, and no time passes, so that
/// a program that does nothing else in a loop would keep others from changing its window. There
/// only in a program with windows.
[[gnu::weak]] void let_others_change();
/// The program no longer has a request: it is ended now, or when it is done.
void leave_to_engine(Request& request);

struct Unexpected; // envelope.hpp

/// A message that a receive could take now.
struct Found {
    bool there = false;
    Rank source = MPI_PROC_NULL;
    int tag = MPI_ANY_TAG;
    std::uint32_t bytes = 0;
};
Found find(const Comm& comm, Rank source, int tag);
/// The same for a look in vain, which takes a little time, in which what is looked for may come.
Found look(const Comm& comm, Rank source, int tag);
/// The same; waits until there is one, or a failure: then none is there.
Found wait_to_find(const Comm& comm, Rank source, int tag);

/// Takes out of the engine a message that has come, so that no other receive can have it; nullptr:
/// there is none. One begin() has to follow.
Unexpected* take_message(const Comm& comm, Rank source, int tag);
/// Begins the receive of such a message.
void begin(Request& request, Unexpected* message);

/// Of which call a message is a part, and what the ranks that make it must agree about.
struct PartKind {
    const char* call;
    int tag;
    std::uint16_t meaning = 0;
};
/// Sends and receives of collectives, by rank. They wait. Each gives what the call returns: ranks
/// that do not agree, also about the size, are an error.
void send_part(Comm& comm, std::span<const std::byte> bytes, Rank to, const PartKind& part);
int receive_part(Comm& comm, std::span<std::byte> bytes, Rank from, const PartKind& part);
/// Both at the same time.
int exchange_parts(Comm& comm, std::span<const std::byte> mine, Rank to,
                   std::span<std::byte> theirs, Rank from, const PartKind& part);
/// The same for what cannot be wrong.
Request swap_parts(Comm& comm, std::span<const std::byte> mine, Rank to,
                   std::span<std::byte> theirs, Rank from, const PartKind& part);
/// The same for a receive of a collective that is done.
int code_of_part(const Request& request, const char* call);
/// A receive of collectives from this rank, or MPI_ANY_SOURCE, with such a tag or a greater one,
/// that has not ended; nullptr: there is none.
Request* part_under_way(const Comm& comm, Rank from, int least_tag);

} // namespace mesh::mpi
