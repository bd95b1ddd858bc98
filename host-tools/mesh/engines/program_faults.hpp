// Ends one simulated node, and no other: after a fault of the processor, or when its time is over.
//
// Nodes run on a stack of their own, between pages that nobody may touch. A program that reads by a
// null pointer or divides by zero gets a signal of the host. The handler leaves the node's stack at
// once, as halt() does, for the place where the simulation entered it. So does the handler of a
// timer for a node that never comes back, while it is in the program's own code, or in that of a
// library. In our code it might hold something that others need, so a node that is there is stopped
// when its program next calls the console, or where it is if that does not come for long. The
// process ends, with one line, if nothing helps, or if what a handler needs was overwritten.
#pragma once

#include "core/base/types.hpp"
#include "hal/stack_switch.hpp"
#include "wire/host_messages.hpp"

#include <array>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string_view>
#include <type_traits>

namespace mesh::host {

class ProgramFaults {
public:
    using Seconds = std::chrono::duration<double>;

    /// One at a time in a process. A node may work for `timeout` of processor time at a time, all
    /// of them for `limit` of real time in all (0: as long as they like). A loop that has ended a
    /// node for its time ends the next ones that are met in it soon: a loop of all nodes costs
    /// about one `timeout`.
    ProgramFaults(Seconds timeout, Seconds limit);
    ~ProgramFaults();
    ProgramFaults(const ProgramFaults&) = delete;
    ProgramFaults& operator=(const ProgramFaults&) = delete;

    /// Runs `work()` for a node. False if a handler left it; record() then says why.
    template <class Work>
    bool guard(NodeId node, Work&& work) {
        node_ = node;
        return run([](void* it) { (*static_cast<std::remove_reference_t<Work>*>(it))(); }, &work);
    }
    const wire::CrashRecord& record() const { return record_; }

private:
    bool run(void (*work)(void*), void* with);
    static void work_on();
    void enter();
    static void leave();
    static void stop(void* self, const wire::CrashRecord& record);
    static void on_signal(int signal, siginfo_t* info, void* context);
    static void on_tick(int signal, siginfo_t* info, void* context);
    void end_late_node(std::uintptr_t pc, std::uintptr_t caller);
    void tell(std::string_view what) const;
    [[noreturn]] void give_up(std::string_view what) const;
    bool too_late(std::uintptr_t pc);
    bool is_known(std::uintptr_t pc) const;

    using Clock = std::chrono::steady_clock;

    Seconds timeout_;
    Seconds limit_;
    Clock::time_point began_ = Clock::now();
    volatile unsigned entries_ = 0;            // calls of guard()
    unsigned entries_seen_ = 0;                // at the last tick
    Seconds used_before_{};                    // of the processor, at the first tick of this entry
    std::array<std::uintptr_t, 16> endless_{}; // places where nodes were ended for it
    std::size_t endless_count_ = 0;
    Seconds asked_at_{}; // of the processor, when this entry was first found too late; 0: never
    volatile std::sig_atomic_t ends_ = 0; // the node that runs is being ended
    sigjmp_buf entry_;
    wire::CrashRecord record_{};
    NodeId node_ = kNoNode; // that runs, or was the last to
    void (*work_)(void*) = nullptr;
    void* with_ = nullptr;
    std::exception_ptr thrown_; // by the work
    std::span<std::byte> nodes_memory_;
    StackPointer nodes_stack_ = nullptr;
    StackPointer own_stack_ = nullptr; // while a node runs
};

} // namespace mesh::host
