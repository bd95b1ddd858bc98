#include "program_faults.hpp"

#include "fault_words.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/programs/loaded_program.hpp"

#include "boards/host/notes.hpp"
#include "boards/host/program_memory.hpp"
#include "boards/host/stop.hpp"
#include "hal/check.hpp"

#include <fmt/format.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/// A fault so near below the stack pointer, or above it, is one of a stack that is full.
constexpr std::uintptr_t kStackReach = 128 << 10;
constexpr std::uint32_t kUsageFault = 6;
constexpr suseconds_t kTickUs = 100'000;
/// A node in a loop that has ended another one has this time, since it has most likely no end.
constexpr ProgramFaults::Seconds kKnownTimeout{0.15};
/// A node that is to stop at its next call has so much of the processor to call.
constexpr ProgramFaults::Seconds kStopTimeout{2};
/// The usual size of the host tool's own stack.
constexpr std::size_t kNodesStackBytes = std::size_t{8} << 20;
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
    std::uintptr_t link; // where a function that has only begun returns to; 0: it is on the stack
};

Registers registers_of(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    const auto sp = static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
    const auto pc = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
    return {pc, sp, 0};
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

sigjmp_buf after_look; // a fault of a look at the stack goes on there
volatile std::sig_atomic_t looks = 0;

/// `look()`, which walks up a stack that may be overwritten; 0 if it is.
template <class Look>
std::uintptr_t looked(Look look) {
    if (sigsetjmp(after_look, 0) != 0) {
        looks = 0;
        return 0;
    }
    looks = 1;
    const std::uintptr_t found = look();
    looks = 0;
    return found;
}

/// Where the program is, as a record says it: at `pc`, or in the call that led there.
std::uint32_t program_place(std::uintptr_t pc) {
    if (board::in_program_code(pc))
        return board::code_offset(pc);
    const auto after =
        looked([] { return reinterpret_cast<std::uintptr_t>(board::last_call_of_program()); });
    return board::in_loaded_code(after) ? board::code_offset(after) - 1 : board::code_offset(pc);
}

/// Where a function that has only begun was called.
std::uintptr_t caller_in(const Registers& registers) {
    return registers.link != 0 ? registers.link
                               : *std::bit_cast<const std::uintptr_t*>(registers.sp);
}

wire::CrashRecord record_of(int signal, const siginfo_t& info, const Registers& registers) {
    const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    wire::CrashRecord record{};
    record.pc = program_place(registers.pc);
    if (signal == SIGABRT) { // a library gives up
        record.cause = static_cast<std::uint32_t>(ProgramEnd::program_aborted);
        return record;
    }
    if (const auto beyond = board::guard_at(address); beyond && signal == SIGSEGV) {
        record.cause = beyond->number;
        return record;
    }
    record.cause = wire::kProcessorFault + kUsageFault;
    if (signal == SIGSEGV && registers.pc == address) { // a call by a null pointer, or a wild one
        record.pc = address == 0 ? 0 : UINT32_MAX;
        record.lr = board::code_offset(looked([&] { return caller_in(registers); })) - 1;
    }
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
ProgramFaults* present = nullptr; // from the first node on

} // namespace

ProgramFaults::ProgramFaults(Seconds timeout, Seconds limit)
    : timeout_(timeout),
      limit_(limit),
      nodes_memory_(board::guarded_memory(kNodesStackBytes, ProgramEnd::beyond_stack)) {
    if (nodes_memory_.empty())
        throw RunError("no memory for a stack of the nodes");
    nodes_stack_ = new_stack(nodes_memory_, work_on);
    board::last_call_of_program(); // what it has to load is there before it is needed
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
    present = nullptr;
}

bool ProgramFaults::run(void (*work)(void*), void* with) {
    work_ = work;
    with_ = with;
    if (sigsetjmp(entry_, 0) != 0) { // no signal is held back in its handler
        leave();
        nodes_stack_ = new_stack(nodes_memory_, work_on);
        return false;
    }
    enter();
    switch_stacks(&own_stack_, nodes_stack_, nullptr);
    leave();
    if (thrown_)
        std::rethrow_exception(std::exchange(thrown_, nullptr));
    return true;
}

/// On the nodes' stack, which nothing is thrown through.
void ProgramFaults::work_on() {
    for (;;) {
        ProgramFaults& faults = *present;
        try {
            faults.work_(faults.with_);
        } catch (...) {
            faults.thrown_ = std::current_exception();
        }
        switch_stacks(&faults.nodes_stack_, faults.own_stack_, nullptr);
    }
}

void ProgramFaults::enter() {
    entries_ = entries_ + 1;
    ends_ = 0;
    running = present = this;
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
    if (looks != 0)
        siglongjmp(after_look, 1);
    if (running != nullptr) {
        if (running->ends_ != 0)
            running->give_up("has overwritten what ends it");
        running->ends_ = 1;
        stop(running, record_of(signal, *info, registers_of(context)));
    }
    if (present != nullptr)
        present->tell("ran before a fault of the host tool, which it may have overwritten");
    std::signal(signal, SIG_DFL); // it comes again, and ends the process
}

/// In a handler.
void ProgramFaults::tell(std::string_view what) const {
    std::array<char, 200> line;
    const auto end =
        node_ == kNoNode
            ? fmt::format_to_n(line.begin(), line.size(), "mesh: a program {}\n", what)
            : fmt::format_to_n(line.begin(), line.size(), "mesh: node {} {}\n", index(node_), what);
    static_cast<void>(!write(STDERR_FILENO, line.data(), std::min(end.size, line.size())));
}

void ProgramFaults::give_up(std::string_view what) const {
    tell(what);
    _exit(1);
}

/// True if the node that runs has had its time, or a signal is to end the run. Never at its first
/// tick: a node that comes back is ended by the run, which looks at limit and signals in between.
bool ProgramFaults::too_late(std::uintptr_t pc) {
    const Seconds used = processor_time();
    if (entries_ != entries_seen_) {
        entries_seen_ = entries_;
        used_before_ = used;
        asked_at_ = {};
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
    const Registers registers = registers_of(context);
    if (running != nullptr && running->ends_ == 0 && running->too_late(registers.pc))
        running->end_late_node(registers.pc, looked([&] { return caller_in(registers); }));
}

/// In our code the node goes on to its next call of the console, if that comes soon. If not, no
/// promise of our code is worth more than the end of this node. `caller`: of a function that has
/// only begun, as the few words by which a program reaches another library, which have no line.
void ProgramFaults::end_late_node(std::uintptr_t pc, std::uintptr_t caller) {
    const auto in_library = [pc] { return std::uintptr_t{board::in_library_of_program(pc)}; };
    if (!board::in_loaded_code(pc) && looked(in_library) == 0) {
        board::stop_at_next_call();
        const Seconds now = processor_time();
        if (asked_at_ == Seconds(0))
            asked_at_ = now;
        if (now - asked_at_ > 2 * kStopTimeout)
            give_up("computes without end and cannot be stopped");
        if (now - asked_at_ < kStopTimeout || !board::in_own_code(pc))
            return;
    }
    if (!is_known(pc) && endless_count_ < endless_.size())
        endless_[endless_count_++] = pc;
    wire::CrashRecord record{};
    const auto why = board::why_endless(std::bit_cast<const void*>(pc + 1));
    record.cause = why.cause.number;
    const auto place = std::bit_cast<std::uintptr_t>(why.place);
    record.pc = place == pc + 1 ? program_place(pc) : board::code_offset(place) - 1;
    if (board::in_program_code(pc) && board::in_program_code(caller))
        record.lr = board::code_offset(caller) - 1;
    stop(this, record);
}

} // namespace mesh::host
