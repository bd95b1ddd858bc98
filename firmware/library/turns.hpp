// Watching the processor: who has it for how long, and who waits for it longer than it may.
//
//   TurnWatch watch{node};                 in the program
//   co_await node.yield();                 what begins now is measured
//   TurnLimit limit{watch, 5'000};         in a process that must have a turn every 5 ms
//
// The longest turn is in the report of the run, with its process. A process that has not come to
// its turn within its limit is named, and so is the one that kept the processor: at once where the
// node runs free on a board that can interrupt a program, so before a watchdog of some more time
// bites; elsewhere when that turn ends. A program without a TurnWatch has no code for it.
//
// Time here is that of the processor (hal/cycles.hpp), on every engine and in lockstep, too: model
// time does not pass while a program computes. So two runs of one seed have other turns.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstdint>

namespace mesh {

/// A process that has not come to its turn within its limit. Processes have the numbers that they
/// have in `waits` of the report.
struct LateTurn {
    unsigned process = 0; ///< It could be asked whether it can run, and was not.
    unsigned keeper = 0;  ///< The process that has, or had, the processor at last.
    std::uint32_t us = 0; ///< For as long, in microseconds.
};

class TurnLimit;

/// Measures all turns of a node while it lives: to be made by a process, one at a time. Costs two
/// reads of the board's clock for each turn.
class TurnWatch final : private TurnMeter {
public:
    /// Told of a late process, once until that is asked again. It may be called from an interrupt,
    /// so it must not wait: it may count, print, keep a record, reset the node.
    using Named = void (*)(Kernel& kernel, const LateTurn& late);
    /// Prints a line: "process 2 had no turn for 5012 us: process 1 has the processor".
    static void print_late(Kernel& kernel, const LateTurn& late);

    /// From the turn after the next `co_await` of its process on: `co_await node.yield()` before
    /// the processes begin that are to be measured. `kernel` must outlive it.
    explicit TurnWatch(Kernel& kernel, Named named = print_late);
    TurnWatch(const TurnWatch&) = delete;
    TurnWatch& operator=(const TurnWatch&) = delete;
    ~TurnWatch();

    /// The longest turn so far, in microseconds; 0: none has ended.
    std::uint32_t longest_us() const;
    /// Its process.
    unsigned longest_process() const;
    /// The process that was named last; Counter::late_turns says how many were.
    const LateTurn& late() const { return late_; }

private:
    friend class TurnLimit;

    bool run_turn() override { return scheduler_.run_measured_turn(); }
    void asks(unsigned slot) override;
    void ended(unsigned slot) override;
    void goes_on(unsigned slot) override;
    std::uint64_t turn_so_far() const;
    void name_late(unsigned keeper, std::uint64_t busy);

    Kernel& kernel_;
    Scheduler& scheduler_;
    Named named_;
    TurnLimit* limits_ = nullptr;
    std::uint64_t begun_;    // the turn, in cycles
    std::uint64_t busy_ = 0; // cycles of all turns that have ended
    LateTurn late_;
};

/// The limit of the process that makes it, while it lives. Other processes may have the processor
/// for so long between two moments at which this one is asked whether it can run. A process that
/// another one wakes counts that one's whole turn.
class TurnLimit {
public:
    /// `us`: microseconds. `watch` must outlive it.
    TurnLimit(TurnWatch& watch, std::uint32_t us);
    TurnLimit(const TurnLimit&) = delete;
    TurnLimit& operator=(const TurnLimit&) = delete;
    ~TurnLimit();

private:
    friend class TurnWatch;

    TurnWatch& watch_;
    TurnLimit* next_;
    std::uint64_t cycles_;
    std::uint64_t since_; // busy_ when the process was last asked, or slept
    std::uint8_t slot_;
    bool told_ = false;
};

} // namespace mesh
