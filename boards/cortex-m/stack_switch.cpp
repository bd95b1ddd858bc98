// The switch between the node's stack and that of a program (hal/stack_switch.hpp). Both are used
// by the process stack pointer; interrupts and faults have stacks of their own, and an interrupt in
// the middle of a switch finds a whole stack: the one that is left until sp changes, then the
// other.
#include "hal/stack_switch.hpp"

#include "boards/cortex-m/stack.hpp"

#include <cstdint>
#include <cstring>

extern "C" {
// sections.ld
extern std::byte program_stack_top[];
extern std::byte noinit_end[];
extern std::byte ram_end[];
}

namespace mesh {

namespace {

/// The words that switch_stacks() pushes: r4 to r11 and lr; and s16 to s31 where there are any.
constexpr std::size_t kGeneralWords = 9;
#ifdef __ARM_FP
constexpr std::size_t kPushedWords = kGeneralWords + 16;
#else
constexpr std::size_t kPushedWords = kGeneralWords;
#endif

/// Less than this behind the last variable is no heap.
constexpr std::ptrdiff_t kHeapBytesMin = 64 << 10;

} // namespace

/// The low part of the stack's memory: below it there is nothing.
std::span<std::byte> program_stack() { return {stack_limit, program_stack_top}; }

std::span<std::byte> program_heap() {
    if (ram_end - noinit_end < kHeapBytesMin)
        return {};
    return {noinit_end, ram_end};
}

StackPointer new_stack(std::span<std::byte> stack, void (*entry)()) {
    // At the entry of a function sp is a multiple of 8, else va_arg() finds no double.
    std::byte* const top = stack.data() + stack.size() / 8 * 8;
    std::byte* const pushed = top - kPushedWords * sizeof(std::uint32_t);
    std::memset(pushed, 0, kPushedWords * sizeof(std::uint32_t));
    const auto address = reinterpret_cast<std::uint32_t>(entry);
    std::memcpy(top - sizeof address, &address, sizeof address); // popped into pc
    return pushed;
}

namespace {
/// `limit`: of the stack that is entered. While sp moves from one to the other, there is none.
[[gnu::naked, gnu::noinline]] void push_and_pop(StackPointer* /*from*/, StackPointer /*to*/,
                                                const std::byte* /*limit*/) {
#if __ARM_ARCH_ISA_THUMB == 1 // v6-M: only the low registers are pushed and popped
    asm volatile("push {r4-r7, lr}\n\t"
                 "mov r4, r8\n\t"
                 "mov r5, r9\n\t"
                 "mov r6, r10\n\t"
                 "mov r7, r11\n\t"
                 "push {r4-r7}\n\t"
                 "mov r3, sp\n\t"
                 "str r3, [r0]\n\t"
                 "mov sp, r1\n\t"
                 "pop {r4-r7}\n\t"
                 "mov r8, r4\n\t"
                 "mov r9, r5\n\t"
                 "mov r10, r6\n\t"
                 "mov r11, r7\n\t"
                 "pop {r4-r7, pc}\n\t");
#else
    asm volatile("push {r4-r11, lr}\n\t"
#ifdef __ARM_FP
                 "vpush {s16-s31}\n\t"
#endif
#ifdef __ARM_ARCH_8M_MAIN__
                 "movs r3, #0\n\t"
                 "msr psplim, r3\n\t"
#endif
                 "mov r3, sp\n\t"
                 "str r3, [r0]\n\t"
                 "mov sp, r1\n\t"
#ifdef __ARM_ARCH_8M_MAIN__
                 "msr psplim, r2\n\t"
#endif
#ifdef __ARM_FP
                 "vpop {s16-s31}\n\t"
#endif
                 "pop {r4-r11, pc}\n\t");
#endif
}
} // namespace

void switch_stacks(StackPointer* from, StackPointer to, const std::byte* limit) {
    push_and_pop(from, to, limit != nullptr ? limit : program_stack_top);
}

} // namespace mesh
