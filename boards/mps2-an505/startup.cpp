// From reset to main(): stack limit, FPU, faults, protection, memory, static constructors.
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
extern const std::byte flash_start[];
extern const std::byte flash_end[];
extern const std::byte ram_start[];
extern const std::byte ram_end[];
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
/// main one, get a stack of their own. Both have limits.
[[gnu::always_inline]] inline void part_stacks() {
    asm volatile("msr psplim, %0\n\t"
                 "mrs r0, msp\n\t"
                 "msr psp, r0\n\t"
                 "movs r0, #2\n\t" // CONTROL.SPSEL
                 "msr control, r0\n\t"
                 "isb\n\t"
                 "msr msp, %1\n\t"
                 "msr msplim, %2" ::"r"(stack_limit),
                 "r"(interrupt_stack.data() + interrupt_stack.size()), "r"(interrupt_stack.data())
                 : "r0", "memory");
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

/// A region from `start` to before `end`, both multiples of 32 ([V8M] MPU_RBAR, MPU_RLAR).
void allow(std::uint32_t number, std::uintptr_t start, std::uintptr_t end, std::uint32_t access,
           std::uint32_t kind) {
    regs::Mpu& mpu = regs::at<regs::Mpu>(regs::kMpu);
    mpu.region_number = number;
    mpu.region_base = start | access;
    mpu.region_limit = (end - 32) | kind | regs::mpu::kRegionEnable;
}

/// Code and constants can only be read, data not executed, and what no region names is a fault:
/// above all the page that null pointers lead to, where the code's non-secure name would be.
/// Regions end at multiples of QEMU's pages: an emulated access near another end is slow.
void protect_memory() {
    const auto address = [](const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); };
    regs::Mpu& mpu = regs::at<regs::Mpu>(regs::kMpu);
    mpu.attributes[0] = regs::mpu::kAttributes;
    allow(0, address(flash_start), address(flash_end), regs::mpu::kReadOnly,
          regs::mpu::kNormalMemory);
    allow(1, address(ram_start), address(ram_end), regs::mpu::kReadWrite | regs::mpu::kNeverExecute,
          regs::mpu::kNormalMemory);
    allow(2, regs::kDevicesStart, regs::kDevicesEnd,
          regs::mpu::kReadWrite | regs::mpu::kNeverExecute, regs::mpu::kDevices);
    asm volatile("dmb" ::: "memory");
    mpu.control = regs::mpu::kEnable;
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
