#include "schedule.hpp"

#include "core/network.hpp"
#include "dice.hpp"
#include "kernel/base/limits.hpp"
#include "programs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

namespace mesh::soak {

namespace {

using Kind = Fault::Kind;

constexpr std::array<unsigned, 3> kSteps{100, 500, 2000};
constexpr std::array<unsigned, 3> kDelaysMs{50, kPromptMs, 20'000};
constexpr unsigned kSendersOfMixed = 3;

/// As few buffers as these rules allow on this network with so many processes.
std::size_t buffers_for(Network network, unsigned processes, std::span<const Rule> rules) {
    unsigned longest = 0;
    for (const Rule rule : rules)
        longest = std::max(longest, height(network, rule));
    return limits::pool_buffers_min(longest, height(network, Rule::disjoint), processes);
}
/// For messages and collectives over the usual trees.
std::size_t buffers_for(Network network, unsigned processes) {
    constexpr std::array kRules{Rule::unicast, Rule::disjoint, Rule::sbt,
                                Rule::edt,     Rule::bts,      Rule::spt};
    return buffers_for(network, processes, kRules);
}
/// For all trees of a sequence.
std::size_t buffers_of_calls(Network network) {
    constexpr unsigned kProcesses = 6; // of a collective, the program itself included
    constexpr std::array kRules{
        Rule::unicast, Rule::disjoint,  Rule::sbt,       Rule::bs,  Rule::hp,  Rule::tcbt,
        Rule::msbt,    Rule::sbnt_minr, Rule::sbnt_maxl, Rule::alt, Rule::bts, Rule::bt1,
        Rule::bt2,     Rule::adst,      Rule::ist,       Rule::spt, Rule::edt};
    return buffers_for(network, kProcesses, kRules);
}

constexpr std::array<std::string_view, 15> kKindNames{
    "cut",  "cut one way",      "mend",       "kill",  "restart", "restart to forward only",
    "clog", "let go",           "drop",       "twice", "swap",    "corrupt",
    "lose", "cut the power of", "ends early:"};

bool is_of_node(Kind kind) {
    return (kind >= Kind::kill && kind <= Kind::restart_empty) || kind >= Kind::cut_power;
}

bool is_of_calls(Work::Kind kind) {
    return kind == Work::Kind::collectives || kind == Work::Kind::sequence ||
           kind == Work::Kind::flaps || kind == Work::Kind::parts;
}

Fault fault_of(Dice& dice, const Schedule& schedule, bool frames_only) {
    Fault fault;
    if (frames_only || dice.one_in(2))
        fault.kind = static_cast<Kind>(8 + dice.below(4));
    else
        fault.kind = static_cast<Kind>(dice.below(8));
    // A collective under way cannot be taken up again.
    if (fault.kind == Kind::restart && is_of_calls(schedule.work.kind))
        fault.kind = Kind::restart_empty;
    fault.step = dice.below(schedule.steps);
    fault.node = dice.below(node_count(schedule.network));
    fault.port = dice.below(port_count(schedule.network));
    fault.bit = dice.below(1u << 20);
    return fault;
}

void draw_faults(Dice& dice, Schedule& schedule, bool frames_only_ever = false) {
    constexpr std::array<unsigned, 4> kMost{0, 2, 8, 24};
    const unsigned most = kMost[dice.below(4)];
    const bool frames_only = dice.one_in(3) || frames_only_ever;
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

/// What may cost something while parts are at work: few at a time, and often frames that are hardly
/// late, so that there are schedules in which messages must get through.
void draw_losses(Dice& dice, Schedule& schedule) {
    if (dice.one_in(2))
        schedule.delay_ms = kSoonMs;
    if (dice.one_in(4)) { // alone: a node whose power comes back waits for all its neighbours
        for (unsigned count = 1 + dice.below(3); count != 0; --count)
            schedule.faults.push_back({.kind = Kind::cut_power,
                                       .step = dice.below(schedule.steps),
                                       .node = dice.below(node_count(schedule.network))});
        std::ranges::stable_sort(schedule.faults, {}, &Fault::step);
        return;
    }
    constexpr std::array kKinds{Kind::cut,     Kind::cut_out, Kind::clog,          Kind::kill,
                                Kind::restart, Kind::restart, Kind::restart_empty, Kind::end_early};
    constexpr std::array<unsigned, 4> kMost{1, 1, 3, 6};
    for (unsigned count = 1 + dice.below(kMost[dice.below(4)]); count != 0; --count) {
        Fault fault{.kind = kKinds[dice.below(kKinds.size())],
                    .step = dice.below(schedule.steps),
                    .node = dice.below(node_count(schedule.network)),
                    .port = dice.below(port_count(schedule.network))};
        if (fault.kind == Kind::end_early)
            fault.step = 0;
        schedule.faults.push_back(fault);
        Fault end = fault;
        end.step += 1 + dice.below(schedule.steps);
        if (fault.kind == Kind::cut || fault.kind == Kind::cut_out)
            end.kind = Kind::mend;
        else if (fault.kind == Kind::clog)
            end.kind = Kind::let_go;
        else if (fault.kind == Kind::kill)
            end.kind = Kind::restart;
        if (end.kind != fault.kind && dice.one_in(2))
            schedule.faults.push_back(end);
    }
    std::ranges::stable_sort(schedule.faults, {}, &Fault::step);
}

Network drawn_network(Dice& dice) {
    constexpr std::array<Network, 4> kOthers{Network{Topology::cube, 2}, Network{Topology::uhc, 2},
                                             Network{Topology::star, 3}, Network{Topology::uhc, 4}};
    return dice.one_in(8) ? kOthers[dice.below(kOthers.size())] : Network{Topology::cube, 3};
}

/// For so many parts at a time, each of which may have a call under way and messages beside it.
std::size_t buffers_of_parts(Network network, unsigned parts) {
    std::size_t buffers = buffers_for(network, 1);
    while (limits::calls_at_a_time(static_cast<unsigned>(buffers)) < parts + 1)
        ++buffers;
    return buffers;
}

} // namespace

bool is_lasting(Kind kind) { return kind <= Kind::clog || kind >= Kind::cut_power; }

std::string words_of(const Fault& fault) {
    const std::string_view kind = kKindNames[static_cast<std::size_t>(fault.kind)];
    if (is_of_node(fault.kind))
        return fmt::format("{} node {} @{}", kind, fault.node, fault.step);
    const std::string frames = fault.kind == Kind::lose ? fmt::format(" {} of", fault.bit) : "";
    return fmt::format("{}{} {}/{} @{}", kind, frames, fault.node, fault.port, fault.step);
}

namespace {

/// The schedule of a seed as it was drawn before there were other kinds.
Schedule mixed(std::uint64_t seed, std::optional<Network> network) {
    Dice dice = dice_of(seed, 1);
    Schedule schedule;
    const Network drawn = drawn_network(dice);
    schedule.network = network.value_or(drawn);
    schedule.work.seed = seed;
    schedule.work.kind = dice.one_in(4) ? Work::Kind::collectives : Work::Kind::messages;
    schedule.work.senders = 1 + dice.below(kSendersOfMixed);
    schedule.work.messages = 1 + dice.below(3);
    schedule.work.packets = dice.one_in(4) ? 12 : 1 + dice.below(3);
    schedule.depth = dice.below(6);
    schedule.steps = kSteps[dice.below(kSteps.size())];
    const bool patient = schedule.work.kind == Work::Kind::collectives;
    schedule.delay_ms = kDelaysMs[dice.below(patient ? 2 : 3)];
    draw_faults(dice, schedule);
    schedule.process_delay_ms = dice.one_in(2) ? kDelaysMs[2] : schedule.delay_ms;
    schedule.all_mended = schedule.work.kind == Work::Kind::messages || dice.one_in(2);
    return schedule;
}

/// On larger stars exchanges of all with all take too long for a schedule.
Network network_for(Kinds kinds, Dice& dice) {
    constexpr std::array<Network, 5> kSmall{Network{Topology::cube, 2}, Network{Topology::uhc, 2},
                                            Network{Topology::star, 3}, Network{Topology::uhc, 4},
                                            Network{Topology::uhc, 3}};
    if (dice.one_in(2))
        return {Topology::cube, 3};
    if (!dice.one_in(6))
        return kSmall[dice.below(kSmall.size())];
    const bool calls = kinds == Kinds::sequence || kinds == Kinds::flaps || kinds == Kinds::parts ||
                       kinds == Kinds::late;
    return calls || dice.one_in(2) ? Network{Topology::cube, 4} : Network{Topology::star, 4};
}

/// Buffers for as many as send and take, for one, or for none of them: what is promised to
/// processes comes on top of what forwarding needs, and may be less than they would use.
void draw_storm(Dice& dice, Schedule& schedule) {
    Work& work = schedule.work;
    work.senders = 2 + dice.below(9);
    work.messages = 1 + dice.below(4);
    work.packets = dice.one_in(3) ? 1 + dice.below(4) : 1;
    work.goals = dice.below(3);
    work.per_cent = dice.one_in(2) ? 100 : 60;
    work.first = dice.below(node_count(schedule.network));
    const NodeId first = node_at(work.first);
    const PortSet ports = out_ports(schedule.network, first);
    const auto beside = std::countr_zero(static_cast<std::uint32_t>(ports));
    work.second = dice.one_in(2)
                      ? index(neighbor(schedule.network, first, port_at(unsigned(beside))))
                      : dice.below(node_count(schedule.network));
    const std::array<unsigned, 3> promised{0, 1, work.senders + 1};
    schedule.gates = work.senders + 1;
    schedule.buffers = buffers_for(schedule.network, promised[dice.below(3)]);
}

/// `least` to `most` parts at a time, of up to `rounds` rounds each.
void draw_parts(Dice& dice, Schedule& schedule, Work::Choice choice, unsigned least, unsigned most,
                unsigned rounds) {
    Work& work = schedule.work;
    work.kind = Work::Kind::parts;
    work.choice = choice;
    work.senders = least + dice.below(most - least + 1);
    work.messages = 1 + dice.below(rounds);
    schedule.gates = work.senders;
    schedule.buffers = buffers_of_parts(schedule.network, work.senders);
}

void draw_work(Kinds kinds, Dice& dice, Schedule& schedule) {
    Work& work = schedule.work;
    switch (kinds) {
    case Kinds::storm: work.kind = Work::Kind::storm; return draw_storm(dice, schedule);
    case Kinds::ends:
        work.kind = Work::Kind::ends;
        work.senders = 1 + dice.below(3);
        work.messages = 1 + dice.below(4);
        work.packets = 1 + dice.below(4);
        schedule.gates = work.senders + 1;
        schedule.buffers = buffers_for(schedule.network, dice.below(2));
        return;
    case Kinds::sequence:
    case Kinds::flaps:
        work.kind = kinds == Kinds::sequence ? Work::Kind::sequence : Work::Kind::flaps;
        work.messages = 2 + dice.below(dice.one_in(3) ? 24 : 6);
        work.one_tag = kinds == Kinds::sequence || dice.one_in(2);
        schedule.gates = 1;
        schedule.buffers = buffers_of_calls(schedule.network);
        return;
    case Kinds::parts: return draw_parts(dice, schedule, Work::Choice::any, 2, 4, 4);
    case Kinds::late: return draw_parts(dice, schedule, Work::Choice::late, 3, 6, 4);
    case Kinds::resets:
        if (dice.one_in(2)) {
            work.kind = Work::Kind::storm;
            return draw_storm(dice, schedule);
        }
        return draw_parts(dice, schedule, Work::Choice::again, 1, 3, 2);
    case Kinds::bursts:
        work.kind = dice.one_in(2) ? Work::Kind::collectives : Work::Kind::sequence;
        work.messages = work.kind == Work::Kind::sequence ? 1 + dice.below(10) : 1 + dice.below(3);
        work.one_tag = true;
        schedule.gates = 1;
        schedule.buffers = buffers_of_calls(schedule.network);
        return;
    case Kinds::mixed:
    case Kinds::any: return;
    }
}

/// Nodes that begin anew with their programs, one or two of them up to eight times in a row: they
/// are hit while others still talk to their lives before. In a storm mostly its goals.
void draw_resets(Dice& dice, Schedule& schedule) {
    constexpr std::array<unsigned, 3> kPauses{20, 100, 400};
    constexpr unsigned kLivesMax = 8;
    const Work& work = schedule.work;
    const unsigned nodes = node_count(schedule.network);
    const bool at_goals = work.kind == Work::Kind::storm && work.goals != 0;
    unsigned node = at_goals ? work.first : dice.below(nodes);
    for (unsigned more = dice.below(2) + 1; more != 0; --more) {
        const unsigned pause = kPauses[dice.below(kPauses.size())];
        unsigned step = dice.below(schedule.steps);
        for (unsigned times = 1 + dice.below(kLivesMax); times != 0; --times) {
            schedule.faults.push_back({.kind = Kind::restart, .step = step, .node = node});
            step += 1 + dice.below(pause);
        }
        node = (node + 1 + dice.below(nodes - 1)) % nodes;
    }
    std::ranges::stable_sort(schedule.faults, {}, &Fault::step);
}

/// Frames of a cable that are lost in a row, so that its link waits longer and longer.
void draw_bursts(Dice& dice, Schedule& schedule) {
    constexpr unsigned kLostMax = 6;
    for (unsigned count = 1 + dice.below(4); count != 0; --count)
        schedule.faults.push_back({.kind = Kind::lose,
                                   .step = dice.below(schedule.steps),
                                   .node = dice.below(node_count(schedule.network)),
                                   .port = dice.below(port_count(schedule.network)),
                                   .bit = 1 + dice.below(kLostMax)});
    std::ranges::stable_sort(schedule.faults, {}, &Fault::step);
}

/// Cables that are cut and mended again, each once or twice.
void draw_flaps(Dice& dice, Schedule& schedule) {
    for (unsigned count = 1 + dice.below(3); count != 0; --count) {
        Fault fault{.kind = dice.one_in(4) ? Kind::cut_out : Kind::cut,
                    .node = dice.below(node_count(schedule.network)),
                    .port = dice.below(port_count(schedule.network))};
        for (unsigned times = 1 + dice.below(2); times != 0; --times) {
            fault.step = dice.below(schedule.steps);
            schedule.faults.push_back(fault);
            Fault end = fault;
            end.kind = Kind::mend;
            end.step += dice.below(schedule.steps);
            schedule.faults.push_back(end);
        }
    }
    std::ranges::stable_sort(schedule.faults, {}, &Fault::step);
}

Schedule of_kind(std::uint64_t seed, std::optional<Network> network, Kinds kinds) {
    Dice dice = dice_of(seed, 3);
    Schedule schedule;
    const Network drawn = network_for(kinds, dice);
    schedule.network = network.value_or(drawn);
    schedule.work.seed = seed;
    schedule.arena_bytes = 64 * 1024;
    draw_work(kinds, dice, schedule);
    schedule.depth = dice.below(6);
    schedule.steps = kSteps[dice.below(kSteps.size())];
    schedule.delay_ms = kDelaysMs[dice.below(2)];
    const bool late = dice.one_in(2) || kinds == Kinds::flaps || kinds == Kinds::bursts;
    schedule.process_delay_ms = late ? kDelaysMs[2] : schedule.delay_ms;
    if (kinds == Kinds::flaps)
        draw_flaps(dice, schedule);
    else if (kinds == Kinds::resets)
        draw_resets(dice, schedule);
    else if (kinds == Kinds::bursts)
        draw_bursts(dice, schedule);
    else if (dice.one_in(2))
        draw_faults(dice, schedule, kinds == Kinds::parts || kinds == Kinds::late);
    Dice losses = dice_of(seed, 4);
    if (kinds == Kinds::parts && losses.one_in(2))
        draw_losses(losses, schedule);
    schedule.all_mended =
        !is_of_calls(schedule.work.kind) || kinds == Kinds::flaps || dice.one_in(2);
    return schedule;
}

} // namespace

Schedule schedule_of(std::uint64_t seed, std::optional<Network> network, Kinds kinds) {
    return kinds == Kinds::mixed ? mixed(seed, network) : of_kind(seed, network, kinds);
}

Kinds kinds_of(std::uint64_t seed, Kinds kinds) {
    constexpr std::array kTurns{Kinds::mixed,    Kinds::storm,  Kinds::mixed, Kinds::late,
                                Kinds::sequence, Kinds::parts,  Kinds::storm, Kinds::resets,
                                Kinds::ends,     Kinds::bursts, Kinds::flaps};
    return kinds == Kinds::any ? kTurns[seed % kTurns.size()] : kinds;
}

namespace {

std::string words_of(const Work& work) {
    std::string sent = fmt::format("{} senders a node, {} messages of up to {} packets each",
                                   work.senders, work.messages, work.packets);
    switch (work.kind) {
    case Work::Kind::messages: return sent;
    case Work::Kind::collectives: return fmt::format("{} rounds of collectives", work.messages);
    case Work::Kind::storm:
        return sent + (work.goals == 0
                           ? std::string{", to any"}
                           : fmt::format(", {} % to {}{}", work.per_cent, work.first,
                                         work.goals == 1 ? std::string{}
                                                         : fmt::format(" and {}", work.second)));
    case Work::Kind::ends:
        return fmt::format("programs that end, {} senders a node, up to {} messages of up to {} "
                           "packets each",
                           work.senders, work.messages, work.packets);
    case Work::Kind::parts:
        return fmt::format("{} at a time under each node, {} rounds each", parts_of(work),
                           work.messages);
    case Work::Kind::sequence:
    case Work::Kind::flaps:
        return fmt::format("{} collectives under {}{}", work.messages,
                           work.one_tag ? "one tag" : "tags of one kind",
                           work.kind == Work::Kind::flaps ? " while cables flap, 3 after that"
                                                          : "");
    }
    return {};
}

} // namespace

World::Size size_of(const Schedule& schedule) {
    return {schedule.gates,
            schedule.buffers != 0 ? schedule.buffers
                                  : buffers_for(schedule.network, schedule.gates),
            schedule.arena_bytes};
}

std::string words_of(const Schedule& schedule) {
    constexpr std::array<std::string_view, 3> kTopologies{"cube", "uhc", "star"};
    const Work& work = schedule.work;
    std::string words =
        fmt::format("{} {}, {}", kTopologies[static_cast<std::size_t>(schedule.network.topology)],
                    schedule.network.dim, words_of(work));
    words += fmt::format(", {} buffers", size_of(schedule).buffers);
    words += schedule.depth == 0 ? ", random order"
                                 : fmt::format(", priorities of depth {}", schedule.depth);
    words += fmt::format(", delays of up to {} ms, of processes {} ms", schedule.delay_ms,
                         schedule.process_delay_ms);
    words += schedule.all_mended ? "" : ", what is cut at the end stays so";
    for (const Fault& fault : schedule.faults)
        words += "; " + words_of(fault);
    return words;
}

} // namespace mesh::soak
