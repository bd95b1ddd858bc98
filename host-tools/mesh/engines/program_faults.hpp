// Faults of the processor while a simulated node runs: the signal ends that node and no other.
//
// A program that reads by a null pointer or divides by zero gets a signal of the host. The handler
// leaves the node's stack at once, as halt() does, for the place where the simulation entered it.
#pragma once

#include "wire/host_messages.hpp"

#include <csetjmp>
#include <csignal>

namespace mesh::host {

class ProgramFaults {
public:
    /// One at a time in a process.
    ProgramFaults();
    ~ProgramFaults();
    ProgramFaults(const ProgramFaults&) = delete;
    ProgramFaults& operator=(const ProgramFaults&) = delete;

    /// Runs `work()`. False if it was left by a fault or halt(), of which record() says what it
    /// was.
    template <class Work>
    bool guard(Work&& work) {
        if (sigsetjmp(entry_, 0) != 0) { // no signal is held back in its handler
            leave();
            return false;
        }
        enter();
        work();
        leave();
        return true;
    }
    const wire::FaultRecord& record() const { return record_; }

private:
    void enter();
    static void leave();
    static void stop(void* self, const wire::FaultRecord& record);
    static void on_signal(int signal, siginfo_t* info, void* context);

    sigjmp_buf entry_;
    wire::FaultRecord record_{};
};

} // namespace mesh::host
