// Stays: the times in which a process of a recording was in one state, at work or waiting.
#pragma once

#include "recording.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mesh::host {

/// A process is in one state from `begin` to `end`.
struct Stay {
    NodeId node = kNoNode;
    std::uint8_t process = 0;
    std::uint64_t begin = 0; // model time
    std::uint64_t end = 0;
    std::string waits_for; // "": it works
};

/// All stays, each process's in their order. A process that did not end stays as it was last until
/// the last moment of the recording.
std::vector<Stay> stays_of(const Recording& recording);

} // namespace mesh::host
