// Captures record each event of the processes of a node; this is how the scheduler tells of them.
// In a simulation without a capture that costs one look at a pointer. Images have no code for it,
// unless they are linked with a scheduler that was compiled for it (`mesh build --trace`) and tells
// the host.
#pragma once

#include "wire/host_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

/// Decided by the machine and not by an option, so that programs and kernel always agree.
#define MESH_WATCHES_PROCESSES (__SIZEOF_POINTER__ == 8)
/// For the scheduler alone: nobody else sees a difference.
#ifndef MESH_TRACES_PROCESSES
#define MESH_TRACES_PROCESSES 0
#endif

namespace mesh {

/// The kind of an event: a process was made, waits, can go on, or has ended.
enum class ProcessEvent : std::uint8_t { spawned, blocked, woken, ended };

/// Tells the host at once; `object`: what a blocked process waits for. Defined once per board, and
/// only linked to a scheduler that traces.
void send_trace(const wire::ProcessTrace& trace, std::span<const std::byte> object);

/// Somebody who hears of each event, and may put a process's turn off. Called in the scheduler: it
/// must not call the kernel.
class ProcessWatch {
public:
    /// Tells an event of the process in `slot`; `blocked`, after the process is blocked.
    virtual void happened(ProcessEvent event, std::uint8_t slot) = 0;
    /// True if the process in `slot`, whose turn has come, is to have it behind all others.
    virtual bool puts_off(std::uint8_t slot) = 0;
    /// True if the process in `slot`, whose wait is over, is not to go on yet. It is asked about
    /// again in each turn; whoever answered true touches the scheduler when the answer changes.
    virtual bool holds(std::uint8_t slot) = 0;

protected:
    ~ProcessWatch() = default;
};

} // namespace mesh
