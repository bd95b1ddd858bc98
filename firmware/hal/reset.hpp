// The end of a node's life, and the beginning of its next one.
#pragma once

namespace mesh {

/// Resets the processor, as a watchdog does: the node forgets all and boots again. Text that the
/// program has printed has left, but for the last lines in a mesh with one host cable. The program
/// begins again if it has said that it may (library/begin_again.hpp), and in a mesh without a host;
/// else the run ends. Not from an interrupt. Defined once by each board; a simulated node is reset
/// as `restart:` of a fault plan does it.
[[noreturn]] void reset_node();

} // namespace mesh
