#include "plan.hpp"

#include "ascend_ops.hpp"
#include "collectives/copies.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "core/cube/timetable.hpp"
#include "core/formulas.hpp"
#include "errors.hpp"
#include "kernel/limits.hpp"
#include "wire/frame.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace mesh::host {

namespace {

constexpr std::uint32_t kPacketBytesMin = 16;
/// The iPSC's external packets, cut into frames. (ho-johnsson-1986, 6)
constexpr std::uint32_t kExternalBytesMax = 64u << 10;

/// The place of a name in a list of them.
template <class Names>
std::size_t place_of(const Names& names, std::string_view name, std::string_view option) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        refuse("{} '{}': allowed: {}", option, name, fmt::join(names, ", "));
    return static_cast<std::size_t>(found - names.begin());
}

/// Whether the op can use this schedule on its tree. One port a node and all nodes at once: tcbt,
/// whose nodes serve their children one after the other, would want two.
bool fits(const RunPlan& plan, Schedule schedule) {
    if (plan.by_packets())
        return fits_packets(plan, schedule);
    if (plan.translated() && (!in_cycles(schedule) || (plan.rule == Rule::tcbt && plan.one_port())))
        return false;
    return has_schedule(plan.rule, schedule, plan.one_port());
}

std::vector<std::string_view> schedules_of(const RunPlan& plan) {
    std::vector<std::string_view> names;
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        if (fits(plan, static_cast<Schedule>(number)))
            names.push_back(name(static_cast<Schedule>(number)));
    return names;
}

/// The fastest for packets of one block each; all-to-all goes in cycles.
Schedule best_schedule(const RunPlan& plan) {
    if (plan.by_packets())
        return best_packet_schedule(plan);
    const bool cycles = plan.translated() || plan.rule == Rule::tcbt || plan.rule == Rule::sbg;
    if (cycles)
        return plan.one_port() || plan.rule == Rule::tcbt ? Schedule::subtree : Schedule::level;
    if (!plan.one_port())
        return Schedule::postorder;
    return plan.rule == Rule::sbt ? Schedule::gray : Schedule::roundrobin;
}

void plan_schedule(RunPlan& plan, const RunArguments& arguments) {
    if (!plan.personalised()) {
        if (!arguments.schedule.empty())
            refuse("--schedule goes with --op scatter, gather, allgather and alltoall");
        return;
    }
    const auto names = schedules_of(plan);
    if (names.empty() && plan.by_packets())
        refuse("--ports {}: on a {} {} takes all ports; allowed: all", plan.ports_name,
               name(plan.network().topology), plan.op_name);
    if (names.empty())
        refuse("--tree {}: not for {} with --ports {}; allowed: sbt, tcbt, sbnt-minr, sbnt-maxl, "
               "sbnt-minbl, sbnt-maxbr, sbg (tcbt for all-to-all with all ports only)",
               name(plan.rule), plan.op_name, plan.ports_name);
    plan.schedule = best_schedule(plan);
    if (arguments.schedule.empty())
        return;
    const auto chosen = names[place_of(names, arguments.schedule, "--schedule")];
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        if (name(static_cast<Schedule>(number)) == chosen)
            plan.schedule = static_cast<Schedule>(number);
    if (plan.schedule != Schedule::dfs_ack)
        return;
    const std::uint32_t trees = copies_max(plan.network());
    if (plan.copies != 1 && plan.copies != trees)
        refuse("--copies {}: --schedule dfs-ack sends over all trees; allowed: {}", plan.copies,
               trees);
    plan.copies = trees;
}

bool uses(const RunPlan& plan, Rule tree, Far cable) {
    const NodeId other = neighbor(plan.network(), cable.node, cable.port);
    return parent(plan.network(), tree, 0, plan.root, cable.node) == cable.port ||
           parent(plan.network(), tree, 0, plan.root, other) == cable.port;
}

/// The first balanced tree that does without a cable. (errata 3.9: alt shares no edge with minr
/// below level 1)
Rule tree_without(const RunPlan& plan, Far cable) {
    constexpr std::array kChoice{Rule::sbnt_minr, Rule::sbnt_maxl, Rule::sbnt_minbl,
                                 Rule::sbnt_maxbr, Rule::alt};
    for (const Rule tree : kChoice)
        if (!uses(plan, tree, cable) && (!plan.personalised() || tree != Rule::alt))
            return tree;
    refuse("--avoid {}/{}: every balanced tree from node {} uses it; allowed: cables that are not "
           "at the root, or --copies 2",
           index(cable.node), index(cable.port), index(plan.root));
}

std::vector<std::string_view> disjoint_trees(Network network) {
    std::vector<std::string_view> names;
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
        const Rule rule = static_cast<Rule>(number);
        if (has_disjoint_trees(rule) && subtree_count(network, rule) != 0)
            names.push_back(name(rule));
    }
    return names;
}

/// The size of packet, `most` at most, for which tau and tc give the shortest broadcast.
std::uint32_t best_packet_bytes(const RunPlan& plan, std::uint32_t most) {
    std::uint32_t best = 0;
    double best_time = std::numeric_limits<double>::infinity();
    const std::uint32_t packets_max = std::max(plan.bytes / kPacketBytesMin, plan.bytes / most + 1);
    for (std::uint32_t packets = 1; packets <= packets_max; ++packets) {
        const std::uint32_t size = std::max(kPacketBytesMin, (plan.bytes + packets - 1) / packets);
        const auto formula = broadcast_formula(plan.network(), plan.rule, plan.ports, packets,
                                               plan.root, plan.copies);
        if (size > most || !formula)
            continue;
        const double time = static_cast<double>(formula->steps) * (plan.tau + size * plan.tc);
        if (time < best_time) {
            best_time = time;
            best = size;
        }
    }
    if (best == 0)
        refuse("--packet auto: the steps of --tree {} with --ports {} follow no formula; allowed: "
               "{} to {}",
               name(plan.rule), plan.ports_name, kPacketBytesMin, most);
    return best;
}

/// Largest size of an external packet, and whether it may be unbounded (0).
struct PacketLimits {
    std::uint32_t most;
    bool unbounded;
};
PacketLimits packet_limits(const RunPlan& plan) {
    if ((plan.personalised() && in_cycles(plan.schedule)) || plan.ascends())
        return {limits::kMessageBytesMax, true};
    if (plan.by_packets())
        return {wire::kPayloadBytesMax, false};
    const bool one_way = plan.copies == 1 && plan.rule != Rule::msbt_rot;
    if ((plan.op == wire::Op::bcast && one_way) || plan.op == wire::Op::scatter)
        return {kExternalBytesMax, false};
    return {wire::kPayloadBytesMax, false};
}

/// Every node keeps the message and a vote for each packet.
void check_copies(const RunPlan& plan) {
    if (plan.copies == 1 || plan.packet_bytes == 0)
        return;
    const std::uint64_t needed =
        plan.bytes + vote_bytes({.total_bytes = plan.bytes, .packet_bytes = plan.packet_bytes});
    if (needed > limits::kWorkspaceBytes)
        refuse("--bytes {}: with --copies a node needs {} bytes for message and votes; it has {}",
               plan.bytes, needed, limits::kWorkspaceBytes);
}

void plan_packet(RunPlan& plan, const std::string& packet) {
    const PacketLimits limits = packet_limits(plan);
    plan.packet_bytes = limits.unbounded ? 0 : std::uint32_t{wire::kPayloadBytesMax};
    if (packet.empty())
        return;
    if (packet == "auto" && plan.op == wire::Op::bcast) {
        plan.packet_bytes = best_packet_bytes(plan, limits.most);
        return;
    }
    std::uint32_t bytes = 0;
    const char* const end = packet.data() + packet.size();
    const auto [last, error] = std::from_chars(packet.data(), end, bytes);
    const bool unbounded = limits.unbounded && bytes == 0;
    if (error != std::errc{} || last != end ||
        (!unbounded && (bytes < kPacketBytesMin || bytes > limits.most)))
        refuse("--packet '{}': allowed: {} to {}{}{}", packet, kPacketBytesMin, limits.most,
               limits.unbounded ? ", or 0 for unbounded" : "",
               plan.op == wire::Op::bcast ? ", or auto" : "");
    plan.packet_bytes = bytes;
}

/// What a node's memory holds.
std::uint32_t most_block_bytes(const RunPlan& plan) {
    if (plan.reduces())
        return limits::kMessageBytesMax;
    const std::uint64_t nodes = plan.nodes();
    const std::uint64_t tables = exchange_bytes(nodes, 0);
    const std::uint64_t room =
        tables < limits::kWorkspaceBytes ? limits::kWorkspaceBytes - tables : 0;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(limits::kMessageBytesMax, room / 3) /
                                      nodes);
}

void plan_blocks(RunPlan& plan, const RunArguments& arguments) {
    const std::uint32_t most = most_block_bytes(plan);
    const std::uint64_t nodes = std::max(1u, plan.nodes());
    const std::uint64_t blocks = plan.op == wire::Op::alltoall ? nodes * nodes : nodes;
    if (plan.input && !arguments.bytes) {
        if (plan.input->size() % blocks != 0)
            refuse("--input '{}': {} bytes do not divide into {} blocks of one size; give --bytes",
                   arguments.input, plan.input->size(), blocks);
        plan.bytes = static_cast<std::uint32_t>(plan.input->size() / blocks);
    } else if (!arguments.bytes) {
        plan.bytes = std::min(plan.bytes, most / 4 * 4);
    }
    if (plan.bytes > most)
        refuse("--bytes {}: {} with {} nodes has room for at most {} for each", plan.bytes,
               plan.op_name, plan.nodes(), most);
    if (plan.input && plan.input->size() < blocks * plan.bytes)
        refuse("--bytes {}: '{}' has {} bytes, {} blocks need {}", plan.bytes, arguments.input,
               plan.input->size(), blocks, blocks * plan.bytes);
}

void plan_reduction(RunPlan& plan, const RunArguments& arguments) {
    plan.element = static_cast<ElementType>(place_of(kElementNames, arguments.element, "--type"));
    plan.reduction =
        static_cast<Operator>(place_of(kOperatorNames, arguments.reduction, "--operator"));
    plan.exclusive = arguments.exclusive;
    if (!plan.reduces())
        return;
    const auto operation = combiner(plan.reduction, plan.element);
    if (!operation)
        refuse("--operator {} on {}: allowed: sum, min, max", arguments.reduction,
               arguments.element);
    if (plan.bytes % operation->element_bytes != 0)
        refuse("--bytes {}: not a multiple of an element's {} bytes", plan.bytes,
               operation->element_bytes);
    if (plan.input && plan.element == ElementType::f32 && plan.reduction == Operator::sum)
        refuse("--operator sum on f32 of a file: depends on the order of additions, so that it "
               "cannot be verified; allowed: min, max, or without --input");
}

} // namespace

Rule usual_tree(Topology topology, bool copies) {
    switch (topology) {
    case Topology::uhc: return copies ? Rule::ist : Rule::bts;
    case Topology::star: return copies ? Rule::edt : Rule::spt;
    case Topology::cube: break;
    }
    return copies ? Rule::msbt : Rule::sbt;
}

bool RunPlan::translated() const { return op == wire::Op::allgather || op == wire::Op::alltoall; }
bool RunPlan::personalised() const {
    return op == wire::Op::scatter || op == wire::Op::gather || translated();
}
bool RunPlan::reduces() const {
    return op == wire::Op::reduce || op == wire::Op::allreduce || op == wire::Op::scan;
}
bool RunPlan::tree() const {
    return op == wire::Op::bcast || personalised() || (reduces() && op != wire::Op::scan);
}
std::uint64_t RunPlan::input_bytes() const {
    if (op == wire::Op::alltoall)
        return std::uint64_t{bytes} * nodes() * nodes();
    return personalised() || reduces() ? std::uint64_t{bytes} * nodes() : bytes;
}

Rule plan_tree(const RunPlan& plan, const RunArguments& arguments) {
    if (plan.by_packets())
        return plan_paths(plan, arguments);
    if (!arguments.avoid.empty()) {
        if (plan.network().topology != Topology::cube)
            refuse("--avoid: on a {} no tree is known that avoids a cable; allowed: --copies",
                   name(plan.network().topology));
        if (!arguments.tree.empty() || plan.copies > 1 || !plan.tree())
            refuse("--avoid chooses the tree of a collective: without --tree and --copies");
        return tree_without(plan, cable_end(plan.network(), arguments.avoid, "--avoid"));
    }
    if (plan.ascends() && !arguments.tree.empty())
        refuse("--tree: --op {} uses none", plan.op_name);
    if (!plan.tree() && arguments.tree.empty())
        return Rule::unicast;
    const Network network = plan.network();
    const Rule usual = usual_tree(network.topology, plan.copies > 1);
    const Rule rule = arguments.tree.empty() ? usual : tree_of(network, arguments.tree);
    if (plan.copies > 1 && !has_disjoint_trees(rule))
        refuse("--copies {}: goes with --tree {}, whose trees share no edge", plan.copies,
               fmt::join(disjoint_trees(network), ", "));
    if (network.topology == Topology::uhc && plan.op == wire::Op::reduce && rule != Rule::bts)
        refuse("--tree {}: a reduce on a uhc climbs over links that no tree for sending has; "
               "allowed: bts, all links turned round",
               name(rule));
    return rule;
}

std::uint32_t copies_max(Network network) {
    return subtree_count(network, usual_tree(network.topology, true));
}

void plan_collective(RunPlan& plan, const RunArguments& arguments) {
    if (plan.op == wire::Op::scan && plan.network().topology != Topology::cube)
        refuse("--op scan: on a cube only, not on a {}", name(plan.network().topology));
    if (plan.op == wire::Op::bcast && plan.rule == Rule::sbg)
        refuse("--tree sbg: no tree, but a graph for scatter, gather and all-to-all");
    if (plan.ascends()) {
        plan_ascend(plan, arguments);
        plan_packet(plan, arguments.packet);
        return;
    }
    plan_schedule(plan, arguments);
    if (plan.personalised() || plan.reduces())
        plan_blocks(plan, arguments);
    plan_packet(plan, arguments.packet);
    check_copies(plan);
    plan_reduction(plan, arguments);
}

} // namespace mesh::host
