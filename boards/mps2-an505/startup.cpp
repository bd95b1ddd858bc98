// From reset to main(): stack limit, FPU, faults, memory, static constructors.
#include "boards/mps2-an505/cpu.hpp"
#include "boards/mps2-an505/regs.hpp"
#include "boards/mps2-an505/semihosting.hpp"
#include "boards/mps2-an505/stack.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

int main();

extern "C" {
// sections.ld
extern std::uint32_t stack_limit[];
extern std::uint32_t stack_top[];
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

namespace {
constexpr std::uint32_t kPaint = 0x5AFE'57AC;

/// Below the stack pointer of this moment.
[[gnu::always_inline]] inline void paint_stack() {
    std::uint32_t* stack_pointer;
    asm volatile("mov %0, sp" : "=r"(stack_pointer));
    for (std::uint32_t* word = stack_limit; word < stack_pointer; ++word)
        *word = kPaint;
}

void enable_fpu_and_faults() {
    regs::Scb& scb = regs::at<regs::Scb>(regs::kScb);
#ifdef __ARM_FP
    scb.cpacr = scb.cpacr | regs::kFpuFullAccess;
#endif
    scb.shcsr = scb.shcsr | regs::kFaultsEnable;
    asm volatile("dsb\n\tisb" ::: "memory");
}
} // namespace

std::size_t stack_bytes_used() {
    const std::uint32_t* const deepest =
        std::find_if(stack_limit, stack_top, [](std::uint32_t word) { return word != kPaint; });
    return static_cast<std::size_t>(stack_top - deepest) * sizeof(std::uint32_t);
}

} // namespace mesh::board

extern "C" [[noreturn]] void reset_handler() {
    asm volatile("msr msplim, %0" ::"r"(stack_limit));
    mesh::board::enable_fpu_and_faults();
    mesh::board::paint_stack();
    std::copy(data_load, data_load + (data_end - data_start), data_start);
    std::fill(bss_start, bss_end, 0u);
    std::for_each(init_array_start, init_array_end, [](Constructor construct) { construct(); });
    mesh::board::leave_emulator(static_cast<std::uint32_t>(main()));
}
