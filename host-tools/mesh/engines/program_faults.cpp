#include "program_faults.hpp"

#include "fault_words.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/programs/loaded_program.hpp"

#include "boards/host/notes.hpp"
#include "boards/host/stop.hpp"
#include "hal/check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <sys/time.h>
#include <ucontext.h>

namespace mesh::host {

namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/// A fault so near below the stack pointer, or above it, is one of a stack that is full.
constexpr std::uintptr_t kStackReach = 128 << 10;
constexpr std::uint32_t kUsageFault = 6;
constexpr suseconds_t kTickUs = 100'000;
/// A node in a loop that has ended another one has this time, since it has most likely no end.
constexpr ProgramFaults::Seconds kKnownTimeout{0.15};
/// From end to end of a loop, at most.
constexpr std::uintptr_t kLoopBytes = 256;

// Causes, as bits of a Cortex-M's fault status.
constexpr std::uint32_t kJump = 1u << 0;
constexpr std::uint32_t kAccess = 1u << 1;
constexpr std::uint32_t kAccessAddress = 1u << 7;
constexpr std::uint32_t kBus = 1u << 9;
constexpr std::uint32_t kUndefined = 1u << 16;
constexpr std::uint32_t kStackOverflow = 1u << kStackOverflowBit;
constexpr std::uint32_t kDivisionByZero = 1u << 25;

struct Registers {
    std::uintptr_t pc;
    std::uintptr_t sp;
    std::uintptr_t caller; // of a function that has only begun
};

Registers registers_of(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto sp = static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
    const auto pc = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
    return {pc, sp, pc == 0 ? *std::bit_cast<const std::uintptr_t*>(sp) : 0};
#elif defined(__aarch64__)
    return {machine.pc, machine.sp, machine.regs[30]};
#else
    static_cast<void>(machine);
    return {1, 0, 0};
#endif
}

/// The fault status of an access to `address`.
std::uint32_t status_of_access(std::uintptr_t address, const Registers& registers) {
    if (address == registers.pc)
        return kJump;
    if (address + kStackReach > registers.sp && address < registers.sp + kStackReach)
        return kStackOverflow;
    return address <= UINT32_MAX ? kAccess | kAccessAddress : kAccess;
}

wire::CrashRecord record_of(int signal, const siginfo_t& info, const Registers& registers) {
    const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    wire::CrashRecord record{};
    if (signal == SIGABRT) { // a library gives up
        const auto* const after = board::last_call_of_program();
        record.cause = static_cast<std::uint32_t>(CheckId::program_aborted);
        record.pc = board::code_offset(reinterpret_cast<std::uintptr_t>(after)) - 1;
        return record;
    }
    record.cause = wire::kProcessorFault + kUsageFault;
    if (registers.pc == 0) // a call by a null pointer
        record.lr = board::code_offset(registers.caller) - 1;
    else
        record.pc = board::code_offset(registers.pc);
    record.address = static_cast<std::uint32_t>(address);
    switch (signal) {
    case SIGFPE: record.status = kDivisionByZero; break;
    case SIGILL: record.status = kUndefined; break;
    case SIGBUS: record.status = kBus; break;
    default:
        // The kernel's own code: an address that no processor has.
        record.status = info.si_code == SI_KERNEL ? kAccess : status_of_access(address, registers);
    }
    return record;
}

/// Of this thread: unlike real time it is the same on a busy machine.
ProgramFaults::Seconds processor_time() {
    timespec used{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return ProgramFaults::Seconds(static_cast<double>(used.tv_sec) +
                                  1e-9 * static_cast<double>(used.tv_nsec));
}

alignas(16) std::array<std::byte, 256 << 10> signal_stack;

ProgramFaults* running = nullptr; // while a node runs

} // namespace

ProgramFaults::ProgramFaults(Seconds timeout, Seconds limit) : timeout_(timeout), limit_(limit) {
    const stack_t stack{signal_stack.data(), 0, signal_stack.size()};
    sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = &ProgramFaults::on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    for (const int signal : kSignals)
        sigaction(signal, &action, nullptr);
    action.sa_sigaction = &ProgramFaults::on_tick;
    action.sa_flags |= SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval ticks{{0, kTickUs}, {0, kTickUs}};
    setitimer(ITIMER_REAL, &ticks, nullptr);
}

ProgramFaults::~ProgramFaults() {
    const itimerval none{};
    setitimer(ITIMER_REAL, &none, nullptr);
    std::signal(SIGALRM, SIG_IGN);
    for (const int signal : kSignals)
        std::signal(signal, SIG_DFL);
}

void ProgramFaults::enter() {
    entries_ = entries_ + 1;
    running = this;
    board::set_stop(&ProgramFaults::stop, this);
}

void ProgramFaults::leave() {
    board::set_stop(nullptr, nullptr);
    running = nullptr;
}

void ProgramFaults::stop(void* self, const wire::CrashRecord& record) {
    auto& faults = *static_cast<ProgramFaults*>(self);
    faults.record_ = record;
    siglongjmp(faults.entry_, 1);
}

void ProgramFaults::on_signal(int signal, siginfo_t* info, void* context) {
    if (signal == SIGSEGV && info->si_code == SEGV_ACCERR &&
        LoadedProgram::unlock(reinterpret_cast<std::uintptr_t>(info->si_addr)))
        return;
    if (running != nullptr)
        stop(running, record_of(signal, *info, registers_of(context)));
    std::signal(signal, SIG_DFL); // a fault of our own: it comes again, and ends the process
}

/// True if the node that runs has had its time, or a signal is to end the run. Never at its first
/// tick: a node that comes back is ended by the run, which looks at limit and signals in between.
bool ProgramFaults::too_late(std::uintptr_t pc) {
    const Seconds used = processor_time();
    if (entries_ != entries_seen_) {
        entries_seen_ = entries_;
        used_before_ = used;
        return false;
    }
    const Seconds timeout = is_known(pc) ? std::min(timeout_, kKnownTimeout) : timeout_;
    return used - used_before_ > timeout ||
           (limit_ > Seconds(0) && Clock::now() - began_ > limit_) || end_is_asked_for();
}

/// Another node was ended near there, since it computed without end.
bool ProgramFaults::is_known(std::uintptr_t pc) const {
    const auto end = endless_.begin() + static_cast<std::ptrdiff_t>(endless_count_);
    return std::any_of(endless_.begin(), end, [pc](std::uintptr_t known) {
        return pc - known + kLoopBytes < 2 * kLoopBytes;
    });
}

void ProgramFaults::on_tick(int, siginfo_t*, void* context) {
    const std::uintptr_t pc = registers_of(context).pc;
    if (running == nullptr || !running->too_late(pc))
        return;
    if (!board::in_loaded_code(pc)) {
        board::stop_at_next_call();
        return;
    }
    if (!running->is_known(pc) && running->endless_count_ < running->endless_.size())
        running->endless_[running->endless_count_++] = pc;
    wire::CrashRecord record{};
    const auto why = board::why_endless(std::bit_cast<const void*>(pc + 1));
    record.cause = static_cast<std::uint32_t>(why.cause);
    record.pc = board::code_offset(std::bit_cast<std::uintptr_t>(why.place)) - 1;
    stop(running, record);
}

} // namespace mesh::host
