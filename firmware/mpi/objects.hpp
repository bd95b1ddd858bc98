// What the handles of mpi.h stand for: communicators, groups, requests; and how a call tells what
// is wrong with it. Types and operations have files of their own.
//
// A handle below kHandlesFixed is a constant of the ABI, any other the address of the object.
#pragma once

#include "core/base/types.hpp"
#include "hal/heap.hpp"
#include "mpi/mpi.h"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

// The constants of the ABI are casts, as C has them.
#pragma GCC diagnostic ignored "-Wold-style-cast"

namespace mesh::mpi {

using Rank = int;

/// Largest number of a handle that is a constant (MPI 5.0, 20.4).
inline constexpr std::uintptr_t kHandlesFixed = 0x1000;
inline constexpr int kTagMax = INT32_MAX;

template <class Handle>
bool is_fixed(Handle handle) {
    return reinterpret_cast<std::uintptr_t>(handle) < kHandlesFixed;
}

/// The kinds of traffic of a communicator, which never meet.
enum class Traffic : std::uint8_t { messages, collectives };

/// Objects that MPI_Finalize() tells of if they are left. `left<T>`: how many there are.
template <class T>
inline constexpr bool kIsCounted =
    std::is_same_v<T, MPI_ABI_Request> || std::is_same_v<T, MPI_ABI_Comm> ||
    std::is_same_v<T, MPI_ABI_Datatype>;
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

} // namespace mesh::mpi

/// A function of the program's own that is called for errors.
struct MPI_ABI_Errhandler {
    MPI_Comm_errhandler_function* function = nullptr;
    unsigned owners = 1; // the program until it frees it, and each communicator
};

/// Ranks, and the node of each. Shared by the communicators and handles that have it.
struct MPI_ABI_Group {
    unsigned owners = 1;
    mesh::mpi::Rank size = 0;
    mesh::mpi::Rank own = MPI_UNDEFINED; // of this node
    mesh::NodeId* nodes = nullptr;

    mesh::NodeId node(mesh::mpi::Rank rank) const { return nodes[rank]; }
    std::span<const mesh::NodeId> all() const { return {nodes, static_cast<std::size_t>(size)}; }
    /// MPI_UNDEFINED: it is none of them.
    mesh::mpi::Rank rank_of(mesh::NodeId node) const;
};

namespace mesh::mpi {

struct Across;     // intercommunicators.hpp
struct Attributes; // attributes.hpp
struct Graph;      // graphs.hpp

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

} // namespace mesh::mpi

struct MPI_ABI_Comm {
    unsigned owners = 1; // the program until it frees it, and requests
    MPI_Group group = nullptr;
    MPI_Group peers = nullptr; // whose ranks a message goes to: `group`, or the other group
    const mesh::mpi::Across* across = nullptr; // if there is another group
    std::uint32_t number = 0; // the same at all members, and at none of another communicator
    bool is_whole = false;    // all nodes have a rank, in whatever order
    MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
    mesh::mpi::Grid* grid = nullptr; // of this communicator alone
    std::uint32_t begun = 0;         // collectives that did not wait
    std::uint32_t prepared = 0;      // collectives that begin with MPI_Start()
    mesh::mpi::Attributes* attributes = nullptr;
    mesh::mpi::Graph* graph = nullptr; // of this communicator alone
    char name[mesh::mpi::kNameBytes] = {};

    mesh::mpi::Rank rank() const { return group->own; }
    mesh::mpi::Rank size() const { return group->size; }
    /// This rank is the one that a collective means by `root`.
    bool is_root(mesh::mpi::Rank root) const {
        return across == nullptr ? rank() == root : root == MPI_ROOT;
    }
    std::uint32_t context(mesh::mpi::Traffic traffic) const {
        return 2 * number + (traffic == mesh::mpi::Traffic::collectives ? 1u : 0u);
    }
};

namespace mesh::mpi {

using Comm = MPI_ABI_Comm;

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

using Group = MPI_ABI_Group;

/// Between MPI_Init() and MPI_Finalize(), and after.
enum class Life : std::uint8_t { before, now, after };
Life life();

/// The communicator of a handle; nullptr: it is none.
Comm* comm_of(MPI_Comm handle);

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
/// The constants of the standard have no owners.
inline void hold(MPI_Errhandler handler) {
    if (!is_fixed(handler))
        ++handler->owners;
}
inline void release(MPI_Errhandler handler) {
    if (!is_fixed(handler) && --handler->owners == 0)
        destroy(handler);
}

// Errors ------------------------------------------------------------------------------------------

/// What a call returns that cannot be done: `code`, if the program wants to see errors; else it
/// tells the call and `why`, and ends the run. `comm`: nullptr, those of the world.
int fail(const Comm* comm, int code, const char* call, const char* why);

/// What a code of the standard means.
const char* words_of(int code);
/// The last code that is in use; the program may add some.
extern int last_error_code;

/// Ends the run; does not return.
[[noreturn]] void end_run(const char* why, int code);

/// Checks what most calls are given. Each gives MPI_SUCCESS or what the call is to return.
class Checks {
public:
    /// `call`: its name. MPI must be there, and `handle` be a communicator.
    Checks(const char* call, MPI_Comm handle);

    Checks& count(int value);
    Checks& type(MPI_Datatype handle);
    /// Not a communicator between two groups.
    Checks& one_group();
    /// Also MPI_PROC_NULL; `any`: also MPI_ANY_SOURCE.
    Checks& peer(Rank rank, bool any = false);
    Checks& tag(int value, bool any = false);
    /// Between two groups also MPI_ROOT and MPI_PROC_NULL.
    Checks& root(Rank rank);

    bool bad() const { return code_ != MPI_SUCCESS; }
    int code() const { return code_; }
    Comm& comm() const { return *comm_; }
    int refuse(int code, const char* why);

private:
    const char* call_;
    Comm* comm_;
    int code_ = MPI_SUCCESS;
};

} // namespace mesh::mpi
