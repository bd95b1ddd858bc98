// The objects behind the handles of mpi.h: communicators, groups; and Checks, by which a call tells
// its errors. Types, operations and requests have files of their own.
#pragma once

#include "core/base/types.hpp"
#include "hal/heap.hpp"
#include "hal/rank_notes.hpp"
#include "mpi/objects/handles.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace mesh::mpi {

/// The number of a process in a group, from 0 on, or a constant as MPI_PROC_NULL.
using Rank = int;

inline constexpr int kTagMax = INT32_MAX;

struct Comm;
struct Request; // engine.hpp
struct Type;    // types.hpp

/// The kinds of traffic of a communicator, which never meet.
enum class Traffic : std::uint8_t { messages, collectives };

/// A T on the heap of the program, whose owner is the caller; nullptr: the heap has no room.
template <class T, class... Args>
T* make(Args&&... args) {
    void* const place = mesh_malloc(sizeof(T));
    if (place == nullptr)
        return nullptr;
    return new (place) T{std::forward<Args>(args)...};
}
/// Gives back an object of make(), and its place in the table; nullptr: nothing.
template <class T>
void destroy(T* object) {
    if (object != nullptr) {
        if constexpr (std::is_base_of_v<Object, T>)
            unlist(*object);
        object->~T();
        mesh_free(object);
    }
}

/// Bytes on the heap that go with this object.
class Room {
public:
    Room() = default;
    /// Takes so many bytes. Ends the run if the heap has no room for them.
    explicit Room(std::size_t bytes);
    Room(Room&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}
    Room& operator=(Room&& other) noexcept {
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() { mesh_free(bytes_); }
    /// The bytes, aligned for any type; nullptr: there are none.
    std::byte* data() const { return bytes_; }
    /// The bytes, which the caller frees from now on.
    std::byte* release() { return std::exchange(bytes_, nullptr); }
    /// There are bytes.
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

    /// The node of a rank of the group.
    NodeId node(Rank rank) const { return nodes[rank]; }
    /// The nodes of all ranks, in their order.
    std::span<const NodeId> all() const { return {nodes, static_cast<std::size_t>(size)}; }
    /// The rank of a node; MPI_UNDEFINED: it has none. As many steps as there are ranks.
    Rank rank_of(NodeId node) const;
};

struct Attributes; // attributes.hpp

inline constexpr std::size_t kNameBytes = MPI_MAX_OBJECT_NAME;

/// The ranks of a communicator as the points of a grid, the last dimension the fastest. Lies in one
/// block of the heap, with its axes behind it.
struct Grid {
    /// One dimension.
    struct Axis {
        int size;
        bool is_periodic;
    };
    std::size_t bytes; // of all
    int dimensions;

    /// The axes, in their order.
    std::span<Axis> axes() {
        return {reinterpret_cast<Axis*>(this + 1), static_cast<std::size_t>(dimensions)};
    }
    /// The same.
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

    /// The words behind it.
    int* words() { return reinterpret_cast<int*>(this + 1); }
};

/// Functions of communicators between two groups, where those of a single group differ. All ranks
/// of both groups call each. Calls reach them through this table, so that a program without such
/// communicators has nothing of them in its image. Each gives the code that the call returns.
struct Across {
    int (*meet)(Comm& comm, const char* call);
    int (*broadcast)(Comm& comm, std::span<std::byte> bytes, Rank root, const char* call);
    int (*reduce)(Comm& comm, const void* mine, void* all, int count, MPI_Datatype type, MPI_Op op,
                  Rank root);
    /// Gives each group the result of the other one.
    int (*all_reduce)(Comm& comm, const void* mine, void* all, int count, MPI_Datatype type,
                      MPI_Op op);
    /// The greatest number that any rank gives.
    std::uint32_t (*greatest)(Comm& comm, std::uint32_t mine);
    /// The ranks of both groups that have chosen one color; nullptr: one group has none of them.
    Comm* (*split)(Comm& comm, int color, int key);
};

/// A communicator: its ranks, and a context of its own for each kind of traffic.
struct Comm : ObjectOf<kCommunicator, MPI_Comm> {
    Group* group = nullptr;
    Group* peers = nullptr;         // to which messages go: `group`, or the other group
    const Across* across = nullptr; // if there is another group
    std::uint32_t number = 0;       // the same at all members, and at none of another communicator
    bool is_whole = false;          // all nodes have a rank, in whatever order
    bool is_within_a_call = false;  // stands for another one in calls that a call makes
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    Grid* grid = nullptr;       // of this communicator alone
    std::uint32_t begun = 0;    // collectives without a wait, so far
    std::uint32_t prepared = 0; // collectives that begin with MPI_Start(), so far
    Attributes* attributes = nullptr;
    Graph* graph = nullptr; // of this communicator alone
    char name[kNameBytes] = {};

    /// The rank of this node in the own group.
    Rank rank() const { return group->own; }
    /// The ranks of the own group.
    Rank size() const { return group->size; }
    /// A collective means this rank by `root`.
    bool is_root(Rank root) const { return across == nullptr ? rank() == root : root == MPI_ROOT; }
    /// The number that envelopes have for this traffic: even for messages, odd for collectives.
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

/// The time before MPI_Init(), until MPI_Finalize(), and after that.
enum class Life : std::uint8_t { before, now, after };
/// Makes the communicators of the standard, and starts the engine. Ends the run if the board has no
/// room.
void start_mpi();
extern Life the_life;
extern Comm the_world;
/// Opens MPI, by MPI_Init() or for a session. MPI is there until all have closed it.
void open_mpi();
/// Closes MPI once. No call may come after the last one.
void close_mpi();

/// The communicator of a handle; nullptr: it is none. This, and the like for other kinds, also
/// gives an object that the program has freed and that a call still needs: so handles of the
/// program go through Checks.
Comm* comm_of(MPI_Comm handle);
/// The group of a handle, also of MPI_GROUP_EMPTY; nullptr: it is none.
Group* group_of(MPI_Group handle);

/// Puts the bytes of a message, at most 2^62, into a status, which must be there.
void tell_bytes(std::uint64_t bytes, MPI_Status* status);
/// The bytes that a status has.
std::uint64_t bytes_told(const MPI_Status& status);

/// A group of `size` ranks without nodes, whose owner is the caller. Ends the run if the heap has
/// no room.
Group* new_group(Rank size);
/// Sets `own` of a group that has its nodes.
void find_own(Group& group);
/// One owner more.
inline Group* hold(Group* group) {
    ++group->owners;
    return group;
}
/// One owner less; the last one destroys it.
void release(Group* group);
/// Destroys a communicator, and gives back its groups. There only in a program that frees some.
[[gnu::weak]] void end_communicator(Comm& comm);
/// One owner less; the last one destroys it.
inline void release(Comm& comm) {
    if (--comm.owners == 0)
        end_communicator(comm);
}
/// Takes a handle from the program, which is an owner less then.
template <class T>
void take_handle(T* object) {
    --object->handles;
    release(object);
}

/// The error handler of a handle; nullptr: one of the standard, which has no owners, or none.
inline Errhandler* errhandler_of(MPI_Errhandler handle) { return find_object<Errhandler>(handle); }
/// One owner less; the last one destroys it.
inline void release(Errhandler* handler) {
    if (--handler->owners == 0)
        destroy(handler);
}
/// One owner more of an error handler of the program's own.
inline void hold(MPI_Errhandler handle) {
    if (Errhandler* const handler = errhandler_of(handle); handler != nullptr)
        ++handler->owners;
}
/// One owner less of an error handler of the program's own.
inline void release(MPI_Errhandler handle) {
    if (Errhandler* const handler = errhandler_of(handle); handler != nullptr)
        release(handler);
}

// Errors ------------------------------------------------------------------------------------------

/// Tells the error of a call to the handler of `comm`; nullptr: that of the world. Gives `code`, or
/// ends the run, which tells the call and `why`. `why`: nullptr, the words for the code.
int fail(const Comm* comm, int code, const char* call, const char* why);

/// Tells a mistake of the program that no call refuses, with the line at which it got `about`, or
/// else that of its call. `words` begin the line. It ends a strict run.
void tell_mistake(const Object& about, const char* words);

#if MESH_NOTES
/// True if what the standard calls erroneous ends the run, and a call relies on nothing that the
/// standard leaves open (`mesh run --strict`).
bool is_strict();
/// A place in code is one of the program, not of the library.
bool is_in_program(const void* place);
/// Notes where the program makes a call, which is told with an error. Calls that MPI makes itself
/// do not count.
void note_call(const char* name, const void* place);
/// The arguments of a collective that its ranks must give alike, as a person reads them.
struct Joint {
    const char* communicator = ""; // its name, if it is none by itself
    int root = detail::JointCall::kNoRoot;
    const char* operation = "";
    const char* type = "";
    std::uint32_t kind = 0;
    std::int64_t bytes = -1;
};
/// The place in the program of its last call; nullptr: it is not known.
const void* place_of_call();
/// The name of that call.
const char* name_of_call();
/// A place in the program: "in main, FILE:LINE", or "". Stays until this or where_made() is called
/// again.
const char* where(const void* place);
/// Where the program got an object, or, if it has not, where it has made its call: "in main,
/// FILE:LINE", or "". Stays until this is called again.
const char* where_made(const Object& object);
class Checks;
/// Notes that the call of the program is a collective. Ends the run if another rank has made
/// another one, unless the program has errors returned.
void note_joint(const Checks& checks, const Joint& joint);
#else
/// No run of images is.
constexpr bool is_strict() { return false; }
/// Do nothing in an image, which knows no lines.
[[gnu::always_inline]] inline void note_call(const char* /*name*/, const void* /*place*/) {}
[[gnu::always_inline]] inline const char* where_made(const Object& /*object*/) { return ""; }
#endif

/// Gives the program a text, and its length without its end. `into` has room for all of it.
void give_text(const char* text, char* into, int* length);
/// Copies as much of a text of the program as fits into `room` letters, at least one, with its end.
void copy_text(const char* from, char* into, std::size_t room);

/// The words for a code of the standard, or of the failures, which stay.
const char* words_of(int code);
/// The last code that is in use. The program may add codes.
extern int last_error_code;

/// Ends the run, which tells the rank and `why`; `code` is the verdict, 0 counts as 1.
[[noreturn]] void end_run(const char* why, int code);
/// The same for a mistake at `place` in the program, which a simulation tells.
[[noreturn]] void end_run_at(const void* place, const char* why);

/// Checks the arguments of a call. Each check gives this object, or the object of a handle; the
/// first argument that is wrong is told, and its class is the code that the call returns.
class Checks {
public:
    /// Checks of a call of this name, whose errors go to the handler of the world. Ends the run if
    /// MPI is not there.
    explicit Checks(const char* call);
    /// The same; errors go to the handler of a communicator. MPI_ERR_COMM: the handle is none.
    Checks(const char* call, MPI_Comm handle);

    /// The object of a handle that is no constant; nullptr: refused with the class of its kind.
    template <class T>
    T* object(typename T::Handle handle) {
        return usable(find_object<T>(handle), handle);
    }
    /// The same of an object that the caller has found.
    template <class T>
    T* usable(T* found, typename T::Handle handle) {
        return static_cast<T*>(usable(found, number_of(handle), T::kKind));
    }
    /// A type, committed or not; nullptr: MPI_ERR_TYPE.
    Type* any_type(MPI_Datatype handle);
    /// A group; nullptr: MPI_ERR_GROUP.
    Group* group(MPI_Group handle);
    /// A count is not negative: MPI_ERR_COUNT.
    Checks& count(int value);
    /// A type is committed: MPI_ERR_TYPE.
    Checks& type(MPI_Datatype handle);
    /// A count and a committed type make less than 2 GiB: MPI_ERR_COUNT, MPI_ERR_TYPE.
    Checks& elements(int count, MPI_Datatype type);
    /// The same, and the buffer is not null: MPI_ERR_BUFFER.
    Checks& data(const void* data, int count, MPI_Datatype type);
    /// The result does not go where the data is, but with MPI_IN_PLACE: MPI_ERR_BUFFER. The type
    /// has been checked.
    Checks& apart(const void* given, const void* result, int count, MPI_Datatype type);
    /// The communicator is not between two groups: MPI_ERR_COMM.
    Checks& one_group();
    /// A rank of the other side, or MPI_PROC_NULL; `any`: or MPI_ANY_SOURCE. MPI_ERR_RANK.
    Checks& peer(Rank rank, bool any = false);
    /// A rank of the own group: MPI_ERR_RANK.
    Checks& member(Rank rank);
    /// A tag is not negative; `any`: or is MPI_ANY_TAG. MPI_ERR_TAG.
    Checks& tag(int value, bool any = false);
    /// Does peer(), tag() and data() for a message that is sent, or received. For MPI_PROC_NULL its
    /// data may be anything.
    Checks& message(const void* data, int count, MPI_Datatype type, Rank peer, int tag,
                    bool receives);
    /// A rank, between two groups also MPI_ROOT and MPI_PROC_NULL: MPI_ERR_ROOT.
    Checks& root(Rank rank);
    /// Refuses with `code` and `why` unless it is good.
    Checks& require(bool good, int code, const char* why);
    /// The result of the call has a place: MPI_ERR_ARG.
    Checks& result(const void* place);

    /// An argument was refused.
    bool bad() const { return code_ != MPI_SUCCESS; }
    /// The code that the call returns: MPI_SUCCESS, or the class of the first error.
    int code() const { return code_; }
    /// The communicator of the errors, which is that of the call if it has one.
    Comm& comm() const { return *comm_; }
    /// Its handle.
    MPI_Comm handle() const { return handle_of(*comm_); }
    /// The name of the call.
    const char* call() const { return call_; }
    /// Tells an error by fail(), unless one was told before. Gives code().
    int refuse(int code, const char* why);
    /// The code that the call returns after its work, which ended with `code`; told if it is an
    /// error.
    int end(int code);
    /// Refuses a number that is none of those from 0 to `most`, and says so. Gives code().
    int refuse_number(int code, int value, int most);
    /// Refuses a handle that is none of this kind, and says why. Gives code().
    int refuse_handle(std::uintptr_t number, const ObjectKind& kind);

protected:
    Checks(const char* call, Comm* comm, std::uintptr_t number, const ObjectKind& kind);
    /// Errors go to the handler of this communicator from now on.
    void answer_for(Comm& comm) { comm_ = &comm; }
    /// The object, if the program may use it; else nullptr, and it is refused.
    Object* usable(Object* object, std::uintptr_t number, const ObjectKind& kind);

private:
    const char* call_;
    Comm* comm_; // that of the errors
    int code_ = MPI_SUCCESS;
};

} // namespace mesh::mpi
