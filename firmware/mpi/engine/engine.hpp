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
    /// The calls that it is of.
    enum class Kind : std::uint8_t { send, receive, collective, generalized };
    /// The mode of a send (MPI 4.1, 3.4).
    enum class Mode : std::uint8_t { standard, synchronous, buffered };

    Request* next = nullptr; // in the engine's list that it is in
    Kind kind = Kind::send;
    Mode mode = Mode::standard;
    bool is_persistent = false;
    bool is_active = true; // begun, and its end not told to the program
    bool is_done = false;
    bool is_cancelled = false;
    bool is_ours = false;   // the engine ends it, since the program has given it up
    bool owns_comm = false; // is an owner of the communicator

    // The arguments of its call.
    Comm* comm = nullptr;
    Traffic traffic = Traffic::messages;
    std::uint32_t context = 0; // of both, since it began: the program may free the communicator
    Rank peer = MPI_PROC_NULL;
    int tag = 0;
    std::uint16_t meaning = 0; // of a collective; a message of the program has that of its type
    Type* type = nullptr;
    int count = 0;
    std::byte* data = nullptr; // of the program; not written by a send

    // Its fate.
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
    std::uint32_t moved = 0;       // bytes that have come, or that the receiver has
};

/// A request of the kind `collective`.
struct Collective : Request {
    /// Begins it again, or gives back what it holds if it is not under way.
    void (*act)(Collective& self, bool begins) = nullptr;
};

/// Starts the processes of the engine; false: the board has no room for them.
bool start_engine();
/// Waits until nothing that this node has sent is under way.
void drain_engine();

/// A request that has not begun. For MPI_PROC_NULL it has no data, whatever the type.
Request asked(Request::Kind kind, const void* data, int count, MPI_Datatype type, Rank peer,
              int tag, Comm& comm, Traffic traffic = Traffic::messages);
/// Begins a request, whose error tells what went wrong when it is done. `comm`, `type` and `data`
/// must stay until then. Waits for memory, or ends the run if none can come back.
void begin(Request& request);
/// Sends a message that fits into its envelope: `data` is not needed any more then. False: it is
/// too large for that, or the receiver has failed; nothing was done. One packet.
bool send_at_once(const Comm& comm, std::uint32_t context, const Type& type, std::size_t count,
                  const void* data, Rank to, int tag, std::uint16_t meaning);
/// Sends the first `bytes` bytes of `room`, which the engine keeps until they have left. Ends the
/// run if the heap has no room.
void send_room(Comm& comm, Traffic traffic, Room room, std::size_t bytes, Rank to, int tag);
/// Sends a copy of the data of a send that has begun, which is done then.
void send_copy(Request& request);
/// Waits for the end of a request. Sets the model clock of the program.
void wait(Request& request);
/// Advances the clock of the program to that of a request that is done.
void take_clock(const Request& request);
/// Lets a hundredth of a unit of model time pass, for a call that found nothing: some programs do
/// nothing but ask.
void pass_time();
/// Lets a little time pass after each 16th wait for a message of this rank to itself. Such a
/// message is there at once, so a program that does nothing else in a loop would keep others from
/// changing its window. There only in a program with windows.
[[gnu::weak]] void let_others_change();
/// Takes a request from the program: it is ended now, or when it is done. The engine is its owner.
void leave_to_engine(Request& request);

struct Unexpected; // envelope.hpp

/// A message that a receive could take now.
struct Found {
    bool there = false;
    Rank source = MPI_PROC_NULL;
    int tag = MPI_ANY_TAG;
    std::uint32_t bytes = 0;
};
/// The first message of a rank, or of MPI_ANY_SOURCE, with this tag, or MPI_ANY_TAG.
Found find(const Comm& comm, Rank source, int tag);
/// The same. A look in vain takes a little time, in which the message may come.
Found look(const Comm& comm, Rank source, int tag);
/// The same; waits until there is one, or until the source has failed: then there is none.
Found wait_to_find(const Comm& comm, Rank source, int tag);

/// Takes a message that has come out of the engine, so that no other receive can have it; nullptr:
/// there is none. One begin() has to follow, to which it goes.
Unexpected* take_message(const Comm& comm, Rank source, int tag);
/// Begins the receive of such a message. Ends the run if the heap has no room for its answer.
void begin(Request& request, Unexpected* message);

/// The call that a message is a part of, and `meaning`, about which its ranks must agree.
struct PartKind {
    const char* call;
    int tag;
    std::uint16_t meaning = 0;
};
/// Sends bytes of a collective to a rank, and waits until they may change.
void send_part(Comm& comm, std::span<const std::byte> bytes, Rank to, const PartKind& part);
/// Receives bytes of a collective from a rank, and waits for them. The code of code_of_part().
int receive_part(Comm& comm, std::span<std::byte> bytes, Rank from, const PartKind& part);
/// Does both at the same time. The code of code_of_part() for the receive.
int exchange_parts(Comm& comm, std::span<const std::byte> mine, Rank to,
                   std::span<std::byte> theirs, Rank from, const PartKind& part);
/// The same; gives the receive, whose errors the caller tells.
Request swap_parts(Comm& comm, std::span<const std::byte> mine, Rank to,
                   std::span<std::byte> theirs, Rank from, const PartKind& part);
/// The code that a call returns for a message of a collective that is done, told if it is an error:
/// MPI_SUCCESS, MPI_ERR_TRUNCATE for another size than `capacity`, MPI_ERR_ARG for another root,
/// operation or datatype, MPIX_ERR_PROC_FAILED or MPIX_ERR_REVOKED.
int code_of_part(const Request& request, const char* call);
/// A receive of collectives from this rank, or MPI_ANY_SOURCE, that has not ended, and whose tag is
/// not below `least_tag`; nullptr: there is none.
Request* part_under_way(const Comm& comm, Rank from, int least_tag);

} // namespace mesh::mpi
