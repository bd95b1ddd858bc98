// Instructions for which the compiler has no word: barriers, interrupt masking, sleeping.
#pragma once

#include "boards/cortex-m/regs.hpp"

#include <cstdint>

namespace mesh::board {

/// All earlier memory accesses are done, for the other bus masters too, before any later one; the
/// compiler moves none across. Goes before a DMA start and after its end.
inline void memory_barrier() { asm volatile("dmb" ::: "memory"); }

/// All earlier memory accesses have been made before anything else is done.
inline void complete_accesses() { asm volatile("dsb" ::: "memory"); }

/// Sleeps until an interrupt is pending, also one that PRIMASK holds back.
inline void wait_for_interrupt() { asm volatile("dsb\n\twfi" ::: "memory"); }

/// Holds interrupts back while it lives; nests.
class InterruptGuard {
public:
    InterruptGuard() { asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before_)::"memory"); }
    ~InterruptGuard() { asm volatile("msr primask, %0\n\tisb" ::"r"(before_) : "memory"); }
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

private:
    std::uint32_t before_;
};

/// External interrupt `irq` on; an interrupt that was pending before is forgotten.
inline void interrupt_enable(unsigned irq) {
    const std::uintptr_t at = irq / 32 * 4;
    regs::at<regs::Register>(regs::kNvicClearPending + at) = 1u << (irq % 32);
    regs::at<regs::Register>(regs::kNvicSetEnable + at) = 1u << (irq % 32);
}

/// External interrupt `irq` off.
inline void interrupt_disable(unsigned irq) {
    regs::at<regs::Register>(regs::kNvicClearEnable + irq / 32 * 4) = 1u << (irq % 32);
    asm volatile("dsb\n\tisb" ::: "memory");
}

} // namespace mesh::board
