// What the processes of a node wait for, for who asks why a mesh has come to rest before its end.
// Nothing is noted while they run: each is asked its predicate once more, and what that looks at is
// what it waits for. An image that does not ask does not have this.
#pragma once

#include "kernel/kernel.hpp"

#include <cstdint>
#include <span>

namespace mesh {

struct WaitsFor {
    enum class What : std::uint8_t {
        other,   // a channel of its node, a buffer, a time, a condition of its own
        mail,    // a packet or message: `match`
        process, // the end of the process in slot `joined`
        taking   // that `to` takes its message
    };
    What what = What::other;
    std::uint8_t process = 0; // its slot; 0 is the program
    std::uint8_t joined = 0;
    Match match;
    NodeId to = kNoNode;
};

/// Fills `out` from the front; gives how many processes wait, at most its size.
unsigned waiting_processes(Kernel& kernel, std::span<WaitsFor> out);

} // namespace mesh
