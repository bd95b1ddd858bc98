// The notes that a simulation takes of its programs (hal/notes.hpp).
#pragma once

#include "hal/notes.hpp"

namespace mesh::board {

/// From now on `notes` hears of the programs of this thread; nullptr: nobody. It must stay until
/// then.
void set_notes(detail::Notes* notes);

/// Why the running program computes without end, and where in its code.
struct Endless {
    CheckId cause;
    const void* place; // behind a call
};
/// `place`: where it is. In a signal handler too.
Endless why_endless(const void* place);

} // namespace mesh::board
