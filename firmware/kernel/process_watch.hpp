// Who wants to know what the processes of a node do, moment by moment: captures of a simulation.
// Images have no code for it, and a simulation that nobody watches a pointer that is looked at.
#pragma once

#include <cstdint>

/// Decided by the machine and not by an option, so that programs and kernel always agree.
#define MESH_WATCHES_PROCESSES (__SIZEOF_POINTER__ == 8)

namespace mesh {

enum class ProcessEvent : std::uint8_t { spawned, blocked, woken, ended };

class ProcessWatch {
public:
    /// The process in this slot; of one that is blocked, after that is so.
    virtual void happened(ProcessEvent event, std::uint8_t slot) = 0;

protected:
    ~ProcessWatch() = default;
};

} // namespace mesh
