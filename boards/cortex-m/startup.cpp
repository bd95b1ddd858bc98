// From reset to main(): stack limit, FPU, faults, protection, memory, static constructors.
#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/protection.hpp"
#include "boards/cortex-m/regs.hpp"
#include "boards/cortex-m/semihosting.hpp"
#include "boards/cortex-m/stack.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

int main();

extern "C" {
// sections.ld
extern const std::uint32_t data_load[];
extern std::uint32_t data_start[];
extern std::uint32_t data_end[];
extern std::uint32_t bss_start[];
extern std::uint32_t bss_end[];
using Constructor = void (*)();
extern const Constructor init_array_start[];
extern const Constructor init_array_end[];
}

namespace mesh::board {

alignas(8) [[gnu::section(".noinit")]] std::array<std::byte, 2048> interrupt_stack;

namespace {
constexpr std::uint32_t kPaint = 0x5AFE'57AC;

/// Below the stack pointer of this moment.
[[gnu::always_inline]] inline void paint_stack() {
    std::uint32_t* stack_pointer;
    asm volatile("mov %0, sp" : "=r"(stack_pointer));
    for (auto* word = reinterpret_cast<std::uint32_t*>(stack_limit); word < stack_pointer; ++word)
        *word = kPaint;
}

/// The program goes on where the stack is, by the process stack pointer; interrupts, which use the
/// main one, get a stack of their own. Both have limits where the processor has registers for them.
[[gnu::always_inline]] inline void part_stacks() {
    asm volatile("mrs r0, msp\n\t"
                 "msr psp, r0\n\t"
                 "movs r0, #2\n\t" // CONTROL.SPSEL
                 "msr control, r0\n\t"
                 "isb\n\t"
                 "msr msp, %0" ::"r"(interrupt_stack.data() + interrupt_stack.size())
                 : "r0", "memory");
#ifdef __ARM_ARCH_8M_MAIN__
    asm volatile("msr psplim, %0\n\t"
                 "msr msplim, %1" ::"r"(stack_limit),
                 "r"(interrupt_stack.data())
                 : "memory");
#endif
}

void enable_fpu_and_faults() {
    regs::Scb& scb = regs::at<regs::Scb>(regs::kScb);
#ifdef __ARM_FP
    scb.cpacr = scb.cpacr | regs::kFpuFullAccess;
#endif
    scb.ccr = scb.ccr | regs::kDivisionByZeroTrap;
    scb.shcsr = scb.shcsr | regs::kFaultsEnable;
    asm volatile("dsb\n\tisb" ::: "memory");
}
} // namespace

std::size_t stack_bytes_used() {
    const auto* const top = reinterpret_cast<const std::uint32_t*>(stack_top);
    const auto* const deepest =
        std::find_if(reinterpret_cast<const std::uint32_t*>(stack_limit), top,
                     [](std::uint32_t word) { return word != kPaint; });
    return static_cast<std::size_t>(top - deepest) * sizeof(std::uint32_t);
}

} // namespace mesh::board

extern "C" [[noreturn]] void reset_handler() {
    mesh::board::part_stacks();
    mesh::board::enable_fpu_and_faults();
    mesh::board::protect_memory();
    mesh::board::paint_stack();
    std::copy(data_load, data_load + (data_end - data_start), data_start);
    std::fill(bss_start, bss_end, 0u);
    std::for_each(init_array_start, init_array_end, [](Constructor construct) { construct(); });
    mesh::board::leave_emulator(static_cast<std::uint32_t>(main()));
}
