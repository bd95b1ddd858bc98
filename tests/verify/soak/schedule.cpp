#include "schedule.hpp"

#include "dice.hpp"
#include "programs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

namespace mesh::soak {

namespace {

using Kind = Fault::Kind;

/// Nothing is lost, no program ends while others send to it, and no frame or process is late by
/// more than half a second.
bool is_healthy(const Schedule& schedule) {
    return schedule.work.kind != Work::Kind::ends && schedule.faults.empty() &&
           schedule.frames.empty() && schedule.delay_ms <= kPromptMs &&
           schedule.process_delay_ms <= kPromptMs;
}

/// Packets over all links that the messages of a storm are worth: each is offered in vain once at
/// most, and then called; of each packet somebody may be told. Above a crowd's size this is not, in
/// a healthy mesh.
std::uint64_t hops_max(const Schedule& schedule, const Story& story) {
    if (schedule.work.kind != Work::Kind::storm || !is_healthy(schedule))
        return ~std::uint64_t{0};
    constexpr unsigned kSaid = 8;
    return (2 * story.packets_of(kPacketBytes) + kSaid * story.sent()) *
           height(schedule.network, Rule::unicast);
}

/// Of parts, which must know what may be missing.
Work work_of(const Schedule& schedule) {
    Work work = schedule.work;
    work.slow = schedule.delay_ms > kSoonMs;
    for (const Fault& fault : schedule.faults) {
        work.may_miss = work.may_miss || (work.kind == Work::Kind::parts && is_lasting(fault.kind));
        if (fault.kind == Kind::end_early)
            work.ends |= 1u << fault.node;
    }
    return work;
}

class Runner {
public:
    Runner(const Schedule& schedule, bool trace)
        : schedule_(schedule),
          trace_(trace),
          quick_(schedule.delay_ms <= 50),
          lasting_(schedule.delay_ms > kPromptMs),
          dice_(dice_of(schedule.work.seed, 2)),
          world_(schedule.network, program, size_of(schedule),
                 std::uint64_t{1000} * schedule.delay_ms,
                 std::uint64_t{1000} * schedule.process_delay_ms),
          story_(work_of(schedule), world_, trace) {
        story = &story_;
        world_.set_frame_faults(schedule.frames);
        draw_priorities();
    }
    ~Runner() { story = nullptr; }
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    Outcome run() {
        world_.start();
        disturb();
        if (schedule_.work.kind == Work::Kind::flaps)
            let_links_die();
        if (schedule_.all_mended)
            world_.mend_all();
        const std::string waits = let_end();
        for (unsigned node = 0; trace_ && node < world_.nodes(); ++node)
            fmt::print("{}\n", world_.packets_of(node));
        Outcome outcome;
        outcome.links_dead = world_.total(Counter::links_dead);
        outcome.failure = world_.wrong();
        if (outcome.failure.empty())
            outcome.failure =
                !waits.empty() ? waits : story_.check(!lasting_ && !outcome.links_dead);
        if (outcome.failure.empty() && quick_ && outcome.links_dead != 0)
            outcome.failure =
                "a link was given up, though frames were late and lost for moments only";
        outcome.hops = world_.total(Counter::packets_sent);
        if (outcome.failure.empty() && outcome.hops > hops_max(schedule_, story_))
            outcome.failure = fmt::format("{} hops for {} messages, at most {} would do",
                                          outcome.hops, story_.sent(), hops_max(schedule_, story_));
        if (outcome.failure.empty() && quick_ && is_healthy(schedule_) &&
            world_.total(Counter::asks) != 0)
            outcome.failure = fmt::format("{} questions, though nothing is lost and nobody late",
                                          world_.total(Counter::asks));
        outcome.frames = world_.carried();
        outcome.steps = step_;
        outcome.sent = story_.sent();
        outcome.taken = story_.taken();
        return outcome;
    }

private:
    static constexpr unsigned kStepsMax = 2'000'000;
    static constexpr std::uint64_t kTimeoutUs = 3'000'000'000;
    static constexpr std::uint64_t kDeathUs = 20'000'000;
    static constexpr std::uint64_t kLateUs = 6'000'000;

    void draw_priorities() {
        for (unsigned actor = 0; actor < world_.actors(); ++actor)
            priorities_.push_back(static_cast<int>(actor));
        for (unsigned left = world_.actors(); left > 1; --left)
            std::swap(priorities_[left - 1], priorities_[dice_.below(left)]);
        for (unsigned change = 1; change < schedule_.depth; ++change)
            changes_.push_back(dice_.below(schedule_.steps));
    }

    /// Until the faults are over.
    void disturb() {
        auto fault = schedule_.faults.begin();
        for (; step_ < schedule_.steps; ++step_) {
            for (; fault != schedule_.faults.end() && fault->step <= step_; ++fault)
                begin(*fault);
            const std::optional<unsigned> actor = schedule_.depth == 0 ? any(true) : highest();
            if (!actor)
                return;
            act(*actor);
        }
    }

    /// Everything that may happen does, in any order, and time passes when nothing else can.
    std::string let_end() {
        const std::uint64_t until_us = world_.now_us() + kTimeoutUs;
        const unsigned until_step = step_ + kStepsMax;
        for (;; ++step_) {
            std::optional<unsigned> actor = any(false);
            if (!actor && story_.ended())
                return {};
            if (!actor && begins_second_part())
                continue;
            if (!actor && world_.enabled(world_.clock_actor()))
                actor = world_.clock_actor();
            if (!actor) // no time passes that somebody could be late by
                actor = any(false, true);
            if (!actor || world_.now_us() > until_us || step_ > until_step)
                return story_.waits();
            act(*actor);
        }
    }

    /// While cables are cut: until links that this has cost are known to be dead.
    void let_links_die() {
        const std::uint64_t until_us = world_.now_us() + kDeathUs;
        for (const unsigned until = step_ + kStepsMax; step_ < until; ++step_) {
            std::optional<unsigned> actor = any(false);
            if (!actor && world_.enabled(world_.clock_actor()))
                actor = world_.clock_actor();
            if (!actor || world_.now_us() > until_us)
                return;
            act(*actor);
        }
    }

    /// In the second part one node is late, longer than others listen before they ask for it.
    bool is_late(unsigned actor) const {
        const unsigned late = static_cast<unsigned>(schedule_.work.seed % world_.nodes());
        return story_.second_part && actor == world_.gate_actor(late, 0) &&
               world_.waits_us(late, 0) < kLateUs;
    }

    /// When all nodes have come to it and all links live.
    bool begins_second_part() {
        if (schedule_.work.kind != Work::Kind::flaps || story_.second_part || !story_.all_wait() ||
            !world_.whole())
            return false;
        story_.second_part = true;
        world_.wake_all();
        return true;
    }

    std::optional<unsigned> any(bool clock_too, bool late_too = false) {
        enabled_.clear();
        for (unsigned actor = 0; actor < world_.clock_actor() + (clock_too ? 1 : 0); ++actor)
            if (world_.enabled(actor) && (late_too || !is_late(actor)))
                enabled_.push_back(actor);
        if (enabled_.empty())
            return {};
        return enabled_[dice_.below(static_cast<unsigned>(enabled_.size()))];
    }

    std::optional<unsigned> highest() {
        std::optional<unsigned> best;
        for (unsigned actor = 0; actor < world_.actors(); ++actor)
            if ((!best || priorities_[actor] > priorities_[*best]) && world_.enabled(actor))
                best = actor;
        if (best && std::ranges::find(changes_, step_) != changes_.end())
            priorities_[*best] = --lowest_;
        return best;
    }

    void act(unsigned actor) {
        if (trace_)
            fmt::print("{:6} {:7} ms: {}\n", step_, world_.now_us() / 1000, world_.name(actor));
        world_.act(actor);
    }

    void begin(const Fault& fault) {
        if (trace_)
            fmt::print("{:6} FAULT {}\n", step_, words_of(fault));
        if (story_.work().may_miss && is_lasting(fault.kind))
            world_.wake_all(); // some wait for nobody any more
        lasting_ = lasting_ || is_lasting(fault.kind);
        quick_ = quick_ && !is_lasting(fault.kind) && fault.kind != Kind::let_go;
        note(fault);
        const unsigned cable = fault.node * port_count(schedule_.network) + fault.port;
        switch (fault.kind) {
        case Kind::cut: world_.cut(fault.node, fault.port, true); return;
        case Kind::cut_out: world_.cut(fault.node, fault.port, false); return;
        case Kind::mend: world_.mend(fault.node, fault.port); return;
        case Kind::kill: world_.kill(fault.node); return;
        case Kind::restart: world_.restart(fault.node, true); return;
        case Kind::restart_empty: world_.restart(fault.node, false); return;
        case Kind::cut_power: world_.cut_power(fault.node); return;
        case Kind::end_early: return;
        case Kind::lose: world_.lose(fault.node, fault.port, fault.bit); return;
        case Kind::clog: world_.clog(fault.node, fault.port, true); return;
        case Kind::let_go: world_.clog(fault.node, fault.port, false); return;
        case Kind::drop: world_.harm(cable, Harm::drop, fault.bit); return;
        case Kind::twice: world_.harm(cable, Harm::twice, fault.bit); return;
        case Kind::swap: world_.harm(cable, Harm::swap, fault.bit); return;
        case Kind::corrupt: world_.harm(cable, Harm::corrupt, fault.bit); return;
        }
    }

    /// For parts, which know what they may miss.
    void note(const Fault& fault) {
        switch (fault.kind) {
        case Kind::cut:
        case Kind::cut_out:
        case Kind::clog: story_.ledger.note_hit(fault.node, fault.port); break;
        case Kind::kill:
        case Kind::restart:
        case Kind::restart_empty:
        case Kind::cut_power: story_.ledger.note_hit(fault.node); break;
        case Kind::mend:
        case Kind::let_go:
        case Kind::drop:
        case Kind::twice:
        case Kind::swap:
        case Kind::corrupt:
        case Kind::lose:
        case Kind::end_early: return;
        }
    }

    const Schedule& schedule_;
    bool trace_;
    bool quick_;   // everything comes soon, but for single frames
    bool lasting_; // some cable was cut, or a node stopped or was as good as that
    Dice dice_;
    World world_;
    Story story_;
    std::vector<int> priorities_;
    std::vector<unsigned> changes_; // steps at which the highest is lowered
    int lowest_ = 0;
    std::vector<unsigned> enabled_;
    unsigned step_ = 0;
};

} // namespace

Outcome run(const Schedule& schedule, bool trace) { return Runner{schedule, trace}.run(); }

} // namespace mesh::soak
