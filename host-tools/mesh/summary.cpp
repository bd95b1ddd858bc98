#include "report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace mesh::host {

namespace {

constexpr std::size_t kNotesMax = 3;
constexpr std::size_t kLinksMax = 8;

double units(wire::ModelTime ticks) {
    return static_cast<double>(ticks) / double{wire::kTicksPerUnit};
}

/// One step: a whole packet over one link; in cycles whose packets differ, a start-up.
double step_units(const RunPlan& plan) {
    if (plan.packet_bytes == 0)
        return plan.tau;
    const std::uint32_t payload = std::min(plan.packet_bytes, plan.message_bytes());
    return plan.tau + plan.tc * payload;
}

std::uint64_t steps_of(const RunPlan& plan, double time) {
    const double step = step_units(plan);
    return step > 0 ? static_cast<std::uint64_t>(std::ceil(time / step - 1e-9)) : 0;
}

std::optional<Formula> personal_formula_of(const RunPlan& plan) {
    if (plan.by_packets())
        return path_formula(plan);
    if (plan.bytes == 0 || (in_cycles(plan.schedule) && plan.packet_bytes != 0))
        return std::nullopt;
    const bool exchange = plan.translated() && plan.ports == PortModel::half;
    return personal_formula(plan.cycles(), plan.packets(), exchange ? 2 : 1);
}

std::optional<Formula> formula_of(const RunPlan& plan) {
    switch (plan.op) {
    case wire::Op::bcast:
        return broadcast_formula(plan.network(), plan.rule, plan.ports, plan.packets(), plan.root,
                                 plan.copies);
    case wire::Op::send:
        if (plan.target == wire::kRandomTarget || plan.messages != 1)
            return std::nullopt;
        return unicast_formula(
            plan.ports, distance(plan.network(), plan.root, node_at(plan.target)), plan.packets());
    case wire::Op::barrier: return barrier_formula(plan.network(), plan.ports);
    case wire::Op::scatter:
    case wire::Op::gather:
    case wire::Op::allgather:
    case wire::Op::alltoall: return personal_formula_of(plan);
    case wire::Op::reduce:
        return reduction_formula(plan.network(), plan.rule, plan.ports, plan.packets(), plan.root);
    case wire::Op::scan: return scan_formula(plan.network(), plan.ports, plan.packets());
    case wire::Op::ascend:
    case wire::Op::descend:
    case wire::Op::sort:
    case wire::Op::fft: return ascend_formula_of(plan);
    case wire::Op::allreduce:
    case wire::Op::none:
    case wire::Op::app: break;
    }
    return std::nullopt;
}

/// Live nodes that no path of living cables and nodes joins to the root, in the direction in which
/// the op's data goes.
std::vector<std::uint32_t> cut_off(const RunPlan& plan, const RunResult& result, const Loom& loom) {
    const auto living = [&](std::uint32_t node) { return result.nodes[node].fate == Fate::live; };
    std::vector<bool> reached(plan.nodes());
    std::vector<std::uint32_t> frontier;
    if (living(index(plan.root))) {
        reached[index(plan.root)] = true;
        frontier.push_back(index(plan.root));
    }
    const Network network = plan.network();
    const bool inward = plan.op == wire::Op::gather || plan.op == wire::Op::reduce;
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

/// What may excuse a node that has not got everything.
Deaths deaths_of(const RunResult& result, const Loom& loom) {
    Deaths deaths{!loom.counts().happened.empty(), {}};
    for (std::uint32_t node = 0; node < result.nodes.size(); ++node)
        if (result.nodes[node].fate == Fate::killed)
            deaths.killed.push_back(node_at(node));
    return deaths;
}

bool is_high_water(Counter counter) {
    return counter == Counter::buffers_used_max || counter == Counter::arena_bytes_max;
}

void add_counters(Summary& summary, const wire::NodeReport& report) {
    for (std::size_t at = 0; at < kCounterCount; ++at) {
        std::uint64_t& sum = summary.counters[at];
        const std::uint64_t value = report.counters[at];
        sum = is_high_water(static_cast<Counter>(at)) ? std::max(sum, value) : sum + value;
    }
    for (std::size_t port = 0; port < kPortsMax; ++port) {
        summary.hops += report.link_packets[port];
        summary.max_link_load = std::max(summary.max_link_load, report.link_packets[port]);
        summary.dma_transfers[port] += report.dma_transfers[port];
    }
}

/// Links from the root to `node` in a single tree.
unsigned level_of(const RunPlan& plan, NodeId node) {
    unsigned level = 0;
    while (node != plan.root && level < plan.nodes()) {
        const Port port = parent(plan.network(), plan.rule, 0, plan.root, node);
        if (port == kNoPort)
            break;
        node = neighbor(plan.network(), node, port);
        ++level;
    }
    return level;
}

void add_level(Summary& summary, unsigned number, const NodeResult& node) {
    if (summary.levels.size() <= number)
        summary.levels.resize(number + 1);
    Level& level = summary.levels[number];
    ++level.nodes;
    level.packets += number == 0 ? 0 : node.report.received_packets;
    level.model_time = std::max(level.model_time, units(node.report.finish_time));
}

/// Links that nodes have declared dead, as NODE/PORT.
std::vector<std::string> dead_links(const RunPlan& plan, const RunResult& result) {
    std::vector<std::string> links;
    for (std::uint32_t node = 0; node < plan.nodes(); ++node)
        for (PortSequence ports = PortSequence::ascending(result.nodes[node].report.dead_ports);
             !ports.empty();)
            links.push_back(fmt::format("{}/{}", node, index(ports.pop())));
    return links;
}

std::string list_links(const std::vector<std::string>& links) {
    const std::size_t shown = std::min(links.size(), kLinksMax);
    return fmt::format(
        "{}{}", fmt::join(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(shown), " "),
        shown < links.size() ? fmt::format(" and {} more", links.size() - shown) : std::string{});
}

} // namespace

Summary summarize(const RunPlan& plan, const JobBook& book, const RunResult& result,
                  const Loom& loom) {
    Summary summary;
    const Deaths deaths = deaths_of(result, loom);
    const bool single = plan.op == wire::Op::bcast && subtree_count(plan.network(), plan.rule) == 1;
    summary.spectrum = check_spectrum(plan, result);
    for (std::uint32_t number = 0; number < plan.nodes(); ++number) {
        const NodeResult& node = result.nodes[number];
        if (single)
            add_level(summary, level_of(plan, node_at(number)), node);
        add_counters(summary, node.report);
        if (node.fate == Fate::killed)
            continue;
        ++summary.live;
        if (plan.by_packets())
            summary.missing_blocks += book.missing_blocks(node_at(number), node.report, deaths);
        if (node.fate == Fate::live && book.right(node_at(number), node.report, deaths) &&
            (!summary.spectrum || summary.spectrum->right[number]))
            ++summary.verified;
        else
            summary.failed.push_back(number);
        if (node.report.done != 0)
            summary.complete_time = std::max(summary.complete_time, units(node.report.finish_time));
        if (node.report.done != 0 || plan.by_packets())
            summary.model_time = std::max(
                {summary.model_time, summary.complete_time, units(node.report.copies_time)});
        if (plan.op == wire::Op::app)
            summary.app_status = std::max(summary.app_status, node.report.status);
    }
    summary.steps = steps_of(plan, summary.model_time);
    summary.complete_steps = steps_of(plan, summary.complete_time);
    for (const NodeResult& node : result.nodes)
        summary.disputed_packets += node.report.disputed_packets;
    summary.formula = formula_of(plan);
    summary.against = loom.counts().first_against;
    if (!loom.counts().happened.empty())
        summary.unreachable = cut_off(plan, result, loom);
    return summary;
}

std::string describe_failure(const RunPlan& plan, const RunResult& result, const Summary& summary) {
    if (summary.live == 0)
        return "no node is left alive";
    std::vector<std::uint32_t> without;
    std::vector<std::uint32_t> wrong;
    std::vector<std::uint32_t> gone;
    std::vector<std::string> notes;
    for (const std::uint32_t node : summary.failed) {
        const NodeResult& failed = result.nodes[node];
        if (failed.fate == Fate::live) {
            (failed.report.done != 0 ? wrong : without).push_back(node);
            continue;
        }
        gone.push_back(node);
        if (notes.size() < kNotesMax)
            notes.push_back(fmt::format("node {} {}", node, failed.note));
    }
    std::vector<std::string> parts;
    if (!gone.empty())
        parts.push_back(gone.size() <= kNotesMax
                            ? fmt::format("{}", fmt::join(notes, "; "))
                            : fmt::format("{} are gone: {}", name_nodes(gone), notes.front()));
    if (!without.empty())
        parts.push_back(fmt::format("{} did not get all of it", name_nodes(without)));
    if (!wrong.empty())
        parts.push_back(fmt::format("{} ended with the wrong answer", name_nodes(wrong)));
    if (summary.against)
        parts.push_back(fmt::format("node {} sent by port {} against the direction of its link; "
                                    "this is a bug of the firmware",
                                    index(summary.against->node), index(summary.against->port)));
    const std::vector<std::string> dead = dead_links(plan, result);
    if (!dead.empty())
        parts.push_back("links declared dead: " + list_links(dead));
    return fmt::format("{}", fmt::join(parts, "; "));
}

} // namespace mesh::host
