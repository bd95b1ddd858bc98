#include "kernel/node/kernel.hpp"

#include <atomic>

namespace mesh {

// Not inlined: the cause of a failed check is the line of the program.
[[gnu::noinline]] void Kernel::on_interrupt(unsigned interrupt, hal::Handler handler,
                                            hal::Urgency urgency) {
    if (lockstep())
        check_failed(Misuse::interrupt_in_lockstep, __builtin_return_address(0));
    if (!hal::set_interrupt(interrupt, handler, urgency))
        check_failed(Misuse::interrupt_not_free, __builtin_return_address(0));
}

void Kernel::wake() {
    std::atomic_signal_fence(std::memory_order_seq_cst); // what the handler changed comes first
    scheduler_.touch();
    hal::end_wait();
}

} // namespace mesh
