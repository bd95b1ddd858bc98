// Windows: memory of a rank that the others read and change, while its program takes no part.
//
// What a rank asks of another one's window goes there as a message of the window's own context. A
// strand of that node, one for all windows, serves what comes, one after the other and each as a
// whole, whenever the program there waits in a call. So operations are atomic, and what one rank
// asks of another takes effect in the order in which it asked: an answer to the question `flush`
// tells that all before it is done.
#pragma once

#include "mpi/engine/engine.hpp"
#include "mpi/objects/queue.hpp"

#include <algorithm>
#include <cstdint>

namespace mesh::mpi {

/// What a rank asks of a window. Runs of memory follow, then data for all of them side by side.
struct Ask {
    enum class What : std::uint32_t { put, get, accumulate, fetch, compare, flush, lock, unlock };
    What what;
    int answer;            // the tag of the answer, if there is one
    std::uint32_t op;      // number of the operation of accumulate and fetch; kind of a lock
    std::uint32_t element; // that it is for
    std::uint32_t unit;    // its bytes
    std::uint32_t run_count;
    std::uint32_t bytes;  // of the runs in all
    std::uint32_t unused; // what follows is aligned to 8 bytes
};
static_assert(sizeof(Ask) == 32);

/// What all ranks know of the memory of each.
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
    int code = MPI_SUCCESS; // of what was asked before it, if the answer has no data
    Request request;
};

/// Memory that a dynamic window has.
struct Attached {
    Attached* next;
    std::uintptr_t begin;
    std::uintptr_t end;
};

/// Whether a rank may be asked, and what of that is under way.
struct Target {
    int lock = 0;            // its kind; 0: none
    bool is_started = false; // by MPI_Win_start()
    /// That rank has asked this one for what is not attached, and was not told yet.
    bool has_strayed = false;
    std::uint32_t asked = 0; // bytes of all that was asked since the last flush
};

/// A communicator of its own, too, on which its messages go.
struct Window : Comm {
    using Handle = MPI_Win;
    static constexpr const ObjectKind& kKind = kWindow;
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
    bool is_all_locked = false;
    bool is_posted = false;
    Fetch* exposed = nullptr; // since MPI_Win_post(): each origin tells that it has done
    Group* started = nullptr;
    bool was_refused = false; // something that was asked, and the program was not told yet

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

/// Operations that move bytes as they are.
inline bool is_plain(MPI_Op op) { return op == MPI_REPLACE || op == MPI_NO_OP; }
/// The pair type of C that has such elements, if an object of it has bytes that are no data; else
/// nullptr. An operation has each of these by itself, in a run from its first byte.
const Type* pair_with_hole(Element element);

/// Starts the strand that serves windows, if there is none. False: there is no room for it.
bool start_server();

/// The tag of an answer that nothing else has for long.
int new_tag(Window& window);
/// Begins to receive a message of another rank, and puts that before the others of a list.
void expect(Window& window, Fetch** list, void* data, int count, MPI_Datatype type, Rank from,
            int tag);
/// Asks with nothing but the question, whose answer has no data.
void ask(Window& window, Ask::What what, Rank target, int kind = 0);
/// Waits for the answers of a rank; MPI_ANY_SOURCE: of all ranks. False: there was none to wait
/// for.
bool wait_for_answers(Window& window, Rank target);
/// Waits until all that was asked of a rank is done; MPI_ANY_SOURCE: of all ranks. False: nothing
/// was asked.
bool flush(Window& window, Rank target);
/// Waits for what was asked before, of a rank or of all, if that and `bytes` more would be too
/// much: what is asked lies in the heap of one or the other until it is done.
void bound_what_is_asked(Window& window, Rank target, std::size_t bytes);

/// Checks of the calls for a window.
class WindowChecks : public Checks {
public:
    WindowChecks(const char* call, MPI_Win handle);
    /// Also MPI_PROC_NULL.
    WindowChecks& target(Rank rank);
    /// The window may be accessed there now; MPI_ANY_SOURCE: at some rank.
    WindowChecks& access(Rank rank);
    /// What a call returns after a wait for answers: an access may have been refused at its target.
    int end();
    /// Only where nothing is bad.
    Window& window() const { return static_cast<Window&>(comm()); }
};

} // namespace mesh::mpi
