// Windows: memory of a rank that the others read and change, while its program takes no part.
//
// A question to another rank's window goes there as a message of the window's own context. A strand
// of that node, one for all windows, serves questions, one after the other and each as a whole,
// whenever the program there waits in a call. So operations are atomic, and questions of one rank
// to another take effect in their order: an answer to the question `flush` tells that all before it
// is done.
#pragma once

#include "mpi/engine/engine.hpp"
#include "mpi/objects/queue.hpp"

#include <algorithm>
#include <cstdint>

namespace mesh::mpi {

/// A question to a window. Runs of memory follow, then data for all of them side by side.
struct Ask {
    /// The kinds of questions; those from `fetch` on, and `get`, have an answer.
    enum class What : std::uint32_t { put, get, accumulate, fetch, compare, flush, lock, unlock };
    What what;
    int answer;            // the tag of the answer, if there is one
    std::uint32_t op;      // number of the operation of accumulate and fetch; kind of a lock
    std::uint32_t element; // of the operation
    std::uint32_t unit;    // bytes of an element
    std::uint32_t run_count;
    std::uint32_t bytes;  // of the runs in all
    std::uint32_t unused; // aligns the runs to 8 bytes
};
static_assert(sizeof(Ask) == 32);

/// The memory of one rank, as all ranks know it.
struct Shape {
    MPI_Aint bytes;
    MPI_Aint unit; // of displacements
};

/// A rank that waits for a lock.
struct Waiter {
    Waiter* next;
    Rank rank;
    int kind;
    int answer;
};

/// The receive of an answer.
struct Fetch {
    Fetch* next = nullptr;
    int code = MPI_SUCCESS; // of the questions before it, if the answer has no data
    Request request;
};

/// Memory that is attached to a dynamic window.
struct Attached {
    Attached* next;
    std::uintptr_t begin;
    std::uintptr_t end;
};

/// The right to ask a rank, and the questions to it that are under way.
struct Target {
    int lock = 0;            // its kind; 0: none
    bool is_started = false; // by MPI_Win_start()
    /// That rank has asked for memory that is not attached here, and was not told yet.
    bool has_strayed = false;
    std::uint32_t asked = 0; // bytes of all questions since the last flush
};

/// A window, which is also a communicator of its own, on which its messages go.
struct Window : Comm {
    using Handle = MPI_Win; ///< the type in C
    static constexpr const ObjectKind& kKind = kWindow;
    /// Without ranks and memory yet.
    Window() { object_kind = &kKind; }

    Window* next = nullptr; // of all windows of the node
    std::byte* base = nullptr;
    int unit = 1; // of this rank's own memory
    int flavor = 0;
    int model = MPI_WIN_UNIFIED;
    Shape* shapes = nullptr;
    Target* targets = nullptr;
    Fetch* fetches = nullptr; // under way, newest first
    int answers = 0;          // tags given out
    std::uint32_t asked = 0;  // bytes, of all targets
    bool is_fenced = false;
    // Since the last fence, for a strict run:
    bool is_used = false;     // a call has accessed it
    bool has_locked = false;  // an epoch of another kind has begun
    std::uint32_t fences = 0; // so far
    bool is_all_locked = false;
    bool is_posted = false;
    Fetch* exposed = nullptr; // since MPI_Win_post(): each origin tells that it has done
    Group* started = nullptr;
    bool was_refused = false; // a question was, and the program was not told yet

    // Of this rank's own memory.
    Queue<Attached> attached;
    Queue<Waiter> waiters; // the first has waited for longest
    int holders = 0;       // of the lock
    int held = 0;          // its kind

    /// This rank has locked the memory of another one, or its own.
    bool has_lock() const {
        return is_all_locked || std::any_of(targets, targets + size(),
                                            [](const auto& its) { return its.lock != 0; });
    }
};

/// All windows of this node.
extern Queue<Window> windows;

/// An operation moves bytes as they are.
inline bool is_plain(MPI_Op op) { return op == MPI_REPLACE || op == MPI_NO_OP; }
/// The pair type of C that has such elements, if an object of it has bytes that are no data; else
/// nullptr. An operation has each of these by itself, in a run from its first byte.
const Type* pair_with_hole(Element element);

/// Starts the strand that serves windows, if there is none. False: the heap or the board has no
/// room.
bool start_server();

/// A tag for an answer, which is used again after 2^20 others.
int new_tag(Window& window);
/// Begins to receive a message of another rank, and puts the receive before the others of a list.
/// Ends the run if the heap has no room.
void expect(Window& window, Fetch** list, void* data, int count, MPI_Datatype type, Rank from,
            int tag);
/// Asks a question without data, whose answer has none either. `kind`: of a lock.
void ask(Window& window, Ask::What what, Rank target, int kind = 0);
/// Waits for the answers of a rank; MPI_ANY_SOURCE: of all ranks. False: there was none to wait
/// for.
bool wait_for_answers(Window& window, Rank target);
/// Waits until all questions to a rank are done; MPI_ANY_SOURCE: to all ranks. False: there were
/// none. A message there and one back.
bool flush(Window& window, Rank target);
#if MESH_NOTES
/// Ends a strict run if an access that nothing orders meets one of another call, or of the program
/// there, in one epoch (MPI 4.1, 12.7).
void note_access(const detail::WindowAccess& access);
/// Another rank that changes this rank's memory before the next fence makes this claim untrue.
void claim_no_put(const Window& window);
/// From now on the program's loads and stores in the window are such accesses.
void watch_window(const Window& window, std::size_t bytes);
/// The accesses of this rank at one, or, for MPI_ANY_SOURCE, at all, come before those that follow.
void order_accesses(const Window& window, Rank target);
#else
inline void claim_no_put(const Window&) {}
inline void watch_window(const Window&, std::size_t) {}
inline void order_accesses(const Window&, Rank) {}
#endif
/// The program may use the memory again that it has given to calls for a rank, or, for
/// MPI_ANY_SOURCE, for all.
void end_claims(const Window& window, Rank target);
/// Waits for earlier questions to a rank, or to all, if these and `bytes` more would be too much: a
/// question lies in the heap of one rank or the other until it is done.
void bound_what_is_asked(Window& window, Rank target, std::size_t bytes);

/// Checks of the calls for a window.
class WindowChecks : public Checks {
public:
    /// Refuses a handle that is no window with MPI_ERR_WIN.
    WindowChecks(const char* call, MPI_Win handle);
    /// A rank of the window, or MPI_PROC_NULL: MPI_ERR_RANK.
    WindowChecks& target(Rank rank);
    /// The window may be accessed at a rank now; MPI_ANY_SOURCE: at some rank. MPI_ERR_RMA_SYNC.
    WindowChecks& access(Rank rank);
    /// The code that a call returns after a wait for answers: a target may have refused an access
    /// (MPI_ERR_RMA_RANGE).
    int end();
    /// The window, only where nothing is bad.
    Window& window() const { return static_cast<Window&>(comm()); }
};

} // namespace mesh::mpi
