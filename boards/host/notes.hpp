// The notes that a simulation takes of its programs (hal/notes.hpp).
#pragma once

#include "hal/notes.hpp"
#include "hal/rank_notes.hpp"

namespace mesh::board {

/// From now on `notes` hears of the programs of this thread, and `rank_notes` of their calls of
/// MPI; nullptr: nobody. Both must stay until then.
void set_notes(detail::Notes* notes, detail::RankNotes* rank_notes);

/// Why the running program computes without end, and where in its code.
struct Endless {
    CheckId cause;
    const void* place; // behind a call
};
/// `place`: where it is. In a signal handler too.
Endless why_endless(const void* place);

} // namespace mesh::board
