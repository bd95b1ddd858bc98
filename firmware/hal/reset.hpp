// The end of a node's life, and the beginning of its next one.
#pragma once

namespace mesh {

/// Resets the processor, as a watchdog does: the node forgets all and boots again. Text that the
/// program has printed has left, but for the last lines in a mesh with one host cable. The program
/// begins again if it has said that it may (library/begin_again.hpp), and in a mesh without a host;
/// else the run ends. Not from an interrupt. Defined once by each board; a simulated node is reset
/// as `restart:` of a fault plan does it.
[[noreturn]] void reset_node();

/// Keeps, in memory that a reset leaves as it is, that the program may begin again. So the node's
/// next life can say it: the program's own word to the host may be lost with the node's memory.
/// Defined once by each board; nothing in a simulation, where no such word is ever lost.
void keep_may_begin_again();

} // namespace mesh
