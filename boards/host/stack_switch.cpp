// The switch between the stack of the host tool, on which the kernels of all nodes run, and that of
// a node's program (hal/stack_switch.hpp).
#include "hal/stack_switch.hpp"

#include <cstdint>
#include <cstring>

namespace mesh {

#if defined(__x86_64__)

// rbx, rbp, r12 to r15, the control words of SSE and x87, then the address to return to.
StackPointer new_stack(std::span<std::byte> stack, void (*entry)()) {
    constexpr std::size_t kPushedWords = 9; // and the entry's own return address, which is 0
    std::byte* const top = stack.data() + stack.size() / 16 * 16;
    std::byte* const pushed = top - kPushedWords * sizeof(std::uint64_t);
    std::memset(pushed, 0, kPushedWords * sizeof(std::uint64_t));
    std::uint32_t mxcsr;
    std::uint16_t x87;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
    std::memcpy(pushed, &mxcsr, sizeof mxcsr);
    std::memcpy(pushed + sizeof mxcsr, &x87, sizeof x87);
    const auto address = reinterpret_cast<std::uint64_t>(entry);
    std::memcpy(pushed + 7 * sizeof address, &address, sizeof address);
    return pushed;
}

asm(".text\n"
    ".type mesh_switch_stacks, @function\n"
    "mesh_switch_stacks:\n\t"
    "push %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t"
    "sub $8, %rsp\n\tstmxcsr (%rsp)\n\tfnstcw 4(%rsp)\n\t"
    "mov %rsp, (%rdi)\n\t"
    "mov %rsi, %rsp\n\t"
    "ldmxcsr (%rsp)\n\tfldcw 4(%rsp)\n\tadd $8, %rsp\n\t"
    "pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbx\n\tpop %rbp\n\t"
    "ret\n\t"
    ".size mesh_switch_stacks, . - mesh_switch_stacks");

#elif defined(__aarch64__)

// x19 to x30, then d8 to d15.
StackPointer new_stack(std::span<std::byte> stack, void (*entry)()) {
    constexpr std::size_t kPushedBytes = 160;
    std::byte* const top = stack.data() + stack.size() / 16 * 16;
    std::byte* const pushed = top - kPushedBytes;
    std::memset(pushed, 0, kPushedBytes);
    const auto address = reinterpret_cast<std::uint64_t>(entry);
    std::memcpy(pushed + 88, &address, sizeof address); // x30
    return pushed;
}

asm(".text\n"
    ".type mesh_switch_stacks, %function\n"
    "mesh_switch_stacks:\n\t"
    "sub sp, sp, #160\n\t"
    "stp x19, x20, [sp]\n\tstp x21, x22, [sp, #16]\n\tstp x23, x24, [sp, #32]\n\t"
    "stp x25, x26, [sp, #48]\n\tstp x27, x28, [sp, #64]\n\tstp x29, x30, [sp, #80]\n\t"
    "stp d8, d9, [sp, #96]\n\tstp d10, d11, [sp, #112]\n\t"
    "stp d12, d13, [sp, #128]\n\tstp d14, d15, [sp, #144]\n\t"
    "mov x9, sp\n\tstr x9, [x0]\n\t"
    "mov sp, x1\n\t"
    "ldp x19, x20, [sp]\n\tldp x21, x22, [sp, #16]\n\tldp x23, x24, [sp, #32]\n\t"
    "ldp x25, x26, [sp, #48]\n\tldp x27, x28, [sp, #64]\n\tldp x29, x30, [sp, #80]\n\t"
    "ldp d8, d9, [sp, #96]\n\tldp d10, d11, [sp, #112]\n\t"
    "ldp d12, d13, [sp, #128]\n\tldp d14, d15, [sp, #144]\n\t"
    "add sp, sp, #160\n\t"
    "ret\n\t"
    ".size mesh_switch_stacks, . - mesh_switch_stacks");

#endif

extern "C" void mesh_switch_stacks(StackPointer* from, StackPointer to);

void switch_stacks(StackPointer* from, StackPointer to, const std::byte* /*limit*/) {
    mesh_switch_stacks(from, to);
}

} // namespace mesh
