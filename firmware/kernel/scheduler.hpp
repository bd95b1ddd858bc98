// The processes of a node: cooperative coroutines, resumed in the order of their slots.
//
// A blocked process is a predicate. After every event that a process could see (a delivery, a
// freed buffer, time) the scheduler asks the predicates and resumes those that hold. A node has a
// handful of processes, transit traffic changes nothing that they see, so asking is cheap and the
// order is always the same.
#pragma once

#include "kernel/limits.hpp"
#include "kernel/task.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <array>
#include <coroutine>
#include <cstdint>

namespace mesh {

/// Names a spawned process until it is joined.
struct ProcessId {
    std::uint8_t slot = 0xFF;
    std::uint8_t generation = 0;
};

class Scheduler {
public:
    using Ready = bool (*)(void* context);

    /// Starts `process` at model time `clock`; it first runs when the caller waits. With an `id` it
    /// has a slot until it is joined, without one until it ends. False (and nothing started) if
    /// kProcessesMax have slots or the arena was exhausted.
    [[nodiscard]] bool spawn(Process process, wire::ModelTime clock, ProcessId* id);

    /// Blocks the running process until `ready(context)` holds. `wake`: when to ask at the latest.
    void block(std::coroutine_handle<> resume_at, Ready ready, void* context,
               std::uint64_t wake = wire::kNever);

    /// Resumes each process that can run once. Returns whether any ran.
    bool run_round();

    /// Something changed that a predicate may look at.
    void touch() { touched_ = true; }
    /// Time has come to `now`: touches if a process wanted to be asked by then.
    void on_time(std::uint64_t now);
    /// Earliest `wake` of all blocked processes, or kNever; 0 if another round is due.
    std::uint64_t next_wake() const;

    bool ended(ProcessId id) const;
    /// No process is there.
    bool empty() const {
        return std::none_of(slots_.begin(), slots_.end(),
                            [](const Slot& slot) { return slot.root; });
    }
    /// Gives the verdict of a process that has ended, and its slot away. ok if it never was.
    Status join(ProcessId id);
    /// The verdict of a process that failed and that nobody has joined; ok if there is none.
    Status failure() const;
    /// The running process's model clock (or the last one's that ran).
    wire::ModelTime& clock() { return slots_[current_].clock; }
    /// 0 for a process that never was, or whose slot another one has taken.
    wire::ModelTime clock(ProcessId id) const { return known(id) ? slots_[id.slot].clock : 0; }

private:
    struct Slot {
        std::coroutine_handle<Process::promise_type> root;
        std::coroutine_handle<> resume_at;
        Ready ready = nullptr; // nullptr: runnable
        void* context = nullptr;
        std::uint64_t wake = wire::kNever;
        wire::ModelTime clock = 0;
        Status status = Status::ok;
        std::uint8_t generation = 0;
        bool will_be_joined = false;

        bool is_free() const { return !root && !will_be_joined; }
    };

    void end(Slot& slot);
    bool known(ProcessId id) const {
        return id.slot < slots_.size() && slots_[id.slot].generation == id.generation;
    }

    std::array<Slot, limits::kProcessesMax> slots_{};
    std::uint8_t used_ = 0; // slots beyond never had a process
    std::uint8_t current_ = 0;
    bool touched_ = false;
    Status failure_ = Status::ok; // of a process that nobody can join
};

} // namespace mesh
