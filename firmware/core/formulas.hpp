// Step counts of the papers, as corrected: what a run is measured against. For the host and the
// tests; no firmware includes it.
//
// One step moves one packet over one link. P packets, n dimensions, N nodes, d links. One port
// means duplex (one send and one receive) or half (one send or one receive). ho-johnsson-1986,
// table 3.
#pragma once

#include "core/cube_cycles.hpp"
#include "core/network.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mesh {

/// A step count with the expression that gave it, in the symbols P, n, N, d.
struct Formula {
    std::string_view text;
    std::uint64_t steps = 0;
};

namespace detail {

constexpr Formula sbt_steps(std::uint64_t n, PortModel ports, std::uint64_t packets) {
    if (ports == PortModel::all)
        return {"P+n-1", packets + n - 1};
    return {"n*P", n * packets};
}

constexpr Formula hp_steps(std::uint64_t nodes, PortModel ports, std::uint64_t packets) {
    if (ports == PortModel::half)
        return {"2P+N-3", 2 * packets + nodes - 3};
    return {"P+N-2", packets + nodes - 2};
}

constexpr Formula tcbt_steps(std::uint64_t n, PortModel ports, std::uint64_t packets) {
    switch (ports) {
    case PortModel::all: return {"P+n-1", packets + n - 1};
    case PortModel::duplex: return {"2(P+n-2)", 2 * (packets + n - 2)};
    case PortModel::half: break;
    }
    if (n == 2)
        return {"2P", 2 * packets};
    return {"3P+2n-5", 3 * packets + 2 * n - 5};
}

constexpr Formula msbt_steps(std::uint64_t n, PortModel ports, std::uint64_t packets) {
    switch (ports) {
    case PortModel::all: return {"ceil(P/n)+n", (packets + n - 1) / n + n};
    case PortModel::duplex: return {"P+n", packets + n};
    case PortModel::half: break;
    }
    return {"2P+n-1", 2 * packets + n - 1};
}

} // namespace detail

/// Steps until every node has all of `packets` (1 or more) packets of a broadcast; nothing for a
/// rule without a closed form.
constexpr std::optional<Formula> broadcast_formula(Network network, Rule rule, PortModel ports,
                                                   std::uint64_t packets) {
    if (subtree_count(network, rule) == 0)
        return std::nullopt;
    if (network.topology == Topology::cube && network.dim == 1)
        return Formula{"P", packets};
    if (rule == Rule::sbt || rule == Rule::bs)
        return detail::sbt_steps(network.dim, ports, packets);
    if (rule == Rule::hp)
        return detail::hp_steps(node_count(network), ports, packets);
    if (rule == Rule::tcbt)
        return detail::tcbt_steps(network.dim, ports, packets);
    if (rule == Rule::msbt_rot && ports == PortModel::all)
        return Formula{"ceil(P/n)+n-1",
                       (packets + network.dim - 1) / network.dim + network.dim - 1};
    if (rule == Rule::msbt || rule == Rule::msbt_rot)
        return detail::msbt_steps(network.dim, ports, packets);
    return std::nullopt;
}

/// Steps until `packets` (1 or more) packets of one message have crossed `hops` links. Under half a
/// relay takes every packet in two steps.
constexpr Formula unicast_formula(PortModel ports, std::uint64_t hops, std::uint64_t packets) {
    if (hops == 0)
        return {"0", 0};
    if (ports == PortModel::half && hops > 1)
        return {"2P+d-2", 2 * packets + hops - 2};
    return {"P+d-1", packets + hops - 1};
}

/// Steps of a barrier on the cube: neighbours exchange one packet in each dimension in turn.
constexpr Formula barrier_formula(Network network, PortModel ports) {
    if (ports == PortModel::half)
        return {"2n", 2u * std::uint64_t{network.dim}};
    return {"n", network.dim};
}

namespace detail {

/// Nodes in the largest subtree of the root.
constexpr std::uint64_t largest_subtree(const CyclePlan& plan) {
    std::array<std::uint64_t, kDimMax> sizes{};
    std::uint64_t largest = 0;
    for (std::uint32_t node = 1; node < plan.cube.node_count(); ++node) {
        const std::uint64_t size = ++sizes[path_to(plan, node, 0).ports[0]];
        largest = size > largest ? size : largest;
    }
    return largest;
}

/// Cycles of bundles without a bound on their size.
constexpr Formula cycle_steps(const CyclePlan& plan) {
    const std::uint64_t n = plan.cube.dim;
    if (n == 1 || !plan.one_port || plan.tree == Rule::sbt)
        return {"n", n};
    if (plan.tree == Rule::sbg)
        return {"2n-1", 2 * n - 1};
    return {"2n-2", 2 * n - 2};
}

} // namespace detail

/// Steps of a scatter (or gather) of `packets` packets to each node, by single packets; or of a
/// collective in cycles, each bundle one packet, `turns` times (2 where pairs exchange under half).
/// ho-johnsson-1986, 5, and 1988, 5; nothing where they give no figure.
constexpr std::optional<Formula> personal_formula(const CyclePlan& plan, std::uint64_t packets,
                                                  unsigned turns) {
    const std::uint64_t nodes = plan.cube.node_count();
    if (in_cycles(plan.schedule)) {
        const Formula once = detail::cycle_steps(plan);
        if (turns == 1)
            return once;
        return Formula{once.text == "n"      ? "2n"
                       : once.text == "2n-1" ? "4n-2"
                                             : "4n-4",
                       2 * once.steps};
    }
    const bool sequential = plan.schedule == Schedule::gray || plan.schedule == Schedule::port;
    if (plan.one_port && (sequential || plan.tree != Rule::sbt))
        return Formula{"P(N-1)", packets * (nodes - 1)};
    if (plan.one_port || sequential)
        return std::nullopt;
    if (plan.tree == Rule::sbt)
        return Formula{"P*N/2", packets * (nodes / 2)};
    return Formula{"P*SBnT(max)", packets * detail::largest_subtree(plan)};
}

/// Steps of the reversed broadcast, and of recursive doubling.
constexpr std::optional<Formula> reduction_formula(Network network, Rule rule, PortModel ports,
                                                   std::uint64_t packets) {
    return broadcast_formula(network, rule == Rule::msbt_rot ? Rule::msbt : rule, ports, packets);
}
constexpr Formula scan_formula(Network network, PortModel ports, std::uint64_t packets) {
    const std::uint64_t steps = network.dim * packets;
    if (ports == PortModel::half)
        return {"2nP", 2 * steps};
    return {"nP", steps};
}

/// Steps of ASCEND or DESCEND over all dimensions, of values of `packets` packets each.
/// (huang-yang-tseng-2001, section 7, corrected)
constexpr Formula ascend_formula(Network network, PortModel ports, std::uint64_t packets) {
    const bool half = ports == PortModel::half;
    const std::uint64_t n = network.dim;
    if (network.topology == Topology::cube)
        return half ? Formula{"2nP", 2 * n * packets} : Formula{"nP", n * packets};
    if (n % 2 == 0)
        return half ? Formula{"2nP", 2 * n * packets} : Formula{"3nP/2", 3 * n / 2 * packets};
    return half ? Formula{"2(n+1)P", 2 * (n + 1) * packets}
                : Formula{"3(n+1)P/2", 3 * (n + 1) / 2 * packets};
}

/// Steps of bitonic sorting, of blocks of `packets` packets each.
constexpr Formula sort_formula(Network network, PortModel ports, std::uint64_t packets) {
    const bool half = ports == PortModel::half;
    const std::uint64_t n = network.dim;
    if (network.topology == Topology::cube)
        return half ? Formula{"n(n+1)P", n * (n + 1) * packets}
                    : Formula{"n(n+1)P/2", n * (n + 1) / 2 * packets};
    if (n % 2 == 0)
        return half ? Formula{"n(n+2)P", n * (n + 2) * packets}
                    : Formula{"3n(n+2)P/4", 3 * n * (n + 2) / 4 * packets};
    return half ? Formula{"(n+1)^2P", (n + 1) * (n + 1) * packets}
                : Formula{"3(n+1)^2P/4", 3 * (n + 1) * (n + 1) / 4 * packets};
}

} // namespace mesh
