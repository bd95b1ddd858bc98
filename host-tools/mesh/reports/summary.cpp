#include "host-tools/mesh/common/promise.hpp"
#include "host-tools/mesh/run/waits.hpp"
#include "report.hpp"

#include "kernel/base/status.hpp"
#include "kernel/packets/mailbox.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace mesh::host {

namespace {

constexpr std::size_t kNotesMax = 3;
constexpr std::size_t kLinksMax = 8;

double units(wire::ModelTime ticks) {
    return static_cast<double>(ticks) / double{wire::kTicksPerUnit};
}

/// One step: a whole packet over one link; in cycles whose packets differ, a start-up.
double step_units(const Operation& op) {
    const RunPlan& run = op.run();
    if (run.packet_bytes == 0)
        return run.model.tau;
    return run.model.tau + run.model.tc * std::min(run.packet_bytes, op.message_bytes());
}

std::uint64_t steps_of(const Operation& op, double time) {
    const double step = step_units(op);
    return step > 0 ? static_cast<std::uint64_t>(std::ceil(time / step - 1e-9)) : 0;
}

/// Live nodes that no path of living cables and nodes joins to the root, in the direction in which
/// the op's data goes.
std::vector<std::uint32_t> cut_off(const Operation& op, const RunResult& result, const Loom& loom) {
    const RunPlan& plan = op.run();
    const auto living = [&](std::uint32_t node) { return result.nodes[node].fate == Fate::live; };
    std::vector<bool> reached(plan.nodes());
    std::vector<std::uint32_t> frontier;
    if (living(index(plan.root))) {
        reached[index(plan.root)] = true;
        frontier.push_back(index(plan.root));
    }
    const Network network = plan.network();
    const bool inward = op.inward();
    while (!frontier.empty()) {
        const NodeId node = node_at(frontier.back());
        frontier.pop_back();
        const std::uint32_t set = inward ? in_ports(network, node) : out_ports(network, node);
        for (PortSequence ports = PortSequence::ascending(set); !ports.empty();) {
            const Port port = ports.pop();
            const NodeId other = neighbor(network, node, port);
            const std::uint32_t next = index(other);
            if (loom.cut(inward ? other : node, port) || !living(next) || reached[next])
                continue;
            reached[next] = true;
            frontier.push_back(next);
        }
    }
    std::vector<std::uint32_t> rest;
    for (std::uint32_t node = 0; node < plan.nodes(); ++node)
        if (living(node) && !reached[node])
            rest.push_back(node);
    return rest;
}

/// The fault plan has taken the node out of the job.
bool has_no_part(const NodeResult& node) { return node.fate == Fate::killed || node.restarted; }

/// The outcome, for the op to judge.
Outcome outcome_of(const RunResult& result, const Loom& loom) {
    const bool resets =
        std::ranges::any_of(result.nodes, [](const NodeResult& node) { return node.anew_at_work; });
    Outcome outcome{{}, result.output.bytes(), resets || !loom.counts().happened.empty(), {}};
    for (std::uint32_t node = 0; node < result.nodes.size(); ++node) {
        outcome.reports.push_back(result.nodes[node].report);
        if (has_no_part(result.nodes[node]))
            outcome.killed.push_back(node_at(node));
    }
    return outcome;
}

bool is_high_water(Counter counter) {
    return counter == Counter::buffers_used_max || counter == Counter::arena_bytes_max;
}

void add_counters(Summary& summary, const NodeCounts& counts) {
    for (std::size_t at = 0; at < kCounterCount; ++at) {
        std::uint64_t& sum = summary.counters[at];
        const std::uint64_t value = counts.counters[at];
        sum = is_high_water(static_cast<Counter>(at)) ? std::max(sum, value) : sum + value;
    }
    for (std::size_t port = 0; port < kPortsMax; ++port) {
        summary.hops += counts.link_packets[port];
        summary.max_link_load = std::max(summary.max_link_load, counts.link_packets[port]);
        summary.dma_transfers[port] += counts.dma_transfers[port];
    }
}

void add_level(Summary& summary, unsigned number, const NodeResult& node) {
    if (summary.levels.size() <= number)
        summary.levels.resize(number + 1);
    Level& level = summary.levels[number];
    ++level.nodes;
    level.packets += number == 0 ? 0 : node.report.received_packets;
    level.model_time = std::max(level.model_time, units(node.report.finish_time));
}

/// True if a node has messages that none of its processes took. Not counted in a mesh with faults,
/// which leaves such messages.
bool left_untaken(const RunResult& result, std::uint32_t node, const Summary& summary) {
    return !summary.any_fault && result.nodes[node].report.untaken != 0;
}

/// The nodes with packets or messages that nobody took, and the first of these at each node.
std::string name_untaken(const RunResult& result, const Summary& summary) {
    std::vector<std::string> words;
    for (const std::uint32_t node : summary.failed) {
        const wire::NodeReport& report = result.nodes[node].report;
        if (!left_untaken(result, node, summary) || words.size() >= kNotesMax)
            continue;
        const bool message = report.untaken_service == static_cast<std::uint16_t>(Service::message);
        words.push_back(fmt::format(
            "node {}: nobody took a {} of node {}{}{}", node, message ? "message" : "packet",
            report.untaken_source, tag_words(static_cast<Tag>(report.untaken_tag)),
            report.untaken == 1 ? std::string{}
                                : fmt::format(" (nor {} more)", report.untaken - 1)));
    }
    return fmt::format("{}", fmt::join(words, "; "));
}

/// Links that nodes have declared dead, as NODE/PORT.
std::vector<std::string> dead_links(const RunResult& result) {
    std::vector<std::string> links;
    for (std::uint32_t node = 0; node < result.nodes.size(); ++node)
        for (PortSequence ports = PortSequence::ascending(result.nodes[node].report.dead_ports);
             !ports.empty();)
            links.push_back(fmt::format("{}/{}", node, index(ports.pop())));
    return links;
}

/// Possible causes of a status of one's own program, where its name does not tell them.
std::string_view hint(Status status) {
    switch (status) {
    case Status::no_memory:
        return " (of the arena for processes and the variables in them: large ones may be static, "
               "or in workspace(); each tag of a collective takes 48 bytes of it for good; or "
               "there were more processes than it has places for)";
    case Status::bad_argument:
        return " (of a call: a node, tag, size or tree that there is not, a tag of the library's "
               "(above 31743), or types, operators or sizes that differ from those of other nodes)";
    case Status::tag_in_use: return " (two collectives at a time need two tags)";
    case Status::unreachable: return " (who was to send or to receive does not, or has ended)";
    case Status::truncated: return " (a message was longer than the room that was to take it)";
    case Status::failed: return " (the program's own verdict)";
    case Status::timed_out:
        return " (nothing came in the time that it was waited for; where nodes run free that is "
               "time of a busy machine, with --lockstep it is model time)";
    case Status::in_doubt: return " (it was given up in the midst)";
    case Status::no_verdict: return " (a Status is to be given there)";
    case Status::ok: break;
    }
    return "";
}

/// Why a program would not begin, as refuse() of the library says it: node 0 prints one line, and
/// bad_argument is the verdict of all nodes. Nothing if it was not so.
std::string refusal(const std::map<std::uint32_t, NodeNumbers>& nodes_by_status,
                    const RunResult& result, const Summary& summary) {
    const auto refused = nodes_by_status.find(static_cast<std::uint32_t>(Status::bad_argument));
    const bool all =
        refused != nodes_by_status.end() && refused->second.size() == result.nodes.size();
    return summary.is_app && all ? result.only_line : std::string{};
}

/// "node 1 gave up an Outbox with 2 messages in it", of nodes that have failed for that: they leave
/// `nodes_by_status`.
void describe_given_up(const RunResult& result,
                       std::map<std::uint32_t, NodeNumbers>& nodes_by_status,
                       std::vector<std::string>& parts) {
    const auto gave_up = [&](std::uint32_t node) {
        return node < result.given_up.size() && result.given_up[node] != 0;
    };
    NodeNumbers& failed = nodes_by_status[static_cast<std::uint32_t>(Status::failed)];
    NodeNumbers nodes;
    std::ranges::copy_if(failed, std::back_inserter(nodes), gave_up);
    std::erase_if(failed, gave_up);
    if (failed.empty())
        nodes_by_status.erase(static_cast<std::uint32_t>(Status::failed));
    if (nodes.empty())
        return;
    const unsigned messages = result.given_up[nodes.front()];
    const std::string how_many = fmt::format("{} message{}", messages, messages == 1 ? "" : "s");
    parts.push_back(fmt::format("{} gave up an Outbox with {}: co_await its flush() before it goes",
                                name_nodes(nodes),
                                nodes.size() == 1 ? how_many + " in it"
                                                  : fmt::format("messages in it, node {} with {}",
                                                                nodes.front(), how_many)));
}

/// "node 3 ended with: no memory", for each status that there is; of ok the answer was wrong.
/// With hints at possible causes, if the program is one's own and has named none.
void describe_endings(const std::map<std::uint32_t, NodeNumbers>& nodes_by_status, bool with_hints,
                      std::vector<std::string>& parts) {
    for (const auto& [status, nodes] : nodes_by_status)
        parts.push_back(status == 0
                            ? fmt::format("{} ended with the wrong answer", name_nodes(nodes))
                            : fmt::format("{} ended with: {}{}", name_nodes(nodes),
                                          words_of(static_cast<Status>(status)),
                                          with_hints ? hint(static_cast<Status>(status)) : ""));
}

/// "node 1 waited in vain for a message with tag 1 from node 0", for each node that has ended so.
void describe_vain_waits(const RunResult& result, const Summary& summary,
                         std::vector<std::string>& parts) {
    std::size_t told = 0;
    for (const std::uint32_t node : summary.failed) {
        const bool had_none =
            result.nodes[node].report.status == static_cast<std::uint32_t>(Status::unreachable) ||
            result.nodes[node].fate != Fate::live;
        if (had_none && node < result.in_vain.size() && !result.in_vain[node].empty() &&
            told++ < kNotesMax)
            parts.push_back(
                fmt::format("node {} waited in vain for {}", node, result.in_vain[node]));
    }
}

std::string list_links(const std::vector<std::string>& links) {
    const std::size_t shown = std::min(links.size(), kLinksMax);
    return fmt::format(
        "{}{}", fmt::join(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(shown), " "),
        shown < links.size() ? fmt::format(" and {} more", links.size() - shown) : std::string{});
}

} // namespace

Summary summarize(const Operation& op, const RunResult& result, const Loom& loom) {
    promise(result.nodes.size() == op.run().nodes(), "a run has a result for each of its nodes");
    Summary summary;
    const Outcome outcome = outcome_of(result, loom);
    summary.verdict = op.judge(outcome);
    summary.any_fault = outcome.any_fault;
    summary.is_app = op.is_app();
    summary.calls_differ = !result.calls.differ.empty();
    if (!op.run().data.output.empty())
        summary.output = op.made_output(outcome);
    for (std::uint32_t number = 0; number < result.nodes.size(); ++number) {
        const NodeResult& node = result.nodes[number];
        if (const auto level = op.level_of(node_at(number)))
            add_level(summary, *level, node);
        add_counters(summary, node.counts);
        if (has_no_part(node))
            continue;
        summary.live += node.fate == Fate::ended ? 0 : 1;
        summary.untaken += node.report.untaken;
        if (node.fate == Fate::live && summary.verdict.right[number] &&
            !left_untaken(result, number, summary))
            ++summary.verified;
        else
            summary.failed.push_back(number);
        if (node.report.done != 0)
            summary.complete_time = std::max(summary.complete_time, units(node.report.finish_time));
        if (node.report.done != 0 || op.survives_faults())
            summary.model_time = std::max(
                {summary.model_time, summary.complete_time, units(node.report.copies_time)});
    }
    summary.steps = steps_of(op, summary.model_time);
    summary.complete_steps = steps_of(op, summary.complete_time);
    for (const NodeResult& node : result.nodes)
        summary.disputed_packets += node.report.disputed_packets;
    summary.formula = op.formula();
    summary.against = loom.counts().first_against;
    if (!loom.counts().happened.empty())
        summary.unreachable = cut_off(op, result, loom);
    return summary;
}

std::string Failure::words() const {
    std::vector<std::string> all = reasons;
    if (console)
        all.push_back(console->words());
    return fmt::format("{}", fmt::join(all, "; "));
}

/// A node that ends the run often does so because another one has stopped, or has made another
/// call, which is told before it. A signal comes from outside, and makes nodes stop.
static std::vector<std::string> describe_cut(const RunResult& result) {
    std::vector<std::string> parts;
    for (std::uint32_t node = 0; node < result.nodes.size() && parts.size() < kNotesMax; ++node)
        if (result.nodes[node].note.starts_with("firmware stopped"))
            parts.push_back(fmt::format("node {} {}", node, result.nodes[node].note));
    if (!result.calls.differ.empty())
        parts.push_back(result.calls.differ);
    parts.insert(result.signal != 0 ? parts.begin() : parts.end(), result.cut_short);
    if (const std::string waits = result.who_waits(); !waits.empty())
        parts.push_back(waits);
    return parts;
}

std::vector<std::string> describe_failure(const RunResult& result, const Summary& summary) {
    std::vector<std::string> parts;
    if (!result.cut_short.empty())
        return describe_cut(result);
    if (summary.live == 0 && summary.failed.empty())
        return {"no node is left alive"};
    std::vector<std::uint32_t> without;
    std::vector<std::uint32_t> gone;
    std::map<std::uint32_t, NodeNumbers> ended; // by status
    std::vector<std::string> notes;
    for (const std::uint32_t node : summary.failed) {
        const NodeResult& failed = result.nodes[node];
        if (failed.fate == Fate::live) {
            constexpr auto kUnreachable = static_cast<std::uint32_t>(Status::unreachable);
            if (failed.report.done == 0 ||
                (failed.report.status == kUnreachable && !summary.is_app))
                without.push_back(node);
            else if (!summary.verdict.right[node])
                ended[failed.report.status].push_back(node);
            continue;
        }
        gone.push_back(node);
        if (notes.size() < kNotesMax)
            notes.push_back(fmt::format("node {} {}", node, failed.note));
    }
    if (!gone.empty())
        parts.push_back(gone.size() <= kNotesMax
                            ? fmt::format("{}", fmt::join(notes, "; "))
                            : fmt::format("{} are gone: {}", name_nodes(gone), notes.front()));
    if (!without.empty())
        parts.push_back(fmt::format("{} {}", name_nodes(without),
                                    summary.is_app ? "did not end" : "did not get all of it"));
    for (const std::uint32_t node : without)
        if (result.nodes[node].computes() && parts.size() < kNotesMax)
            parts.push_back(
                fmt::format("node {} {}", node, describe_computing(result.nodes[node])));
    if (const std::string waits = result.who_waits(); !waits.empty())
        parts.push_back(waits);
    const std::string why = refusal(ended, result, summary);
    if (!why.empty())
        parts.push_back(why);
    describe_given_up(result, ended, parts);
    describe_endings(ended, summary.is_app && why.empty(), parts);
    describe_vain_waits(result, summary, parts);
    if (summary.against)
        parts.push_back(fmt::format("node {} sent by port {} against the direction of its link; "
                                    "this is a bug of the firmware",
                                    index(summary.against->node), index(summary.against->port)));
    if (const std::string untaken = name_untaken(result, summary); !untaken.empty())
        parts.push_back(untaken);
    for (const std::string& words : {result.calls.differ, result.calls.missed})
        if (!words.empty())
            parts.push_back(words);
    const std::vector<std::string> dead = dead_links(result);
    if (!dead.empty())
        parts.push_back("links declared dead: " + list_links(dead));
    return parts;
}

} // namespace mesh::host
