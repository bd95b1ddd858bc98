// Ends one simulated node, and no other: after a fault of the processor, or when its time is over.
//
// A program that reads by a null pointer or divides by zero gets a signal of the host. The handler
// leaves the node's stack at once, as halt() does, for the place where the simulation entered it.
// So does the handler of a timer for a node that never comes back, while it is in the program's own
// code. In our code it might hold something that others need, so a node that is there is stopped
// when its program next calls the console.
#pragma once

#include "wire/host_messages.hpp"

#include <array>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>

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

    /// Runs `work()`. False if a handler left it; record() then says why.
    template <class Work>
    bool guard(Work&& work) {
        if (sigsetjmp(entry_, 0) != 0) { // no signal is held back in its handler
            leave();
            return false;
        }
        enter();
        try {
            work();
        } catch (...) {
            leave();
            throw;
        }
        leave();
        return true;
    }
    const wire::CrashRecord& record() const { return record_; }

private:
    void enter();
    static void leave();
    static void stop(void* self, const wire::CrashRecord& record);
    static void on_signal(int signal, siginfo_t* info, void* context);
    static void on_tick(int signal, siginfo_t* info, void* context);
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
    sigjmp_buf entry_;
    wire::CrashRecord record_{};
};

} // namespace mesh::host
