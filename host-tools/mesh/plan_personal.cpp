// Personalised communication on the UHC and the star: trees, schedules, and what steps are compared
// with.
#include "plan.hpp"

#include "collectives/personalised.hpp"
#include "core/star/schedule.hpp"
#include "core/uhc/schedule.hpp"
#include "errors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

namespace mesh::host {

namespace {

Exchange exchange_of(wire::Op op) {
    if (op == wire::Op::scatter)
        return Exchange::scatter;
    if (op == wire::Op::gather)
        return Exchange::gather;
    return op == wire::Op::allgather ? Exchange::allgather : Exchange::alltoall;
}

bool is_star(const RunPlan& plan) { return plan.network().topology == Topology::star; }

/// f(choice) for the disjoint trees from (gather: towards) a root.
template <class F>
auto with_choice(const RunPlan& plan, F f) {
    const std::uint8_t dim = plan.network().dim;
    if (is_star(plan))
        return f(PathChoice<StarPaths>({StarGraph{dim}, plan.rule}, plan.copies));
    return f(PathChoice<UhcPaths>(
        {UniHypercube{dim}, plan.rule, plan.root, plan.op == wire::Op::gather}, plan.copies));
}

/// Links that the packets of one root's blocks cross.
std::uint64_t links_of(const RunPlan& plan) {
    return with_choice(plan, [](const auto& choice) {
        std::uint64_t links = 0;
        for (std::uint32_t node = 1; node < choice.paths().nodes(); ++node) {
            const PathLook look = choice.paths().look(node);
            for (std::uint32_t left = choice.trees_to(node, look); left != 0; left &= left - 1)
                links += look.links[static_cast<unsigned>(std::countr_zero(left))];
        }
        return links;
    });
}

std::uint64_t links_out(const RunPlan& plan, NodeId node) {
    return static_cast<unsigned>(std::popcount(out_ports(plan.network(), node)));
}

constexpr std::uint64_t divided(std::uint64_t work, std::uint64_t links) {
    return links == 0 ? 0 : (work + links - 1) / links;
}

std::optional<Formula> star_formula(const RunPlan& plan) {
    const std::uint64_t packets = plan.packets();
    const std::uint64_t others = plan.nodes() - 1;
    const std::uint64_t ports = port_count(plan.network());
    if (!plan.translated())
        return Formula{"P*ceil(x(N-1)/(n-1))", packets * divided(plan.copies * others, ports)};
    if (plan.schedule == Schedule::dfs_ack)
        return Formula{"(P+1)(N-1)", (packets + 1) * others};
    const std::uint64_t sent = packets * plan.copies;
    if (plan.op == wire::Op::allgather)
        return Formula{sent % ports == 0 ? "P*x(N-1)/(n-1)" : "bound ceil(P*x(N-1)/(n-1))",
                       divided(sent * others, ports)};
    return Formula{plan.copies == ports ? "P*depths" : "bound ceil(P*links/(n-1))",
                   divided(packets * links_of(plan), ports)};
}

/// The paper gives no figures: what the links must carry at least.
std::optional<Formula> uhc_formula(const RunPlan& plan) {
    const Network network = plan.network();
    const std::uint64_t sent = std::uint64_t{plan.packets()} * plan.copies;
    const std::uint64_t others = plan.nodes() - 1;
    if (plan.op == wire::Op::scatter)
        return Formula{"bound ceil(P*x(N-1)/out)",
                       divided(sent * others, links_out(plan, plan.root))};
    if (plan.op == wire::Op::gather)
        return Formula{"bound ceil(P*x(N-1)/in)",
                       divided(sent * others, network.dim - links_out(plan, plan.root))};
    if (plan.op == wire::Op::allgather)
        return Formula{"bound ceil(P*x(N-1)/(n/2))", divided(sent * others, network.dim / 2)};
    std::uint64_t distances = 0; // from an even node and an odd one
    for (std::uint32_t node = 0; node < plan.nodes(); ++node)
        distances += distance(network, node_at(0), node_at(node)) +
                     distance(network, node_at(1), node_at(node));
    return Formula{"bound ceil(P*x*distances/(n/2))", divided(sent * distances, network.dim)};
}

} // namespace

Rule plan_paths(const RunPlan& plan, const RunArguments& arguments) {
    const Network network = plan.network();
    std::vector<std::string_view> names;
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
        const Rule rule = static_cast<Rule>(number);
        if (has_paths(network.topology, rule) && subtree_count(network, rule) >= plan.copies)
            names.push_back(name(rule));
    }
    if (!arguments.avoid.empty())
        refuse("--avoid: on a uhc and a star no tree is known to do without a cable; "
               "allowed: --copies 2");
    if (arguments.tree.empty()) {
        if (is_star(plan))
            return Rule::edt;
        return plan.op == wire::Op::alltoall && network.dim % 2 == 0 ? Rule::adst : Rule::ist;
    }
    if (std::find(names.begin(), names.end(), arguments.tree) == names.end())
        refuse("--tree '{}': {} of {} with --copies {} goes over: {}", arguments.tree, plan.op_name,
               name(network.topology), plan.copies, fmt::join(names, ", "));
    return tree_of(network, arguments.tree);
}

bool fits_packets(const RunPlan& plan, Schedule schedule) {
    return !plan.one_port() &&
           has_packet_schedule(plan.network(), plan.rule, schedule, exchange_of(plan.op));
}

/// Rounds take no longer than everything at once only if all trees take part.
Schedule best_packet_schedule(const RunPlan& plan) {
    if (!plan.translated())
        return Schedule::rbf;
    const bool rounds =
        plan.op == wire::Op::alltoall && is_star(plan) && plan.copies == copies_max(plan.network());
    return rounds ? Schedule::necklace : Schedule::queue;
}

std::uint64_t expected_path_packets(const RunPlan& plan) {
    const std::uint64_t nodes = plan.nodes();
    const std::uint64_t sent = std::uint64_t{plan.packets()} * plan.copies;
    if (plan.op == wire::Op::allgather)
        return sent * nodes * (nodes - 1);
    const std::uint64_t once = plan.packets() * links_of(plan);
    return plan.op == wire::Op::alltoall ? once * nodes : once;
}

std::optional<Formula> path_formula(const RunPlan& plan) {
    if (plan.bytes == 0)
        return std::nullopt;
    return is_star(plan) ? star_formula(plan) : uhc_formula(plan);
}

} // namespace mesh::host
