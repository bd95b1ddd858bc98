// The notes of a simulation about calls of MPI: where each rank has made its last one, and which
// collectives the ranks of a communicator have made. The board of the host hands them on, as those
// of hal/notes.hpp; images have no code for them.
#pragma once

#include "core/base/types.hpp"
#include "hal/notes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::detail {

/// A collective of MPI, which all ranks of its communicator are to call alike.
struct JointCall {
    const char* name;
    std::uint32_t communicator; // its number, which others have that share no node with it
    std::span<const NodeId> ranks;
    std::span<const NodeId> peers; // of the other group; else those again
    const char* communicator_name; // "": it has none
    bool is_told;                  // errors of the communicator end the run
    int root;                      // kNoRoot: it has none
    const char* operation;         // "": it has none, or one of the program's own
    const char* type;              // "": made of several, or none
    std::uint32_t kind;            // of the type: others do not go with it; 0: goes with any
    std::int64_t bytes;            // of a rank; -1: not the same at all

    static constexpr int kNoRoot = INT32_MIN;
};

/// An access to the memory that a rank has in a window, by a call, or by that rank's own load or
/// store.
struct WindowAccess {
    std::uint32_t window; // its number, which others have that share no node with it
    NodeId target;        // the node that has the memory
    std::int64_t begin;   // bytes from the begin of that memory
    std::int64_t end;
    const char* name;        // of the call, or "a store"
    const void* place;       // in the program
    std::uint32_t epoch;     // fences that the rank has called; 0: a lock or MPI_Win_start() let it
    bool changes;            // what lies there
    bool is_own;             // by a load or a store
    bool is_atomic;          // of MPI_Accumulate() and its kin, of which those alike may meet
    std::uint32_t operation; // of these, its number; 0: alike with all
};

/// The receiver of these notes. All nodes of a run have one. Names stay.
class RankNotes {
public:
    /// True if what the standard calls erroneous ends the run, and calls rely on nothing that it
    /// leaves open (`mesh run --strict`).
    virtual bool is_strict() const = 0;
    /// A node makes a call of this name, at `place` in its program.
    virtual void enters(std::uint32_t node, const char* name, const void* place) = 0;
    /// That call is a collective. Gives what the ranks do not agree about; nullptr: nothing yet.
    virtual const char* joins(std::uint32_t node, const JointCall& call) = 0;
    /// A node accesses the memory of a window. Writes the access that nothing orders against this
    /// one, and that meets it, with an end, as far as there is room: "" if there is none.
    virtual void accesses(std::uint32_t node, const WindowAccess& access,
                          std::span<char> words) = 0;
    /// The accesses of a node to a window at `target` are ordered before what follows, but for
    /// those between fences.
    virtual void orders_accesses(std::uint32_t node, std::uint32_t window, NodeId target) = 0;
    /// Writes where in the source a place in the program of a node is, with an end, as far as there
    /// is room.
    virtual void name_place(std::uint32_t node, const void* place, std::span<char> words) = 0;

protected:
    ~RankNotes() = default;
};

#if MESH_NOTES
/// The receiver at present; nullptr: there is none. Defined by the board of the host.
RankNotes* rank_notes();
#endif

} // namespace mesh::detail
