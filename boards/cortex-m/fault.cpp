// The crash record of a node: processor faults, failed CHECKs, programs that give up, and the frame
// that tells the host.
//
// Nothing here trusts the rest of the firmware: no Board, no pool, no interrupts, a stack of its
// own for processor faults.
#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/crash_record.hpp"
#include "boards/cortex-m/regs.hpp"
#include "boards/cortex-m/semihosting.hpp"
#include "boards/cortex-m/stack.hpp"
#include "hal/check.hpp"
#include "hal/concepts.hpp"
#include "hal/console.hpp"
#include "libc/assertion.hpp"
#include "wire/bytes.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

extern "C" {
extern const std::byte flash_start[]; // sections.ld
extern const std::byte code_end[];
}

namespace mesh {

namespace {
/// Exit status of QEMU after a fault; 1 is what QEMU itself uses for its own errors.
constexpr std::uint32_t kFaultExitStatus = 3;
/// Turns of a loop that give the host time to take the frame off the socket: some milliseconds.
constexpr unsigned kGraceTurns = 1'000'000;

constinit std::optional<wire::Mac> other_address;
constinit Port way_out = kHostPort;

void send_to_host(const wire::CrashRecord& record) {
    alignas(4) std::array<std::byte, wire::kPacketHeaderBytes + sizeof record> packet{};
    hal::Head head;
    const wire::Mac mac = other_address ? *other_address : board::given_address();

    wire::PacketHeader packet_header;
    packet_header.payload_bytes = sizeof record;
    packet_header.source = wire::node_of(mac);
    packet_header.tag = static_cast<std::uint16_t>(wire::HostTag::fault);
    packet_header.total_bytes = sizeof record;
    wire::write_packet_header(packet_header, std::span{packet}.first<wire::kPacketHeaderBytes>());
    std::memcpy(packet.data() + wire::kPacketHeaderBytes, &record, sizeof record);
    wire::seal_packet(packet);

    head.fields.link = {.kind = wire::Kind::host, .port = way_out, .packet_bytes = packet.size()};
    wire::seal_head(head.fields, mac);
    board::send_last_frame(way_out, head, packet);
}
} // namespace

void halt(const wire::CrashRecord& record) {
    const board::InterruptGuard guard;
    send_to_host(record);
    for (unsigned turn = 0; turn < kGraceTurns; ++turn)
        asm volatile("nop");
    board::leave_emulator(kFaultExitStatus);
}

namespace {
[[noreturn]] void stop(CheckId id, const void* return_address, std::uint32_t status = 0) {
    wire::CrashRecord record{};
    record.cause = id.number;
    record.pc = reinterpret_cast<std::uintptr_t>(return_address);
    record.status = status;
    halt(record);
}
} // namespace

void check_failed(CheckId id) { stop(id, __builtin_return_address(0)); }
void check_failed(CheckId id, const void* after) { stop(id, after); }

namespace board {

void send_crash_record_as(const wire::Mac& address, Port port) {
    other_address = address;
    way_out = port;
}

void leave_emulator(std::uint32_t status) {
    // Arm semihosting, SYS_EXIT_EXTENDED with ADP_Stopped_ApplicationExit.
    const std::array<std::uint32_t, 2> block{0x2'0026, status};
    register std::uint32_t operation asm("r0") = 0x20;
    register const std::uint32_t* parameters asm("r1") = block.data();
    asm volatile("bkpt 0xAB" : "+r"(operation) : "r"(parameters) : "memory");
    for (;;)
        wait_for_interrupt();
}

namespace {
/// The registers that the processor stacks on an exception, [V7M] B1.5.6.
struct ExceptionFrame {
    std::uint32_t r0, r1, r2, r3, r12, lr, pc, xpsr;
};

/// How far beyond its end a stack may have grown when the overflow is noticed.
constexpr std::ptrdiff_t kBeyondBytesMax = 1024;

alignas(8) [[gnu::used, gnu::section(".noinit")]] std::array<std::byte, 1024> fault_stack;

/// The stack that the processor's pointer `at` stands in; without room if it is in none. A
/// processor without limit registers has moved it beyond the end already, by a function's frame and
/// its own.
Stack stack_of(const std::byte* at) {
    for (const Stack& stack : stacks())
        if (at + kBeyondBytesMax >= stack.limit && at < stack.top)
            return stack;
    return {at, at};
}

bool is_return_address(std::uint32_t word) {
    return (word & 1u) != 0 && word >= reinterpret_cast<std::uintptr_t>(flash_start) &&
           word < reinterpret_cast<std::uintptr_t>(code_end);
}

/// The value on a stack without a frame that may be the latest return address; 0: none.
std::uint32_t latest_return(const std::byte* at, const std::byte* top) {
    constexpr std::ptrdiff_t kBytesMax = 1024;
    const auto* const words = reinterpret_cast<const std::uint32_t*>(at);
    const auto count = static_cast<std::size_t>(std::min(top - at, kBytesMax)) / sizeof *words;
    const auto* const found = std::find_if(words, words + count, is_return_address);
    return found == words + count ? 0 : *found;
}

/// Writes the place of the fault into the record. On a full stack the processor puts no frame, and
/// leaves the pointer at its limit.
void locate(const ExceptionFrame* frame, wire::CrashRecord& record) {
    const auto* const pointer = reinterpret_cast<const std::byte*>(frame);
    const Stack stack = stack_of(pointer);
    const auto* const at = std::max(pointer, stack.limit);
    if (at != stack.limit && at + sizeof *frame <= stack.top) {
        record.pc = frame->pc;
        record.lr = frame->lr;
    } else {
        record.lr = latest_return(at, stack.top);
    }
    if (pointer < stack.limit) { // as a processor with limit registers says it
        record.cause = wire::kProcessorFault + regs::kUsageFault;
        record.status = regs::kCfsrStackOverflow;
    }
}
} // namespace

extern "C" [[noreturn, gnu::used]] void report_fault(const ExceptionFrame* frame) {
    const regs::Scb& scb = regs::at<regs::Scb>(regs::kScb);
    wire::CrashRecord record{};
    std::uint32_t exception;
    asm volatile("mrs %0, ipsr" : "=r"(exception));
    record.cause = wire::kProcessorFault + exception;
    record.status = scb.cfsr;
    if ((record.status & regs::kCfsrBusAddressValid) != 0)
        record.address = scb.bfar;
    else if ((record.status & regs::kCfsrMemAddressValid) != 0)
        record.address = scb.mmfar;
#ifdef __ARM_ARCH_8M_MAIN__
    else if (scb.sfsr != 0)
        record.address = scb.sfar;
#endif
    locate(frame, record);
    halt(record);
}

/// Entry of every fault and of every interrupt that nobody expects. The stack itself may be broken,
/// so the rest runs on another one, with the limit off.
extern "C" [[gnu::naked, gnu::used]] void fault_entry() {
#if __ARM_ARCH_ISA_THUMB == 1 // v6-M: no IT blocks, no movw, and a branch reaches 2 KiB
    asm volatile("movs r1, #4\n\t"
                 "mov r0, lr\n\t"
                 "tst r0, r1\n\t"
                 "beq 1f\n\t"
                 "mrs r0, psp\n\t"
                 "b 2f\n"
                 "1:\n\t"
                 "mrs r0, msp\n"
                 "2:\n\t"
                 "ldr r1, 3f\n\t"
                 "msr msp, r1\n\t"
                 "ldr r1, 4f\n\t"
                 "bx r1\n\t"
                 ".align 2\n"
                 "3:\n\t"
                 ".word %c0\n"
                 "4:\n\t"
                 ".word report_fault" ::"i"(fault_stack.data() + fault_stack.size()));
#else
    asm volatile("tst lr, #4\n\t" // EXC_RETURN.SPSEL: which stack holds the frame
                 "ite eq\n\t"
                 "mrseq r0, msp\n\t"
                 "mrsne r0, psp\n\t"
#ifdef __ARM_ARCH_8M_MAIN__
                 "movs r1, #0\n\t"
                 "msr msplim, r1\n\t"
#endif
                 "movw r1, #:lower16:%c0\n\t"
                 "movt r1, #:upper16:%c0\n\t"
                 "msr msp, r1\n\t"
                 "b report_fault" ::"i"(fault_stack.data() + fault_stack.size()));
#endif
}

} // namespace board
} // namespace mesh

// Ends of a program that the compiler and the C library know by name -----------------------------

extern "C" {

[[noreturn]] void abort() {
    mesh::stop(mesh::ProgramEnd::program_aborted, __builtin_return_address(0));
}

[[noreturn]] void exit(int status) {
    mesh::console_flush();
    mesh::stop(mesh::ProgramEnd::program_exited, __builtin_return_address(0),
               static_cast<std::uint32_t>(status));
}

[[noreturn]] void __assert_func(const char* file, int line, const char* function,
                                const char* expression) {
    mesh::stdio::tell_assertion(expression, file, line, function);
    mesh::stop(mesh::ProgramEnd::assertion_failed, __builtin_return_address(0));
}

/// Division by zero of long long, whose division is a function ("Run-time ABI for the Arm
/// Architecture", 4.3.2): the same fault as that of int.
[[noreturn]] void __aeabi_ldiv0() {
    mesh::wire::CrashRecord record{};
    record.cause = mesh::wire::kProcessorFault + mesh::board::regs::kUsageFault;
    record.pc = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    record.status = mesh::board::regs::kCfsrDivisionByZero;
    mesh::halt(record);
}

/// The compiler calls this where an index is not one of its array's (firmware/programs.mk).
[[noreturn]] void __ubsan_handle_out_of_bounds_abort() {
    mesh::stop(mesh::ProgramEnd::index_out_of_bounds, __builtin_return_address(0));
}

#if __ARM_ARCH_ISA_THUMB == 1
/// The same for int, where the processor has no instruction for it.
[[noreturn, gnu::alias("__aeabi_ldiv0")]] void __aeabi_idiv0();
#endif

/// Called by code for a division by zero, if the compiler checks divisions (firmware/programs.mk).
[[noreturn, gnu::alias("__aeabi_ldiv0")]] void __ubsan_handle_divrem_overflow_abort();
}
