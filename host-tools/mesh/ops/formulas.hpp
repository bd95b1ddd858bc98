// Step counts of the papers, as corrected, with which a run is compared.
//
// One step moves one packet over one link. P packets, x copies of each, n dimensions, N nodes, d
// links; m disjoint trees, h links from the root to the farthest node, D the diameter, T steps of
// one packet. One port means duplex (one send and one receive) or half (one send or one receive).
// ho-johnsson-1986, table 3; huang-yang-tseng-2001, table 1, corrected; fragopoulou-akl-1993, 4.
#pragma once

#include "core/network.hpp"
#include "core/schedules/cycles.hpp"
#include "core/schedules/timetable.hpp"
#include "host-tools/mesh/rig/tree_height.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mesh {

/// A step count with the expression that gave it, in the symbols above.
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

/// `packets` counts copies; `copies` is for the text.
constexpr Formula msbt_steps(std::uint64_t n, PortModel ports, std::uint64_t packets, bool copies) {
    switch (ports) {
    case PortModel::all:
        return {copies ? "ceil(P*x/n)+n" : "ceil(P/n)+n", (packets + n - 1) / n + n};
    case PortModel::duplex: return {copies ? "P*x+n" : "P+n", packets + n};
    case PortModel::half: break;
    }
    return {copies ? "2P*x+n-1" : "2P+n-1", 2 * packets + n - 1};
}

/// Steps of one packet over a single tree of the UHC with one send and one receive at a time.
constexpr std::uint64_t uhc_one_packet(UniHypercube net, Rule rule, NodeId root) {
    constexpr std::array<std::uint8_t, 4> kSection{0, 3, 6, 8}; // of 0, 2, 4, 6 dimensions
    if (rule == Rule::bts)
        return (3u * net.dim + 1) / 2;
    if (rule == Rule::bt4)
        return net.dim / 8 * 10 + kSection[net.dim % 8 / 2];
    const unsigned dim = half_dim(net);
    const unsigned half = rule == Rule::bt3 ? dim / 6 * 8 + kSection[dim % 6 / 2] : dim / 2 * 3;
    return half + crossing_steps(net, root);
}

/// All ports: packets follow one another down every tree. One port: the source, or a child as busy,
/// sends every packet ceil(n/2) times; the disjoint trees then meet at receivers, and so does every
/// tree under half.
constexpr std::optional<Formula> uhc_steps(UniHypercube net, Rule rule, PortModel ports,
                                           NodeId root, std::uint64_t packets, bool copies) {
    const Network network{Topology::uhc, net.dim};
    if (ports == PortModel::all) {
        const std::uint64_t trees = subtree_count(network, rule);
        if (trees == 0) // of another network
            return std::nullopt;
        const std::uint64_t depth = host::height_from(network, rule, root);
        const std::string_view text = copies       ? "ceil(P*x/m)+h-1"
                                      : trees == 1 ? "P+h-1"
                                                   : "ceil(P/m)+h-1";
        return Formula{text, (packets + trees - 1) / trees + depth - 1};
    }
    if (ports == PortModel::half || has_disjoint_trees(rule))
        return std::nullopt;
    const std::uint64_t pace = (net.dim + 1u) / 2;
    return Formula{"T+(P-1)*ceil(n/2)", uhc_one_packet(net, rule, root) + (packets - 1) * pace};
}

/// The paper knows all ports only.
constexpr std::optional<Formula> star_steps(Network network, Rule rule, PortModel ports,
                                            std::uint64_t packets, bool copies) {
    if (ports != PortModel::all)
        return std::nullopt;
    const std::uint64_t trees = subtree_count(network, rule);
    const std::string_view text = copies       ? "ceil(P*x/(n-1))+h-1"
                                  : trees == 1 ? "P+D-1"
                                               : "ceil(P/(n-1))+h-1";
    return Formula{text, (packets + trees - 1) / trees + height(network, rule) - 1};
}

} // namespace detail

/// Steps until every node has all of `packets` (1 or more) packets of a broadcast and all `copies`
/// of each (more than one over disjoint trees only); nothing for a rule without a closed form.
constexpr std::optional<Formula> broadcast_formula(Network network, Rule rule, PortModel ports,
                                                   std::uint64_t packets, NodeId root = NodeId{0},
                                                   std::uint64_t copies = 1) {
    if (subtree_count(network, rule) == 0 || (copies > 1 && !has_disjoint_trees(rule)))
        return std::nullopt;
    const std::uint64_t sent = packets * copies;
    if (network.topology == Topology::uhc)
        return detail::uhc_steps({network.dim}, rule, ports, root, sent, copies > 1);
    if (network.topology == Topology::star)
        return detail::star_steps(network, rule, ports, sent, copies > 1);
    if (network.dim == 1)
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
        return detail::msbt_steps(network.dim, ports, sent, copies > 1);
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

/// Steps of a barrier. On the cube neighbours exchange one packet in each dimension in turn;
/// elsewhere each node sends one over each out-port and awaits one by each in-port, D times.
constexpr Formula barrier_formula(Network network, PortModel ports) {
    const std::uint64_t n = network.dim;
    const bool half = ports == PortModel::half;
    if (network.topology == Topology::cube)
        return half ? Formula{"2n", 2 * n} : Formula{"n", n};
    const std::uint64_t rounds = diameter(network);
    if (ports == PortModel::all)
        return {"D", rounds};
    if (network.topology == Topology::star)
        return half ? Formula{"2(n-1)D", 2 * (n - 1) * rounds}
                    : Formula{"(n-1)D", (n - 1) * rounds};
    const std::uint64_t sends = (n + 1) / 2;
    return half ? Formula{"n*D", n * rounds} : Formula{"ceil(n/2)*D", sends * rounds};
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

/// Steps of the reversed broadcast, and of recursive doubling. On the UHC it is that of `bts` over
/// the reversed links, where the two parities change places; with one port nothing keeps an order.
constexpr std::optional<Formula> reduction_formula(Network network, Rule rule, PortModel ports,
                                                   std::uint64_t packets, NodeId root = NodeId{0}) {
    const bool uhc = network.topology == Topology::uhc;
    if (uhc && ports != PortModel::all)
        return std::nullopt;
    if (uhc)
        return broadcast_formula(network, Rule::bts, ports, packets, node_at(index(root) ^ 1u));
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
