// What the handles of mpi.h stand for: communicators, groups, requests; and how a call tells what
// is wrong with it. Types and operations have files of their own.
#pragma once

#include "core/base/types.hpp"
#include "hal/heap.hpp"
#include "hal/notes.hpp"
#include "mpi/objects/handles.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace mesh::mpi {

using Rank = int;

inline constexpr int kTagMax = INT32_MAX;

struct Comm;
struct Request; // engine.hpp
struct Type;    // types.hpp

/// The kinds of traffic of a communicator, which never meet.
enum class Traffic : std::uint8_t { messages, collectives };

/// Objects that MPI_Finalize() tells of if they are left. `left<T>`: how many there are.
template <class T>
inline constexpr bool kIsCounted =
    std::is_same_v<T, Request> || std::is_same_v<T, Comm> || std::is_same_v<T, Type>;
template <class T>
inline unsigned left = 0;

/// A T on the heap of the program; nullptr: there is no room.
template <class T, class... Args>
T* make(Args&&... args) {
    void* const place = mesh_malloc(sizeof(T));
    if (place == nullptr)
        return nullptr;
    if constexpr (kIsCounted<T>)
        ++left<T>;
    return new (place) T{std::forward<Args>(args)...};
}
template <class T>
void destroy(T* object) {
    if (object != nullptr) {
        if constexpr (kIsCounted<T>)
            --left<T>;
        if constexpr (std::is_base_of_v<Object, T>)
            unlist(*object);
        object->~T();
        mesh_free(object);
    }
}

/// Bytes on the heap that go with this object. Ends the run if there is no room for them.
class Room {
public:
    Room() = default;
    explicit Room(std::size_t bytes);
    Room(Room&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}
    Room& operator=(Room&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() { mesh_free(bytes_); }
    std::byte* data() const { return bytes_; }
    /// The caller frees it.
    std::byte* release() { return std::exchange(bytes_, nullptr); }
    explicit operator bool() const { return bytes_ != nullptr; }

private:
    std::byte* bytes_ = nullptr;
};

/// A function of the program's own that is called for errors.
struct Errhandler : ObjectOf<kErrhandler, MPI_Errhandler> {
    MPI_Comm_errhandler_function* function = nullptr;
};

/// Ranks, and the node of each. Shared by the communicators and handles that have it.
struct Group : ObjectOf<kGroup, MPI_Group> {
    Rank size = 0;
    Rank own = MPI_UNDEFINED; // of this node
    NodeId* nodes = nullptr;

    NodeId node(Rank rank) const { return nodes[rank]; }
    std::span<const NodeId> all() const { return {nodes, static_cast<std::size_t>(size)}; }
    /// MPI_UNDEFINED: it is none of them.
    Rank rank_of(NodeId node) const;
};

struct Attributes; // attributes.hpp

inline constexpr std::size_t kNameBytes = MPI_MAX_OBJECT_NAME;

/// The ranks of a communicator as the points of a grid, the last dimension the fastest. Lies in one
/// block of the heap, with its axes behind it.
struct Grid {
    struct Axis {
        int size;
        bool is_periodic;
    };
    std::size_t bytes; // of all
    int dimensions;

    std::span<Axis> axes() {
        return {reinterpret_cast<Axis*>(this + 1), static_cast<std::size_t>(dimensions)};
    }
    std::span<const Axis> axes() const {
        return {reinterpret_cast<const Axis*>(this + 1), static_cast<std::size_t>(dimensions)};
    }
};

/// A graph of ranks. Lies in one block of the heap, with its words behind it: of MPI_Graph_create()
/// those that the program gave; of MPI_Dist_graph_create() the neighbours of this rank, first those
/// from which it hears, then those to which it tells, then the weights in the same order.
struct Graph {
    std::size_t bytes; // of all
    bool is_distributed;
    bool has_weights;
    int first;  // nodes; or how many it hears from
    int second; // edges; or how many it tells

    int* words() { return reinterpret_cast<int*>(this + 1); }
};

/// What a communicator between two groups does in another way than one of a single group. Each is
/// called by all ranks of both groups. Calls reach it through this table, so that a program without
/// such communicators has nothing of it in its image.
struct Across {
    int (*meet)(Comm& comm, const char* call);
    int (*broadcast)(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call);
    int (*reduce)(Comm& comm, const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                  Rank root);
    /// Each group has what the other one gave.
    int (*all_reduce)(Comm& comm, const void* mine, void* all, int count, MPI_Datatype type,
                      MPI_Op op);
    /// The greatest number that any rank gives.
    std::uint32_t (*greatest)(Comm& comm, std::uint32_t mine);
    /// The ranks of both groups that have chosen one color; nullptr: one group has none of them.
    Comm* (*split)(Comm& comm, int color, int key);
};

struct Comm : ObjectOf<kCommunicator, MPI_Comm> {
    Group* group = nullptr;
    Group* peers = nullptr;         // whose ranks a message goes to: `group`, or the other group
    const Across* across = nullptr; // if there is another group
    std::uint32_t number = 0;       // the same at all members, and at none of another communicator
    bool is_whole = false;          // all nodes have a rank, in whatever order
    bool is_within_a_call = false;  // stands for another one in calls that a call makes
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    Grid* grid = nullptr;       // of this communicator alone
    std::uint32_t begun = 0;    // collectives that did not wait
    std::uint32_t prepared = 0; // collectives that begin with MPI_Start()
    Attributes* attributes = nullptr;
    Graph* graph = nullptr; // of this communicator alone
    char name[kNameBytes] = {};

    Rank rank() const { return group->own; }
    Rank size() const { return group->size; }
    /// This rank is the one that a collective means by `root`.
    bool is_root(Rank root) const { return across == nullptr ? rank() == root : root == MPI_ROOT; }
    std::uint32_t context(Traffic traffic) const {
        return 2 * number + (traffic == Traffic::collectives ? 1u : 0u);
    }
};

/// Numbers of communicators. A program makes up to 2^16, of which those from kFirstBeside on are
/// duplicates that are made beside it. Above are the numbers of the calls of one that did not wait,
/// then a bit for what a group between others does among its own ranks.
inline constexpr unsigned kCallShift = 16;
inline constexpr std::uint32_t kFirstBeside = 0xC000;
/// Calls of one communicator until a number is used again: from 1 on those that begin at once, and
/// behind them the prepared ones.
inline constexpr std::uint32_t kCallsMax = 0x1FFF;
inline constexpr std::uint32_t kPreparedMax = 0x2000;
inline constexpr std::uint32_t kWithin = 1u << 30;

/// Between MPI_Init() and MPI_Finalize(), and after.
enum class Life : std::uint8_t { before, now, after };
/// Makes what MPI is. Ends the run if there is no room.
void start_mpi();
extern Life the_life;
extern Comm the_world;
/// MPI_Init() and each session open MPI, which is there until all have closed it. Without sessions
/// MPI_Init() does alone.
void open_mpi();
void close_mpi();

/// The communicator of a handle; nullptr: it is none. This, and what is like it for other kinds,
/// also gives an object that the program has freed and that a call still needs: what a program
/// gives goes through Checks.
Comm* comm_of(MPI_Comm handle);
/// MPI_GROUP_EMPTY is a group, too.
Group* group_of(MPI_Group handle);

/// The bytes of a message that a status tells, which must be there.
void tell_bytes(std::uint64_t bytes, MPI_Status* status);
std::uint64_t bytes_told(const MPI_Status& status);

/// A group of `size` ranks without nodes; one owner. Ends the run if there is no room.
Group* new_group(Rank size);
/// Sets `own`, when the nodes are there.
void find_own(Group& group);
inline Group* hold(Group* group) {
    ++group->owners;
    return group;
}
void release(Group* group);
/// Gives back what a communicator has. There only in a program that frees some.
[[gnu::weak]] void end_communicator(Comm& comm);
inline void release(Comm& comm) {
    if (--comm.owners == 0)
        end_communicator(comm);
}
/// The program has a handle less.
template <class T>
void take_handle(T* object) {
    --object->handles;
    release(object);
}

/// nullptr: one of the standard, which has no owners.
inline Errhandler* errhandler_of(MPI_Errhandler handle) { return find_object<Errhandler>(handle); }
inline void release(Errhandler* handler) {
    if (--handler->owners == 0)
        destroy(handler);
}
inline void hold(MPI_Errhandler handle) {
    if (Errhandler* const handler = errhandler_of(handle); handler != nullptr)
        ++handler->owners;
}
inline void release(MPI_Errhandler handle) {
    if (Errhandler* const handler = errhandler_of(handle); handler != nullptr)
        release(handler);
}

// Errors ------------------------------------------------------------------------------------------

/// What a call returns that cannot be done: `code`, if the program wants to see errors; else it
/// tells the call and `why`, and ends the run. `comm`: nullptr, those of the world.
int fail(const Comm* comm, int code, const char* call, const char* why);

/// Notes where the program makes a call, for what is told of an error; nothing in an image. Calls
/// that MPI makes itself do not count.
#if MESH_NOTES
void note_call(const void* place);
#else
[[gnu::always_inline]] inline void note_call(const void* /*place*/) {}
#endif

/// Gives the program text, and its length without its end.
void give_text(const char* text, char* into, int* length);
/// As much of a text of the program as fits into `room` with its end.
void copy_text(const char* from, char* into, std::size_t room);

/// What a code of the standard means.
const char* words_of(int code);
/// The last code that is in use; the program may add some.
extern int last_error_code;

/// Ends the run; does not return.
[[noreturn]] void end_run(const char* why, int code);

/// Checks what calls are given. Each check gives this object, or what was asked for; the first
/// thing that is wrong is told, and is what the call is to return.
class Checks {
public:
    /// `call`: its name. MPI must be there. Errors are those of the world.
    explicit Checks(const char* call);
    /// `handle` must be a communicator, whose errors they are.
    Checks(const char* call, MPI_Comm handle);

    /// The object of a handle that is no constant; nullptr: it is refused.
    template <class T>
    T* object(typename T::Handle handle) {
        return usable(find_object<T>(handle), handle);
    }
    /// The same of an object that the caller has found.
    template <class T>
    T* usable(T* found, typename T::Handle handle) {
        return static_cast<T*>(usable(found, number_of(handle), T::kKind));
    }
    Type* any_type(MPI_Datatype handle); // committed or not
    Group* group(MPI_Group handle);
    Checks& count(int value);
    Checks& type(MPI_Datatype handle);
    /// So many of a committed type, less than 2 GiB.
    Checks& elements(int count, MPI_Datatype type);
    /// The same, and there is memory for them.
    Checks& data(const void* data, int count, MPI_Datatype type);
    /// What is given is not where the result goes, but with MPI_IN_PLACE.
    Checks& apart(const void* given, const void* result, int count, MPI_Datatype type);
    /// Not a communicator between two groups.
    Checks& one_group();
    /// Also MPI_PROC_NULL; `any`: also MPI_ANY_SOURCE.
    Checks& peer(Rank rank, bool any = false);
    Checks& member(Rank rank);
    Checks& tag(int value, bool any = false);
    /// All of these, of a message that is sent, or that is received.
    Checks& message(const void* data, int count, MPI_Datatype type, Rank peer, int tag,
                    bool receives);
    /// Between two groups also MPI_ROOT and MPI_PROC_NULL.
    Checks& root(Rank rank);
    Checks& require(bool good, int code, const char* why);
    /// There is a place for what the call gives.
    Checks& result(const void* place);

    bool bad() const { return code_ != MPI_SUCCESS; }
    int code() const { return code_; }
    Comm& comm() const { return *comm_; }
    MPI_Comm handle() const { return handle_of(*comm_); }
    const char* call() const { return call_; }
    int refuse(int code, const char* why);
    /// What the call returns that ends with this code, of the standard.
    int end(int code);
    /// A number that is none of those from 0 to `most`.
    int refuse_number(int code, int value, int most);
    int refuse_handle(std::uintptr_t number, const ObjectKind& kind);

protected:
    Checks(const char* call, Comm* comm, std::uintptr_t number, const ObjectKind& kind);
    /// Errors are those of this communicator from now on.
    void answer_for(Comm& comm) { comm_ = &comm; }
    /// The object, if it is there and the program may use it; else nullptr, which is told.
    Object* usable(Object* object, std::uintptr_t number, const ObjectKind& kind);

private:
    const char* call_;
    Comm* comm_; // that of the errors
    int code_ = MPI_SUCCESS;
};

} // namespace mesh::mpi
