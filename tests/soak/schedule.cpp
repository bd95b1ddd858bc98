#include "schedule.hpp"

#include "core/network.hpp"
#include "dice.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace mesh::soak {

namespace {

using Kind = Fault::Kind;

/// Frames and nodes that are later may seem to be gone: a question and its answer may take longer
/// than who asks waits, though no link is given up.
constexpr unsigned kPromptMs = 500;

constexpr std::array<std::string_view, 12> kKindNames{
    "cut",  "cut one way", "mend", "kill",  "restart", "restart to forward only",
    "clog", "let go",      "drop", "twice", "swap",    "corrupt"};

bool is_of_node(Kind kind) { return kind >= Kind::kill && kind <= Kind::restart_empty; }

Fault fault_of(Dice& dice, const Schedule& schedule, bool frames_only) {
    Fault fault;
    if (frames_only || dice.one_in(2))
        fault.kind = static_cast<Kind>(8 + dice.below(4));
    else
        fault.kind = static_cast<Kind>(dice.below(8));
    // What runs of a collective cannot be taken up again.
    if (fault.kind == Kind::restart && schedule.work.kind == Work::Kind::collectives)
        fault.kind = Kind::restart_empty;
    fault.step = dice.below(schedule.steps);
    fault.node = dice.below(node_count(schedule.network));
    fault.port = dice.below(port_count(schedule.network));
    fault.bit = dice.below(1u << 20);
    return fault;
}

void draw_faults(Dice& dice, Schedule& schedule) {
    constexpr std::array<unsigned, 4> kMost{0, 2, 8, 24};
    const unsigned most = kMost[dice.below(4)];
    const bool frames_only = dice.one_in(3);
    for (unsigned count = most == 0 ? 0 : 1 + dice.below(most); count != 0; --count) {
        const Fault fault = fault_of(dice, schedule, frames_only);
        schedule.faults.push_back(fault);
        const bool is_cut = fault.kind == Kind::cut || fault.kind == Kind::cut_out;
        if (!is_cut && fault.kind != Kind::clog && fault.kind != Kind::kill)
            continue;
        Fault end = fault; // often it is over before all are
        end.kind = is_cut                     ? Kind::mend
                   : fault.kind == Kind::kill ? Kind::restart_empty
                                              : Kind::let_go;
        end.step = fault.step + dice.below(schedule.steps);
        if (dice.one_in(2))
            schedule.faults.push_back(end);
    }
    std::ranges::stable_sort(schedule.faults, {}, &Fault::step);
}

Network drawn_network(Dice& dice) {
    constexpr std::array<Network, 4> kOthers{Network{Topology::cube, 2}, Network{Topology::uhc, 2},
                                             Network{Topology::star, 3}, Network{Topology::uhc, 4}};
    return dice.one_in(8) ? kOthers[dice.below(kOthers.size())] : Network{Topology::cube, 3};
}

} // namespace

std::string words_of(const Fault& fault) {
    const std::string_view kind = kKindNames[static_cast<std::size_t>(fault.kind)];
    if (is_of_node(fault.kind))
        return fmt::format("{} node {} @{}", kind, fault.node, fault.step);
    return fmt::format("{} {}/{} @{}", kind, fault.node, fault.port, fault.step);
}

Schedule schedule_of(std::uint64_t seed, std::optional<Network> network) {
    Dice dice = dice_of(seed, 1);
    Schedule schedule;
    const Network drawn = drawn_network(dice);
    schedule.network = network.value_or(drawn);
    schedule.work.seed = seed;
    schedule.work.kind = dice.one_in(4) ? Work::Kind::collectives : Work::Kind::messages;
    schedule.work.senders = 1 + dice.below(World::kGates - 1);
    schedule.work.messages = 1 + dice.below(3);
    schedule.work.packets = dice.one_in(4) ? 12 : 1 + dice.below(3);
    schedule.depth = dice.below(6);
    constexpr std::array<unsigned, 3> kSteps{100, 500, 2000};
    schedule.steps = kSteps[dice.below(kSteps.size())];
    constexpr std::array<unsigned, 3> kDelaysMs{50, kPromptMs, 20'000};
    const bool patient = schedule.work.kind == Work::Kind::collectives;
    schedule.delay_ms = kDelaysMs[dice.below(patient ? 2 : 3)];
    draw_faults(dice, schedule);
    schedule.process_delay_ms = dice.one_in(2) ? kDelaysMs[2] : schedule.delay_ms;
    schedule.all_mended = schedule.work.kind == Work::Kind::messages || dice.one_in(2);
    return schedule;
}

std::string words_of(const Schedule& schedule) {
    constexpr std::array<std::string_view, 3> kTopologies{"cube", "uhc", "star"};
    const Work& work = schedule.work;
    std::string words =
        fmt::format("{} {}, {}", kTopologies[static_cast<std::size_t>(schedule.network.topology)],
                    schedule.network.dim,
                    work.kind == Work::Kind::collectives
                        ? fmt::format("{} rounds of collectives", work.messages)
                        : fmt::format("{} senders a node, {} messages of up to {} packets each",
                                      work.senders, work.messages, work.packets));
    words += schedule.depth == 0 ? ", random order"
                                 : fmt::format(", priorities of depth {}", schedule.depth);
    words += fmt::format(", delays of up to {} ms, of processes {} ms", schedule.delay_ms,
                         schedule.process_delay_ms);
    words += schedule.all_mended ? "" : ", what is cut at the end stays so";
    for (const Fault& fault : schedule.faults)
        words += "; " + words_of(fault);
    return words;
}

namespace {

/// Buffers of a node: as few as the rules of this network allow with its processes.
std::size_t buffers_of(Network network) {
    unsigned longest = 0;
    for (const Rule rule :
         {Rule::unicast, Rule::disjoint, Rule::sbt, Rule::edt, Rule::bts, Rule::spt})
        longest = std::max(longest, height(network, rule));
    return limits::pool_buffers_min(longest, height(network, Rule::disjoint), World::kGates);
}

class Runner {
public:
    Runner(const Schedule& schedule, bool trace)
        : schedule_(schedule),
          trace_(trace),
          quick_(schedule.delay_ms <= 50),
          lasting_(schedule.delay_ms > kPromptMs),
          dice_(dice_of(schedule.work.seed, 2)),
          world_(schedule.network, program, buffers_of(schedule.network),
                 std::uint64_t{1000} * schedule.delay_ms,
                 std::uint64_t{1000} * schedule.process_delay_ms),
          story_(schedule.work, world_) {
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
        outcome.frames = world_.carried();
        outcome.steps = step_;
        outcome.sent = story_.sent();
        outcome.taken = story_.taken();
        return outcome;
    }

private:
    static constexpr unsigned kStepsMax = 400'000;
    static constexpr std::uint64_t kPatienceUs = 3'000'000'000;

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
        const std::uint64_t until_us = world_.now_us() + kPatienceUs;
        const unsigned until_step = step_ + kStepsMax;
        for (;; ++step_) {
            std::optional<unsigned> actor = any(false);
            if (!actor && story_.ended())
                return {};
            if (!actor && world_.enabled(world_.clock_actor()))
                actor = world_.clock_actor();
            if (!actor || world_.now_us() > until_us || step_ > until_step)
                return story_.waits();
            act(*actor);
        }
    }

    std::optional<unsigned> any(bool clock_too) {
        enabled_.clear();
        for (unsigned actor = 0; actor < world_.clock_actor() + (clock_too ? 1 : 0); ++actor)
            if (world_.enabled(actor))
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
        lasting_ = lasting_ || fault.kind <= Kind::clog;
        quick_ = quick_ && fault.kind > Kind::let_go;
        const unsigned cable = fault.node * port_count(schedule_.network) + fault.port;
        switch (fault.kind) {
        case Kind::cut: world_.cut(fault.node, fault.port, true); return;
        case Kind::cut_out: world_.cut(fault.node, fault.port, false); return;
        case Kind::mend: world_.mend(fault.node, fault.port); return;
        case Kind::kill: world_.kill(fault.node); return;
        case Kind::restart: world_.restart(fault.node, true); return;
        case Kind::restart_empty: world_.restart(fault.node, false); return;
        case Kind::clog: world_.clog(fault.node, fault.port, true); return;
        case Kind::let_go: world_.clog(fault.node, fault.port, false); return;
        case Kind::drop: world_.harm(cable, Harm::drop, fault.bit); return;
        case Kind::twice: world_.harm(cable, Harm::twice, fault.bit); return;
        case Kind::swap: world_.harm(cable, Harm::swap, fault.bit); return;
        case Kind::corrupt: world_.harm(cable, Harm::corrupt, fault.bit); return;
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
