// The processes of a node: cooperative coroutines of two priorities, resumed in the order of their
// slots. Between any two waits a high one that can run goes before all low ones.
//
// A blocked process is a predicate. After every event that a process could see (a delivery, a
// freed buffer, time) the scheduler asks the predicates and resumes the processes whose predicate
// is true. A node has a handful of processes, and transit traffic changes nothing that they see. So
// asking is cheap, and the order is always the same.
//
// A process that waits for another one sleeps: it is asked only when that wakes it, by the number
// of its slot. To be woken in vain changes nothing, since the predicate decides. So nobody has to
// take back a word to a process that has given up, or that has ended.
#pragma once

#include "kernel/base/critical_section.hpp"
#include "kernel/base/limits.hpp"
#include "kernel/processes/process_watch.hpp"
#include "kernel/processes/task.hpp"
#include "wire/frame.hpp"

#include <bit>
#include <coroutine>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh {

/// Names a spawned process until it is joined. A word, so that it goes in a register. The
/// generation is that of its slot: a name that is kept beyond 2^16 processes of one slot names
/// another process.
struct alignas(4) ProcessId {
    std::uint8_t slot = 0xFF;
    std::uint16_t generation = 0;
};

/// Whose turn comes first, of processes of a node that can run.
enum class Priority : std::uint8_t { low, high };

class Scheduler;

/// A wait of a process: an object in the coroutine frame of that process. `co_await` calls its
/// function `ask` at once, then after every event, until that returns true. A wait of several steps
/// does its next step in each call, as if it were the process; so it needs no coroutine of its own.
/// Each class has a function `ask` of its own, whose name tells a debugger the class.
class Waiting {
public:
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    bool await_ready() const { return false; }
    bool await_suspend(std::coroutine_handle<> caller);

protected:
    using Ask = bool (*)(Waiting& self);
    /// `wake`: when to ask at the latest.
    Waiting(Scheduler& scheduler, Ask ask, std::uint64_t wake = wire::kNever)
        : scheduler_(scheduler),
          ask_(ask),
          wake_(wake) {}
    ~Waiting() = default;
    /// Blocks the running process until somebody wakes it, by the number that this gives.
    std::uint8_t sleep(std::coroutine_handle<> caller);
    void ask_again_at(std::uint64_t wake) { wake_ = wake; }
    std::uint64_t asked_again_at() const { return wake_; }

private:
    friend class Scheduler;
    friend class Attempt;
    friend struct WaitPlaces;

    Scheduler& scheduler_;
    Ask ask_;
    std::uint64_t wake_;
};

/// An operation that may be given up (kernel/api/within.hpp). The processes that are spawned while
/// it runs belong to it.
struct Scope {
    Scope* outer = nullptr; // the operation of which it is a part
};

/// One process, or room for one. Memory of the scheduler.
struct ProcessSlot {
    std::coroutine_handle<Process::promise_type> root;
    std::coroutine_handle<> resume_at;
    Waiting* waiting = nullptr; // nullptr: runnable
    Scope* scope = nullptr;     // the innermost operation to which it belongs
    wire::ModelTime clock = 0;
    Status status = Status::ok;
    bool will_be_joined = false;
    std::uint16_t generation = 0;

    /// No process has this slot, and none that has ended waits there to be joined.
    bool is_free() const { return !root && !will_be_joined; }
};

/// Somebody who measures the turns of a node's processes (library/turns.hpp).
class TurnMeter {
public:
    /// In place of Scheduler::run_turn(): calls run_measured_turn(), which images without a meter
    /// do not have.
    virtual bool run_turn() = 0;
    /// The process in `slot` is about to be asked whether it can run.
    virtual void asks(unsigned slot) = 0;
    /// The process in `slot`, which was asked last, has had its turn.
    virtual void ended(unsigned slot) = 0;
    /// From an interrupt: the turn of the process in `slot` has not ended.
    virtual void goes_on(unsigned slot) = 0;

protected:
    ~TurnMeter() = default;
};

/// The processes of one node, by turns. Not for interrupts, but for touch().
class Scheduler {
public:
    /// `slots`: the caller's, for as long as this lives; what is in them does not matter.
    explicit Scheduler(std::span<ProcessSlot> slots) : slots_(slots) {
        for (ProcessSlot& slot : slots)
            new (&slot) ProcessSlot;
    }

    /// Starts `process` at the model time of the running process, of whose operation it is a part;
    /// it first runs when the caller waits. With an `id` it has a slot until it is joined, without
    /// one until it ends. False (and nothing started) if no slot is left or the arena was
    /// exhausted.
    [[nodiscard]] bool spawn(Process process, ProcessId* id);

    /// Runs a process that was spawned with an `id`, and has not run, until it waits for the first
    /// time; then the caller, a process, goes on. So what several of them begin, begins in the
    /// order of these calls.
    void start(ProcessId id);

    /// Blocks the running process. False, and nothing done, if the wait is over at once.
    bool block(std::coroutine_handle<> resume_at, Waiting& waiting);
    /// The process in slot `number` is asked again, or nobody if it does not sleep.
    void wake(std::uint8_t number) { due_ |= bit_of(number); }
    /// The running process, which has just been blocked, is asked when a process has ended.
    void sleep_until_an_end() {
        joining_ |= bit_of(current_);
        polled_ &= ~bit_of(current_);
    }
    /// The running process gives way until `moment`, if no other one does already.
    void give_way(std::uint64_t moment) {
        if (yielding_ == 0)
            moment_ = moment;
        yielding_ |= bit_of(current_);
    }
    /// The running process gives way still.
    bool gives_way() const { return (yielding_ & bit_of(current_)) != 0; }
    /// The running process, which gives way, is asked when that has ended.
    void sleep_until_its_turn() { polled_ &= ~bit_of(current_); }
    /// A process gives way.
    bool any_gives_way() const { return yielding_ != 0; }
    /// The moment until which processes give way, in us.
    std::uint64_t moment() const { return moment_; }
    /// The moment for all that give way has come.
    void end_ways() { due_ |= std::exchange(yielding_, 0u); }

    /// From its next wait on; a process that is spawned has the priority of the one that does it.
    void set_priority(unsigned number, Priority priority) {
        high_ = priority == Priority::high ? high_ | bit_of(number) : high_ & ~bit_of(number);
    }
    /// The slot of the running process.
    unsigned current() const { return current_; }

    /// Runs the coroutine at `part` as a part of the running process, in `scope`, until it waits or
    /// has ended. What it waits for, and `part` is where it goes on then; nullptr: it has ended.
    Waiting* run_part(Scope& scope, std::coroutine_handle<>& part);
    /// `scope` ends. Its processes belong to its outer scope then; if it is `given_up`, those that
    /// somebody was to join end with it.
    void end_scope(const Scope& scope, bool given_up);
    /// The slot of such a process; nullptr: none is left. `after`: the one before, at first
    /// nullptr.
    const ProcessSlot* next_in(const Scope& scope, const ProcessSlot* after) const;

    /// One turn: resumes each low process that can run once, and before each all high ones, until
    /// none of them can. True if another turn is due: a process has run, or the wait of a process
    /// has made a step.
    bool run_turn() { return take_turn<false>(); }
    /// The same, of a node whose turns are measured.
    bool run_measured_turn() { return take_turn<true>(); }
    /// Measures all turns from the next run_turn() on; nullptr: nobody does any more.
    void measure(TurnMeter* meter) { meter_ = meter; }
    /// The meter; nullptr: there is none.
    TurnMeter* meter() const { return meter_; }
    /// The process in slot `number` is to be asked whether it can run: it does not sleep.
    bool is_to_be_asked(unsigned number) const {
        return ((due_ | polled_ | yielding_) & bit_of(number)) != 0;
    }
    /// Low processes have not had their turn yet, since high ones go on for so long
    /// (limits::kTurnsMax). run_turn() goes on with it.
    bool in_turn() const { return in_turn_ != 0; }

    /// Something changed that a predicate may look at.
    void touch() { touched_ = 1; }
    /// Once: a process has ended since the last time.
    bool take_ended() { return std::exchange(ended_, false); }
    /// Once: a process has begun to wait since the last time.
    bool take_blocked() { return std::exchange(blocked_, 0u) != 0; }
    /// Another turn is due.
    bool touched() const { return touched_ != 0; }
    /// The depth of the critical sections, in which the links may not interrupt a process.
    CriticalDepth& critical_depth() const { return critical_depth_; }
    /// Earliest wake of all blocked processes, or kNever; 0 if another turn is due.
    std::uint64_t next_wake() const;

    /// No process ever runs again.
    void stop() {
        used_ = 0;
        due_ = polled_ = 0;
        ended_ = true;
    }
    /// True while a process runs or waits here.
    bool any() const;
    /// True if the process has ended, or its slot has another one by now.
    bool ended(ProcessId id) const;
    /// True until somebody joins the process, or lets it go.
    bool will_be_joined(ProcessId id) const { return known(id) && slots_[id.slot].will_be_joined; }
    /// Nobody will join the process: its slot is free when it ends, and its failure the program's.
    /// Nothing for a process that nobody could join.
    void let_go(ProcessId id);
    /// Gives the verdict of a process that has ended, and frees its slot; `end`: when it ended, by
    /// its clock. For a process that never was, or whose slot another one has taken: ok, and no
    /// time.
    Status join(ProcessId id, wire::ModelTime& end);
    /// All slots, for code that reads a node from outside (kernel/api/waits.hpp).
    std::span<const ProcessSlot> slots() const { return slots_; }
    /// The verdict of a process that failed and that nobody has joined; ok if there is none.
    Status failure() const;
    /// The running process's model clock (or the last one's that ran).
    wire::ModelTime& clock() { return slots_[current_].clock; }

#if MESH_WATCHES_PROCESSES
    /// Tells `watch` of all events from now on; nullptr: tells nobody.
    void watch(ProcessWatch* watch) { watch_ = watch; }
#endif

private:
    friend class Attempt;
    friend class Waiting;

    /// Processes, that in slot 0 in the highest bit: one instruction finds the first.
    using Set = std::uint32_t;
    static_assert(limits::kProcessesMax <= 32);
    static constexpr Set kAll = ~Set{0};
    static constexpr Set bit_of(unsigned number) { return (kAll / 2 + 1) >> number; }
    static constexpr Set behind(unsigned number) { return bit_of(number) - 1; }
    static unsigned first_of(Set set) { return static_cast<unsigned>(std::countl_zero(set)); }

    void suspend(std::coroutine_handle<> resume_at, Waiting& waiting);
    bool puts_off(unsigned number) const;
    bool holds(unsigned number) const;
    void expect_sleep();
    void forget(unsigned number);
    void end(ProcessSlot& slot);
    static Scope** link_to(const Scope& scope, Scope** from);
    void tell(ProcessEvent event, unsigned number);
    template <bool kMeasured>
    void give_turn(unsigned number);
    template <bool kMeasured>
    bool take_turn();
    [[gnu::noinline]] bool known(ProcessId id) const {
        return id.slot < slots_.size() && slots_[id.slot].generation == id.generation;
    }

    std::span<ProcessSlot> slots_;
    // Words: short instructions reach them here.
    unsigned used_ = 0; // slots beyond never had a process
    unsigned current_ = 0;
    unsigned touched_ = 0; // not 0: something changed
    unsigned blocked_ = 0; // not 0: a process has begun to wait
    Set due_ = 0;          // to be asked once: they were woken, or have not run
    Set polled_ = 0;       // wait for what nobody wakes them for: asked in each turn
    Set high_ = 0;
    Set left_ = kAll; // low ones that have not had this turn
    unsigned in_turn_ = 0;
    Set joining_ = 0;  // wait for the end of a process, or did
    Set yielding_ = 0; // give way, all until the same moment
    TurnMeter* meter_ = nullptr;
    std::uint64_t moment_ = 0;
    mutable CriticalDepth critical_depth_;
    Status failure_ = Status::ok; // of a process that nobody can join
    bool ended_ = true;           // a process has, or none can run
#if MESH_WATCHES_PROCESSES
    ProcessWatch* watch_ = nullptr;
#endif
};

/// A process that was spawned, see Kernel::spawn(): true if it runs. It is let go with this object,
/// unless it became a ProcessId before, as it does in `join(child)`, in an array of these and in
/// `ProcessId id = node.spawn(...)`; then it is to be joined.
class [[nodiscard]] Spawned {
public:
    /// Starts `process`; see Scheduler::spawn().
    Spawned(Scheduler& scheduler, Process&& process)
        : scheduler_(&scheduler),
          runs_(scheduler.spawn(std::move(process), &id_)) {}
    Spawned(const Spawned&) = delete;
    Spawned& operator=(const Spawned&) = delete;
    ~Spawned() {
        if (scheduler_ != nullptr)
            scheduler_->let_go(id_);
    }

    /// True if it was started; false: there was no slot or no memory for it.
    explicit operator bool() const& { return runs_; }
    /// The same of `if (!node.spawn(...))`: nobody will join the process then.
    operator bool() && { return runs_; }
    /// Its name, by which it is to be joined. This object does not let it go any more.
    operator ProcessId() const {
        scheduler_ = nullptr;
        return id_;
    }

private:
    mutable Scheduler* scheduler_;
    ProcessId id_{};
    bool runs_;
};

} // namespace mesh
