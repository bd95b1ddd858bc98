#include "run.hpp"

#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "termination.hpp"
#include "wire/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::chrono::milliseconds kAdvanceTimeout{20};
/// When no packet has come for kQuietRun, the line of progress says which processes wait, in at
/// most kWaitsMax characters, if the mesh is small enough.
constexpr Deadlines::Seconds kQuietRun{1};
constexpr std::size_t kWaitsMax = 120;
constexpr std::uint32_t kLookedAtMax = 64;

double seconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

/// The nodes' shares of the output: in an app any node may push anywhere; in ASCEND each node
/// pushes its own part; else one node pushes all that it got.
Output output_of(const Operation& op) {
    const RunPlan& plan = op.run();
    const bool kept = !plan.data.output.empty() || (op.all_push() && !op.is_app());
    const auto anything = [](NodeId) { return Output::Share{0, bounds::kAppOutputBytesMax}; };
    if (op.is_app())
        return {bounds::kAppOutputBytesMax, kept, anything};
    const std::size_t part = plan.bytes;
    const auto its_part = [part](NodeId node) { return Output::Share{index(node) * part, part}; };
    if (op.all_push())
        return {plan.nodes() * part, kept, its_part};
    const std::size_t all = op.output_bytes();
    const auto all_of_one = [all, who = op.output_node()](NodeId node) {
        return Output::Share{0, node == who ? all : 0};
    };
    Output output(all, kept, all_of_one);
    output.grow(all);
    return output;
}

} // namespace

std::string RunResult::who_waits() const {
    const auto has_ended = [this](std::uint32_t node) {
        return nodes[node].done || nodes[node].fate != Fate::live;
    };
    const std::string words = describe_waits(waits, has_ended, moving);
    return words + (words.empty() || calls.last.empty() ? "" : "; ") +
           (words.empty() ? std::string() : calls.last);
}

Run::Run(Engine& engine, const Operation& op, Progress& progress)
    : engine_(engine),
      op_(op),
      plan_(op.run()),
      progress_(progress),
      log_(plan_.rig.options.log),
      deadlines_({Deadlines::Seconds(plan_.rig.options.timeout_s),
                  Deadlines::Seconds(plan_.rig.options.limit_s), engine.real_time(),
                  !plan_.rig.gdb.empty()}),
      lines_(plan_.rig, plan_.rig.simulated()),
      traces_(plan_.rig),
      context_{
          plan_.network(),    &plan_.input, &plan_.files,
          &result_.output,    op.is_app(),  plan_.rig.options.raw && isatty(STDOUT_FILENO) == 0,
          plan_.rig.serial(), &lines_,      &ended_},
      node_table_(engine, plan_.nodes(), context_, *this, deadlines_),
      endless_(engine, node_table_, lines_) {
    engine_.name_places_by(
        [this](std::uint32_t node, std::uint32_t pc) { return place_of(node, pc); });
    result_.output = output_of(op);
    log_.command(plan_.command);
}

RunResult Run::execute() {
    try {
        boot();
        load();
        start();
        serve();
        settle();
    } catch (const RunError& error) {
        cut_short(error.what());
    } catch (const Interrupted& interrupted) {
        interrupt(interrupted.signal);
    }
    try {
        if (result_.waits.empty() && ended_.empty() && mark_ == &NodeResult::done)
            result_.waits = waits();
        look_at_stacks();
        look_at_notes();
    } catch (const Interrupted& interrupted) {
        interrupt(interrupted.signal);
    }
    end_at_next_signal(); // what is left is to write what has come of it
    return collect();
}

void Run::cut_short(std::string why) {
    result_.cut_short = std::move(why);
    result_.moving = Clock::now() - moved_ < kQuietRun;
}

/// A signal ends the run; its result is as far as it is known by then.
void Run::interrupt(int signal) {
    result_.signal = signal;
    cut_short(fmt::format("ended by signal {}; {}", signal,
                          result_.cut_short.empty() ? unfinished("") : result_.cut_short));
}

// --- the passes ---

void Run::boot() {
    const auto begin = Clock::now();
    engine_.boot(*this);
    begin_phase(&NodeResult::ready, "ready");
    await_all();
    result_.clock.boot_s = seconds(Clock::now() - begin);
    booted_ = Clock::now();
}

void Run::load() {
    begin_phase(&NodeResult::accepted, "prepared");
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        answer(node_at(node), wire::HostTag::job, op_.job_for(node_at(node)));
    await_all();
    if (plan_.rig.lockstep)
        engine_.loom().begin_lockstep();
}

/// Lockstep: lets everything that belongs to the start of the nodes end.
void Run::come_to_rest() {
    LockstepTermination rest(engine_, node_table_, deadlines_, endless_);
    while (engine_.loom().in_lockstep() && !engine_.loom().quiescent()) {
        step();
        rest.look_for_livelock();
        const NodeNumbers silent = rest.silent();
        if (!silent.empty())
            throw RunError(fmt::format("lockstep: {}: not at rest before the work begins",
                                       name_nodes(silent)));
    }
}

/// Faults begin with the work: the mesh is healthy while it boots and checks itself.
void Run::start() {
    begin_phase(&NodeResult::done, "done");
    come_to_rest();
    node_table_.begin_work();
    started_ = last_done_ = Clock::now();
    result_.clock.prepared_s = seconds(started_ - booted_);
    cable_bytes_before_ = engine_.cable_bytes();
    engine_.loom().arm_faults();
    note_incidents();
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        if (!node_table_[node].result().restarted)
            answer(node_at(node), wire::HostTag::start, {});
}

void Run::serve() {
    if (engine_.loom().in_lockstep()) {
        LockstepTermination termination(engine_, node_table_, deadlines_, endless_);
        while (!termination.over(step())) {
        }
        return;
    }
    std::uint64_t lines_before = lines_said_;
    FreeTermination termination(node_table_, deadlines_, op_.is_app(), [&, this] {
        return std::exchange(lines_before, lines_said_) == lines_said_ && endless_.hopeless();
    });
    do
        step();
    while (!termination.over(engine_.loom().counts().packets));
}

/// Lockstep: everything has come to rest; asks for the final counters.
void Run::settle() {
    result_.clock.wall_s = seconds(last_done_ - started_);
    if (!engine_.loom().in_lockstep())
        return;
    result_.waits = waits(); // before answers come to those that wait for the host
    const auto asked_at = deadlines_.now();
    node_table_.ask_all();
    while (node_table_.asked() != 0) {
        step();
        if (deadlines_.silent(asked_at))
            node_table_.give_up(node_table_.who_owe_answers());
    }
}

/// The waits of the programs that have not ended.
std::vector<Wait> Run::waits() {
    std::vector<Wait> found;
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        if (node_table_[node].live() && !node_table_[node].result().done)
            for (const WaitsFor& waiting : engine_.waiting(node_at(node)))
                found.push_back({node, waiting});
    return found;
}

/// For the report.
void Run::look_at_stacks() {
    if (plan_.results.report.empty())
        return;
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        result_.stack_used.push_back(node_table_[node].live() ? engine_.stack_used(node_at(node))
                                                              : std::nullopt);
}

std::string Run::place_of(std::uint32_t node, std::uint32_t pc) {
    wire::CrashRecord record{};
    record.pc = pc;
    return lines_.place_of(node_at(node), record);
}

void Run::look_at_notes() {
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node) {
        result_.in_vain.push_back(engine_.waited_in_vain(node_at(node)));
        result_.given_up.push_back(engine_.given_up(node_at(node)));
    }
    const auto lives = [this](std::uint32_t node) { return node_table_[node].live(); };
    const auto place = [this](std::uint32_t node, std::uint32_t pc) { return place_of(node, pc); };
    result_.calls = words_of_calls(engine_.calls_apart(), plan_.nodes(), lives, place);
    std::vector<std::uint32_t> waiting;
    for (const Wait& wait : result_.waits)
        if (waiting.empty() || waiting.back() != wait.node)
            waiting.push_back(wait.node);
    const auto last = [this](std::uint32_t node) { return engine_.last_call(node_at(node)); };
    result_.calls.last = told_last_calls(waiting, last, place);
}

RunResult Run::collect() {
    node_table_.flush();
    console_.flush();
    if (plan_.rig.options.live) {
        show_live(fmt::format("ended: {}, {} of {} done",
                              counted(engine_.loom().counts().packets, "packet"),
                              node_table_.done(), counted(node_table_.live(), "node")));
        progress_.keep_picture();
    }
    result_.only_line = lines_said_ == 1 ? std::move(line_of_node_0_) : std::string{};
    result_.nodes = node_table_.results();
    result_.refusals = node_table_.refusals();
    result_.relay_drops = engine_.relay_drops();
    result_.started_by = engine_.started_by();
    if (result_.started_by && !result_.started_by->why_not.empty())
        log_.boot(result_.started_by->why_not);
    result_.cable_bytes = engine_.cable_bytes() - cable_bytes_before_;
    if (const Order* const order = engine_.loom().order())
        result_.order = order->taken();
    result_.expelled = node_table_.expelled() + engine_.loom().counts().expelled;
    return std::move(result_);
}

void Run::begin_phase(NodeResult::Mark mark, std::string_view what) {
    mark_ = mark;
    what_ = what;
    deadlines_.tick(true);
    node_table_.begin_phase();
}

/// Waits until all nodes have the flag that this phase wants. No node may be missing before the
/// work begins.
void Run::await_all() {
    auto advanced = deadlines_.now();
    std::size_t missing_before = 0;
    for (;;) {
        if (node_table_.live() != plan_.nodes())
            for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
                if (!node_table_[node].live())
                    throw RunError(fmt::format("node {}: ended before it was {}: {}", node, what_,
                                               node_table_[node].result().note));
        const NodeNumbers missing = node_table_.without(mark_);
        if (missing.empty())
            return;
        if (std::exchange(missing_before, missing.size()) != missing.size())
            advanced = deadlines_.now();
        if (progress_.due())
            progress_.show(fmt::format("{}: {}/{} nodes", what_, plan_.nodes() - missing.size(),
                                       plan_.nodes()));
        step();
        const NodeNumbers silent = node_table_.silent(
            [&](std::uint32_t node) { return !(node_table_[node].result().*mark_); });
        if (!silent.empty())
            throw RunError(fmt::format("{}: not {} and silent", name_nodes(silent), what_));
        if (deadlines_.stuck(advanced))
            throw RunError(
                fmt::format("{}: not {}, though not silent", name_nodes(missing), what_));
    }
}

/// Lets the engine work for a moment. True if anything moved.
bool Run::step() {
    const bool moved = engine_.advance(kAdvanceTimeout, *this);
    console_.begin(engine_.loom().rounds());
    deadlines_.tick(moved);
    if (const std::uint64_t packets = engine_.loom().counts().packets; packets != packets_seen_) {
        packets_seen_ = packets;
        moved_ = Clock::now();
    }
    note_incidents();
    if (std::exchange(done_, node_table_.done()) < node_table_.done())
        last_done_ = Clock::now();
    check_limit();
    if (!ended_.empty())
        throw RunError(broken_.empty() ? ended_ : fmt::format("{}; {}", broken_, ended_));
    if (engine_.loom().counts().packets != 0 && progress_.due())
        show_progress();
    return moved;
}

void Run::check_limit() const {
    if (!deadlines_.over())
        return;
    throw RunError(unfinished(fmt::format(" within --limit {} s", plan_.rig.options.limit_s)));
}

/// The nodes that lack the flag which this phase wants, and how far the run has come.
std::string Run::unfinished(std::string_view when) const {
    const NodeNumbers missing = node_table_.without(mark_);
    if (missing.empty())
        return mark_ == &NodeResult::done
                   ? fmt::format("the mesh does not come to rest{}", when)
                   : fmt::format("all nodes are {}, none has begun to work{}", what_, when);
    const std::string who = node_table_.who_computes();
    return fmt::format(
        "{}: not {}{}{}", name_nodes(missing), what_, when,
        who.empty() ? fmt::format("; {} packets have gone", engine_.loom().counts().packets) : who);
}

/// Notes the nodes that the fault plan has killed or restarted since the last look.
void Run::note_incidents() {
    const auto& happened = engine_.loom().counts().happened;
    for (; incidents_seen_ < happened.size(); ++incidents_seen_) {
        const Incident& incident = happened[incidents_seen_];
        if (incident.kind == &faults::kill)
            node_table_.leave(incident.node, Fate::killed, "killed by the fault plan");
        else if (incident.kind == &faults::restart && mark_ != &NodeResult::ready)
            restart(incident.node); // else it merely boots again
    }
}

/// A node that comes back gets its job again, which waits in the loom until the node is up. In an
/// op it only forwards for the others: its own part is lost, and nobody could tell it where to go
/// on.
void Run::restart(NodeId node) {
    node_table_.restart(node);
    std::vector<std::byte> job = op_.job_for(node);
    if (!op_.is_app())
        wire::store(job, offsetof(wire::Job, op), wire::Op::none);
    answer(node, wire::HostTag::job, job);
}

/// While no packet comes: which processes wait, and for which others, as far as one line has room.
/// The waits are read once only, since that takes time of an emulator.
std::string_view Run::who_waits(std::uint64_t packets) {
    if (std::exchange(packets_shown_, packets) != packets) {
        quiet_since_ = deadlines_.now();
        waits_shown_.reset();
    }
    if (!waits_shown_ && plan_.nodes() <= kLookedAtMax &&
        deadlines_.now() - quiet_since_ >= kQuietRun) {
        const std::string words = describe_waits(
            waits(),
            [this](std::uint32_t node) {
                return !node_table_[node].live() || node_table_[node].result().done;
            },
            false);
        waits_shown_ = words.empty() ? words : fmt::format("; {}", words.substr(0, kWaitsMax));
    }
    return waits_shown_ ? std::string_view(*waits_shown_) : std::string_view{};
}

void Run::show_progress() {
    const std::uint64_t packets = engine_.loom().counts().packets;
    std::optional<std::uint64_t> foreseen;
    if (op_.knows_packets())
        foreseen = op_.expected_packets();
    const std::string text = fmt::format(
        "{}{}", progress_words(packets, foreseen, node_table_.done(), node_table_.live()),
        who_waits(packets));
    if (plan_.rig.options.live)
        show_live(text);
    else
        progress_.show(text);
}

void Run::show_live(const std::string& progress) {
    const Loom& loom = engine_.loom();
    LiveRun now;
    now.work = fmt::format("{} on {} {} of {} nodes", op_.title(), plan_.rig.engine(),
                           name(plan_.network().topology), plan_.nodes());
    now.progress = progress;
    now.seconds = seconds(Clock::now() - started_);
    now.packets = loom.counts().packets;
    for (std::uint32_t node = 0; node < plan_.nodes(); ++node)
        now.nodes.push_back({node_table_[node].result().done, !node_table_[node].live(),
                             loom.delivered(node_at(node))});
    progress_.show_picture(live_picture(now, shown_, loom.counts(), terminal_size()));
    shown_ = std::move(now);
}

// --- messages of nodes ---

void Run::host_frame(NodeId from, std::span<const std::byte> frame) {
    node_table_.hear(from, frame);
}

void Run::words(NodeId node, std::string_view text) { node_table_.hear_errors(node, text); }

void Run::loaded(const ImageLoad::Summary& summary) {
    result_.load = summary;
    progress_.clear();
    fmt::print(plan_.results.report == kStandardOutput ? stderr : stdout,
               "loaded    {} bytes into {} nodes: {} blocks, {} steps, {:.1f} s\n", summary.bytes,
               plan_.nodes(), summary.blocks, summary.steps, summary.seconds);
    std::fflush(stdout);
}

void Run::ended(NodeId node, std::string_view how) {
    note_incidents(); // the plan may be why
    node_table_.end(node, how);
}

void Run::answer(NodeId to, wire::HostTag tag, std::span<const std::byte> payload) {
    engine_.loom().send(to, make_host_frame(to, tag, payload));
}

void Run::begin_anew(NodeId node) {
    const wire::ModelTime now = engine_.loom().model_time();
    answer(node, wire::HostTag::start, wire::bytes_of(now));
}

void Run::came_back(NodeId node, std::uint32_t resets) {
    if (engine_.real_time()) // else the loom has reset it
        engine_.loom().count_starts(node, resets);
    progress_.clear();
    say("node {} began anew{}\n", index(node),
        resets == 1 ? "" : fmt::format(", {} times", resets));
    if (engine_.real_time() && plan_.rig.lockstep && ended_.empty())
        ended_ = fmt::format("node {} began anew, at no model time: in lockstep only `restart:` of "
                             "--faults may restart a node",
                             index(node));
    if (mark_ != &NodeResult::ready) // else it merely boots again
        answer(node, wire::HostTag::job, op_.job_for(node));
}

void Run::console_line(NodeId from, std::string_view line) {
    if (++lines_said_ == 1 && index(from) == 0)
        line_of_node_0_ = line;
    if (!plan_.results.expect.empty())
        result_.console.add_beside(plan_.expected, index(from), line);
    log_.console_line(from, line);
    engine_.loom().tell(from, {TraceEvent::What::printed, 0, line});
    if (engine_.loom().in_lockstep())
        console_.add(engine_.loom().rounds(), from, line);
    else
        print(from, line);
}

void Run::traced(NodeId from, const wire::ProcessTrace& trace, std::span<const std::byte> object) {
    Loom& loom = engine_.loom();
    if (!loom.wants_trace_events() || !engine_.real_time()) // a simulation tells of itself
        return;
    const std::string waits = traces_.waits_for(from, trace, object);
    const TraceEvent event{static_cast<TraceEvent::What>(trace.event), trace.process, waits};
    loom.tell(from, event, loom.in_lockstep() ? std::optional(trace.clock) : std::nullopt);
}

void Run::print(NodeId from, std::string_view line) {
    progress_.clear();
    fmt::print("[{}] {}\n", index(from), line);
    std::fflush(stdout);
}

void Run::error_line(NodeId from, std::string_view line) { log_.error_line(from, line); }

void Run::stopped(NodeId node, std::string_view why) {
    progress_.clear();
    if (broken_.empty())
        broken_ = fmt::format("node {} {}", index(node), node_table_[index(node)].result().note);
    say("node {}: {}\n", index(node), why);
}

} // namespace mesh::host
