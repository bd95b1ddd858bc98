// Interrupts of a program's own: the two functions that a board has for them. Programs call
// Kernel::on_interrupt() and Kernel::wake(). An image whose program calls neither has none of it.
//
// No wake-up is lost. A handler changes what a process waits for, then calls Kernel::wake(), which
// says so to the scheduler (Scheduler::touch()) and to the board (end_wait()). If it comes before
// the scheduler has looked, the scheduler looks; if it comes later, wait() finds the board's mark,
// at which it looks with interrupts held back, immediately before it sleeps. An interrupt that
// comes while they are held back stays pending, and a pending interrupt ends the sleep.
#pragma once

#include <cstdint>

namespace mesh::hal {

/// Called on the stack of interrupts, between any two instructions of kernel and program. It calls
/// nothing of the kernel but wake(), does not print, and shares with processes only variables that
/// are volatile or atomic. It clears the request of its device, or is called again at once.
using Handler = void (*)();

/// The interrupts that go before those of a program.
enum class Urgency : std::uint8_t {
    below_cables, // those by which bytes come and go: however long a handler takes, none is lost
    as_cables,    // none: a handler is over within the time of a byte, or bytes are lost
};

/// From now on `interrupt`, counted from 0 as by the chip's manual, calls `handler`; nullptr: it is
/// off. False, and nothing done, if the chip has no such interrupt, or the board has a handler of
/// its own for it. Defined once by each board.
[[nodiscard]] bool set_interrupt(unsigned interrupt, Handler handler, Urgency urgency);

/// Ends the board's wait(), or the next one if there is none now. May be called by an interrupt.
/// Defined once by each board.
void end_wait();

} // namespace mesh::hal
