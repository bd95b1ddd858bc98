#include "report.hpp"

#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/version.hpp"
#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/run/run_log.hpp"
#include "kernel/base/status.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDropPrefix = "drop_";
constexpr std::size_t kLevelsShown = 24;
constexpr std::size_t kTableIndent = 10;   // of the table's second column
constexpr std::size_t kNodesListed = 1024; // in the results that a capture ends with

bool is_drop(std::string_view counter) { return counter.starts_with(kDropPrefix); }

std::uint64_t count_of(const Summary& summary, Counter counter) {
    return summary.counters[static_cast<std::size_t>(counter)];
}

void add(Json& report, const Figures& figures) {
    for (const Figure& figure : figures)
        std::visit([&](auto value) { report[std::string(figure.name)] = value; }, figure.value);
}

template <class T>
Json or_null(bool known, const T& value) {
    return known ? Json(value) : Json(nullptr);
}

std::string cable_of(const Incident& incident) {
    return fmt::format("{}{}{}", index(incident.node), incident.one_way ? '>' : '/',
                       index(incident.port));
}

/// The faults that happened, by kinds: how many frames each struck, and the cables or nodes to
/// which it happened.
Json faults_of(const LoomCounts& loom) {
    Json faults = Json::object();
    for (const FaultKind* kind : fault_kinds()) {
        if (const FrameFault* fault = kind->of_frames())
            faults[std::string(fault->count_key())] = loom.struck_by(*kind);
        if (kind->is_listed())
            faults[std::string(kind->name())] = Json::array();
    }
    for (const Incident& incident : loom.happened)
        if (incident.kind->is_listed())
            faults[std::string(incident.kind->name())].push_back(
                incident.kind->argument() == FaultArgument::node ? Json(index(incident.node))
                                                                 : Json(cable_of(incident)));
    return faults;
}

Json counters_of(const Summary& summary, bool drops) {
    Json counters = Json::object();
    for (std::size_t at = 0; at < kCounterCount; ++at) {
        std::string_view name = kCounterWords[at].name;
        if (is_drop(name) != drops)
            continue;
        if (drops)
            name.remove_prefix(kDropPrefix.size());
        counters[std::string(name)] = summary.counters[at];
    }
    return counters;
}

/// The most packet buffers that each node ever had in use.
Json buffers_used(const RunResult& result) {
    Json column = Json::array();
    for (const NodeResult& node : result.nodes)
        column.push_back(node.counts.of(Counter::buffers_used_max));
    return column;
}

/// The longest turn of a process of any node; null if no node measures turns.
Json longest_turn(const RunResult& result) {
    const auto node = std::ranges::max_element(
        result.nodes, {}, [](const NodeResult& one) { return one.report.longest_turn_us; });
    if (node == result.nodes.end() || node->report.longest_turn_us == 0)
        return nullptr;
    return {{"node", node - result.nodes.begin()},
            {"process", node->report.longest_turn_process},
            {"us", node->report.longest_turn_us}};
}

/// How often each node was reset, and not by the fault plan.
Json began_anew(const RunResult& result) {
    Json column = Json::array();
    for (const NodeResult& node : result.nodes)
        column.push_back(node.began_anew);
    return column;
}

/// The most that each node's program ever had on its stack; null where that cannot be seen.
Json stack_used(const RunResult& result) {
    Json column = Json::array();
    for (const auto& bytes : result.stack_used)
        column.push_back(or_null(bytes.has_value(), bytes.value_or(0)));
    return column;
}

/// A row of per-port numbers for each node.
template <class Row>
Json rows_of(const RunPlan& plan, const RunResult& result, Row row) {
    Json rows = Json::array();
    for (const NodeResult& node : result.nodes) {
        const auto& values = node.counts.*row;
        rows.push_back(
            Json(std::vector(values.begin(), values.begin() + port_count(plan.network()))));
    }
    return rows;
}

template <class Value>
Json column_of(const RunResult& result, Value value) {
    Json column = Json::array();
    for (const NodeResult& node : result.nodes)
        column.push_back(node.report.*value);
    return column;
}

Json waits_of(const RunResult& result) {
    Json waits = Json::array();
    for (const Wait& wait : result.waits)
        waits.push_back(
            {{"node", wait.node}, {"process", wait.what.process}, {"for", describe(wait.what)}});
    return waits;
}

/// The load by `mesh load`, before the nodes began.
Json load_of(const RunResult& result) {
    if (!result.load)
        return nullptr;
    return {{"bytes", result.load->bytes},
            {"blocks", result.load->blocks},
            {"steps", result.load->steps},
            {"wall_s", result.load->seconds}};
}

/// The choices of a run with an order of its own, with words for the first of those put off.
Json order_of(const OrderTaken& taken) {
    constexpr std::size_t kWordsMax = 16;
    Json words = Json::array();
    for (const OrderTaken::PutOff& one : taken.put_off)
        if (words.size() < kWordsMax)
            words.push_back(words_of(one));
    return {{"choices", taken.choices}, {"put_off", taken.numbers()}, {"words", words}};
}

/// Every key is there for any op; the op fills in the keys that it has.
Json head_of(const Operation& op) {
    const RunPlan& run = op.run();
    Json head{{"engine", run.rig.engine()},
              {"board", run.rig.simulated() ? "host" : run.rig.board.name},
              {"topology", name(run.network().topology)},
              {"dim", run.network().dim},
              {"nodes", run.nodes()},
              {"op", op.kind().name},
              {"app", nullptr},
              {"tree", nullptr},
              {"schedule", nullptr},
              {"type", nullptr},
              {"operator", nullptr},
              {"route", nullptr},
              {"root", index(run.root)},
              {"target", nullptr},
              {"messages", nullptr},
              {"ports", run.model.ports},
              {"bytes", 0},
              {"packet", run.packet_bytes},
              {"packets", 0},
              {"copies", run.copies},
              {"tau", run.model.tau},
              {"tc", run.model.tc},
              {"seed", run.model.seed},
              {"lockstep", run.rig.lockstep}};
    Figures figures;
    op.describe(figures);
    add(head, figures);
    return head;
}

Json levels_of(const Summary& summary) {
    Json levels = Json::array();
    for (const Level& level : summary.levels)
        levels.push_back(
            {{"nodes", level.nodes}, {"packets", level.packets}, {"model_time", level.model_time}});
    return levels;
}

std::string_view boot_of(const RunResult& result) {
    return result.started_by && result.started_by->fork ? "fork" : "exec";
}

Json results_of(const Operation& op, const RunResult& result, const Summary& summary,
                const LoomCounts& loom) {
    Json report = Json::object();
    const bool known = summary.formula.has_value();
    report["steps"] = summary.steps;
    report["formula"] = or_null(known, known ? summary.formula->text : std::string_view{});
    report["formula_steps"] = or_null(known, known ? summary.formula->steps : 0);
    report["model_time"] = summary.model_time;
    report["complete_steps"] = summary.complete_steps;
    report["complete_time"] = summary.complete_time;
    report["levels"] = levels_of(summary);
    report["hops"] = summary.hops;
    report["link_packets"] = rows_of(op.run(), result, &NodeCounts::link_packets);
    report["max_link_load"] = summary.max_link_load;
    report["cable_bytes"] = or_null(result.cable_bytes != 0, result.cable_bytes);
    report["verified_nodes"] = summary.verified;
    report["failed_nodes"] = summary.failed;
    report["unreachable_nodes"] = summary.unreachable;
    report["missing_blocks"] = or_null(op.survives_faults(), summary.verdict.missing_blocks);
    report["cut_short"] = or_null(!result.cut_short.empty(), result.cut_short);
    report["disputed_packets"] = summary.disputed_packets;
    report["untaken"] = summary.untaken;
    report["waits"] = waits_of(result);
    const std::string who_waits = result.who_waits();
    report["who_waits"] = or_null(!who_waits.empty(), who_waits);
    report["disjoint_retries"] = count_of(summary, Counter::disjoint_retries);
    report["asks"] = count_of(summary, Counter::asks);
    report["retransmissions"] = count_of(summary, Counter::retransmissions);
    report["dropped"] = counters_of(summary, true);
    report["dropped"]["relay"] = result.relay_drops;
    report["counters"] = counters_of(summary, false);
    report["faults"] = faults_of(loom);
    report["refused_by_host"] = {{"malformed", loom.malformed},
                                 {"against_direction", loom.against},
                                 {"host_frames", result.refusals.host_frames},
                                 {"pushes", result.refusals.pushes},
                                 {"overflow", loom.overflow},
                                 {"nodes", result.expelled}};
    report["dma_transfers"] = rows_of(op.run(), result, &NodeCounts::dma_transfers);
    report["delivery_hash"] = column_of(result, &wire::NodeReport::delivery_hash);
    report["buffers_used"] = buffers_used(result);
    report["stack_used"] = stack_used(result);
    report["finish_time"] = column_of(result, &wire::NodeReport::finish_time);
    report["began_anew"] = began_anew(result);
    report["longest_turn"] = longest_turn(result);
    add(report, summary.verdict.figures);
    report["load"] = load_of(result);
    report["boot"] = or_null(result.started_by.has_value(), boot_of(result));
    report["boot_s"] = result.clock.boot_s;
    report["wall_s"] = result.clock.wall_s;
    report["clock"] = Json{{"found", result.clock.found_s},
                           {"booted", result.clock.boot_s},
                           {"prepared", result.clock.prepared_s},
                           {"ran", result.clock.wall_s},
                           {"ended", result.clock.ended_s}};
    report["instructions_per_hop"] = nullptr;
    return report;
}

std::string_view fate_of(const NodeResult& node) {
    if (node.restarted)
        return "restarted";
    switch (node.fate) {
    case Fate::live: return node.done ? "done" : "not done";
    case Fate::killed: return "killed";
    case Fate::ended: return "ended";
    case Fate::hung: return "hung";
    }
    return "";
}

/// How the node ended, as it was seen; of a program that has ended its verdict, if that is not ok.
Json note_of(const NodeResult& node) {
    const auto verdict = static_cast<Status>(node.report.status);
    if (!node.note.empty())
        return node.note;
    return or_null(node.done && verdict != Status::ok, words_of(verdict));
}

Json fates_of(const RunResult& result) {
    Json fates = Json::array();
    for (std::size_t number = 0; number < result.nodes.size(); ++number)
        fates.push_back({{"node", number},
                         {"fate", fate_of(result.nodes[number])},
                         {"note", note_of(result.nodes[number])}});
    return fates;
}

Json console_of(const Failure& failure) {
    if (!failure.console)
        return nullptr;
    const ConsoleDifference& other = *failure.console;
    return {{"node", other.node},
            {"line", other.line},
            {"said", other.said},
            {"expected", other.expected},
            {"file", other.file}};
}

Json report_of(const Operation& op, const RunResult& result, const Summary& summary,
               const LoomCounts& loom, const Failure& failure) {
    Json report = head_of(op);
    report.update(results_of(op, result, summary, loom));
    report["verdict"] = result.signal != 0 ? "interrupted" : failure.empty() ? "ok" : "failed";
    report["reason"] = or_null(!failure.empty(), failure.words());
    report["reasons"] = failure.reasons;
    report["console"] = console_of(failure);
    report["command"] = op.run().command;
    report["version"] = kVersion;
    report["timeout"] = op.run().rig.options.timeout_s;
    report["fates"] = fates_of(result);
    if (result.order)
        report["order"] = order_of(*result.order);
    return report;
}

/// A path on the command line need not be UTF-8.
std::string text_of(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void add_levels(std::string& text, const Summary& summary) {
    fmt::format_to(std::back_inserter(text), "{:>6} {:>8} {:>12} {:>12}\n", "level", "nodes",
                   "packets", "model time");
    for (std::size_t number = 0; number < summary.levels.size(); ++number) {
        if (summary.levels.size() > kLevelsShown && number == kLevelsShown - 2)
            fmt::format_to(std::back_inserter(text), "{:>6}\n", "...");
        if (summary.levels.size() > kLevelsShown && number >= kLevelsShown - 2 &&
            number + 1 != summary.levels.size())
            continue;
        const Level& level = summary.levels[number];
        fmt::format_to(std::back_inserter(text), "{:>6} {:>8} {:>12} {:>12g}\n", number,
                       level.nodes, level.packets, level.model_time);
    }
}

/// A formula counts the steps of all nodes: nothing is to be compared with it where some failed.
void add_steps(std::string& text, const Summary& summary) {
    fmt::format_to(std::back_inserter(text), "steps     {}", summary.steps);
    if (!summary.good()) {
        text += "   of the nodes that ended";
    } else if (summary.formula) {
        const auto difference = static_cast<std::int64_t>(summary.steps) -
                                static_cast<std::int64_t>(summary.formula->steps);
        fmt::format_to(std::back_inserter(text), "   formula {} = {}   difference {}",
                       summary.formula->text, summary.formula->steps, difference);
    }
    fmt::format_to(std::back_inserter(text), "\n");
}

void add_losses(std::string& text, const RunResult& result, const Summary& summary,
                const LoomCounts& loom) {
    std::string drops;
    for (std::size_t at = 0; at < kCounterCount; ++at)
        if (const std::string_view name = kCounterWords[at].name;
            is_drop(name) && summary.counters[at] != 0)
            drops += fmt::format(", {} {}", name.substr(kDropPrefix.size()), summary.counters[at]);
    if (result.relay_drops != 0)
        drops += fmt::format(", relay {}", result.relay_drops);
    fmt::format_to(std::back_inserter(text),
                   "links     {}, {} acknowledgement frames; dropped by nodes: {}\n",
                   counted(count_of(summary, Counter::retransmissions), "retransmission"),
                   count_of(summary, Counter::acks_sent), drops.empty() ? "none" : drops.substr(2));
    if (const std::string struck = loom.struck_words(); struck != "none" || !loom.happened.empty())
        fmt::format_to(std::back_inserter(text), "faults    of frames: {}\n", struck);
}

void add_dma(std::string& text, const RunPlan& plan, const Summary& summary) {
    fmt::format_to(std::back_inserter(text), "DMA       transfers by channel:");
    for (unsigned port = 0; port < port_count(plan.network()); ++port)
        fmt::format_to(std::back_inserter(text), " {}", summary.dma_transfers[port]);
    fmt::format_to(std::back_inserter(text), "\n");
}

/// The words behind the number of live nodes: the nodes that are not alive, and why.
std::string others_of(const RunResult& result) {
    const auto count = [&](auto holds) {
        return std::count_if(result.nodes.begin(), result.nodes.end(), holds);
    };
    const auto restarted = count([](const NodeResult& node) { return node.restarted; });
    const auto killed =
        count([](const NodeResult& node) { return !node.restarted && node.fate == Fate::killed; });
    const auto ended =
        count([](const NodeResult& node) { return !node.restarted && node.fate == Fate::ended; });
    std::string text;
    if (restarted + killed != 0)
        text +=
            fmt::format(", {} killed{}", restarted + killed, restarted != 0 ? " or restarted" : "");
    return ended == 0 ? text : text + fmt::format(", {} ended", ended);
}

} // namespace

std::string head_as_json(const Operation& op) { return text_of(head_of(op)); }

std::string results_as_json(const Operation& op, const RunResult& result, const Summary& summary,
                            const LoomCounts& loom) {
    Json results = results_of(op, result, summary, loom);
    for (const char* key :
         {"link_packets", "cable_bytes", "dma_transfers", "stack_used", "longest_turn", "counters",
          "load", "boot", "boot_s", "wall_s", "clock"})
        results.erase(key);
    if (result.nodes.size() > kNodesListed)
        for (const char* key : {"finish_time", "buffers_used", "began_anew"})
            results.erase(key);
    return text_of(results);
}

void write_report(const Operation& op, const RunResult& result, const Summary& summary,
                  const LoomCounts& loom, const Failure& failure) {
    const RunPlan& plan = op.run();
    if ((plan.results.report.empty() || plan.results.wants_page()) && plan.rig.options.log.empty())
        return;
    const std::string text = text_of(report_of(op, result, summary, loom, failure)) + "\n";
    const auto bytes = std::as_bytes(std::span(text));
    if (!plan.rig.options.log.empty())
        write_whole(report_of_log(plan.rig.options.log), bytes, "--log");
    if (plan.results.report == kStandardOutput)
        fmt::print("{}", text);
    else if (!plan.results.report.empty() && !plan.results.wants_page())
        write_whole(plan.results.report, bytes, "--report");
}

std::string head_of_table(const Operation& op) {
    const RunPlan& plan = op.run();
    std::string text;
    fmt::format_to(std::back_inserter(text), "{} on {} {} of {} {} nodes ({}{})\n", op.title(),
                   plan.rig.engine(), name(plan.network().topology), plan.nodes(),
                   plan.rig.simulated() ? "simulated" : plan.rig.board.name, plan.model.ports,
                   plan.rig.lockstep ? ", lockstep" : "");
    if (const std::string subject = op.subject(); !subject.empty())
        fmt::format_to(std::back_inserter(text), "{}\n", subject);
    return wrapped(text, kTextColumns, kTableIndent);
}

std::string table_of(const Operation& op, const RunResult& result, const Summary& summary,
                     const LoomCounts& loom) {
    const RunPlan& plan = op.run();
    std::string text = head_of_table(op);
    if (!summary.levels.empty())
        add_levels(text, summary);
    add_steps(text, summary);
    fmt::format_to(std::back_inserter(text), "traffic   {}, busiest link {}, model time {:g}\n",
                   counted(summary.hops, "hop"), summary.max_link_load, summary.model_time);
    add_losses(text, result, summary, loom);
    if (!summary.verdict.note.empty())
        fmt::format_to(std::back_inserter(text), "{}\n", summary.verdict.note);
    if (plan.copies > 1)
        fmt::format_to(
            std::back_inserter(text),
            "copies    {} of each packet, one of each {}; {} disputed, {}\n", plan.copies,
            summary.complete_steps == 0
                ? "not everywhere"
                : fmt::format("everywhere after {}", counted(summary.complete_steps, "step")),
            counted(summary.disputed_packets, "packet"),
            op.survives_faults() ? "the first kept" : "settled by majority");
    if (plan.rig.engine() == "qemu")
        add_dma(text, plan, summary);
    const RunClock& clock = result.clock;
    fmt::format_to(std::back_inserter(text),
                   "time      found {:.2f} s, booted {:.2f}, prepared {:.2f}, ran {:.2f}, ended "
                   "{:.2f}: {:.2f} s\n",
                   clock.found_s, clock.boot_s, clock.prepared_s, clock.wall_s, clock.ended_s,
                   clock.whole_s());
    fmt::format_to(std::back_inserter(text), "verified  {} of {} live nodes{}\n", summary.verified,
                   summary.live, others_of(result));
    return wrapped(text, kTextColumns, kTableIndent);
}

} // namespace mesh::host
