// Helpers of the tests of reductions: a plan that all nodes of a rig carry out, and the right
// answer.
#pragma once

#include "collectives/reduction.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <string>
#include <vector>

namespace mesh::test {

inline constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
inline constexpr Noise kLoud{.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};
inline constexpr std::array kCubeTrees{
    Rule::sbt,       Rule::bs,         Rule::hp,         Rule::tcbt, Rule::msbt, Rule::sbnt_minr,
    Rule::sbnt_maxl, Rule::sbnt_minbl, Rule::sbnt_maxbr, Rule::sbg,  Rule::alt};
inline constexpr std::array kPortModels{PortModel::all, PortModel::duplex, PortModel::half};
inline constexpr std::size_t kPool = 320;
inline constexpr unsigned kNodesOwn =
    Admission::nodes_own(board::HostBoard::capabilities().receivers);

inline bool kernel_has(Network network, Rule tree) { return height<CubeRules>(network, tree) != 0; }

using Bytes = std::vector<std::byte>;
enum class What { reduce, allreduce, scan };

/// The next reduction of all nodes, and the values that they start from.
struct Work {
    What what = What::reduce;
    ReducePlan plan{};
    bool exclusive = false;
    std::deque<Bytes> buffers{}; // one for each node; outlive processes that never end
};
inline Work work;

inline Process works(Kernel& node) {
    const std::span<std::byte> buffer = work.buffers[index(node.id())];
    Status status = Status::failed;
    if (work.what == What::scan) {
        const ReducePlan& plan = work.plan;
        const ScanPlan scan_plan{plan.total_bytes, plan.packet_bytes, plan.tag, plan.combiner,
                                 work.exclusive};
        status = co_await scan(node, scan_plan, buffer);
    } else if (work.what == What::reduce) {
        status = co_await reduce(node, work.plan, buffer);
    } else {
        status = co_await allreduce(node, work.plan, buffer);
    }
    co_return status;
}

inline Bytes random_bytes(std::size_t count, unsigned seed) {
    std::minstd_rand random{seed * 7919 + 1};
    Bytes bytes(count);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(random() >> 8);
    return bytes;
}

inline void fill_work(std::uint32_t nodes, unsigned seed = 1) {
    work.buffers.clear();
    for (std::uint32_t id = 0; id < nodes; ++id)
        work.buffers.push_back(random_bytes(work.plan.total_bytes, seed * 1000 + id));
}

/// Nodes first .. last combined in the order of addresses.
inline Bytes folded(const std::deque<Bytes>& from, std::uint32_t first, std::uint32_t last) {
    Bytes result = from[first];
    for (std::uint32_t id = first + 1; id <= last; ++id)
        work.plan.combiner(result, from[id], result);
    return result;
}

inline std::string told(Network network, PortModel ports) {
    return "n=" + std::to_string(network.dim) + " " + std::string{name(work.plan.tree)} + " root " +
           std::to_string(index(work.plan.root)) + " ports " +
           std::to_string(static_cast<int>(ports)) + " bytes " +
           std::to_string(work.plan.total_bytes) + " packet " +
           std::to_string(work.plan.packet_bytes);
}

/// Steps until all nodes are done.
inline std::uint64_t steps_of(Rig& rig) {
    wire::ModelTime last = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).done, 1u) << "node " << id;
        EXPECT_EQ(rig.report(id).status, 0u) << "node " << id;
        last = std::max(last, rig.report(id).finish_time);
    }
    return last / kUnit;
}

/// Runs `work` on fresh buffers and checks the result of every node.
inline std::uint64_t run_and_check(Network network, PortModel ports, unsigned seed = 1,
                                   const Noise& noise = {}) {
    const std::uint32_t nodes = node_count(network);
    fill_work(nodes, seed);
    const std::deque<Bytes> before = work.buffers;
    Rig rig{network, works, kPool, seed};
    rig.noise = noise;
    rig.shuffle = noise.drop > 0;
    rig.run({.ports = ports});
    const std::uint64_t steps = steps_of(rig);
    for (std::uint32_t id = 0; id < nodes; ++id) {
        if (work.what == What::reduce && id != index(work.plan.root))
            continue;
        const std::uint32_t last = work.what == What::scan ? id : nodes - 1;
        Bytes right;
        if (work.what == What::scan && work.exclusive)
            right = id == 0 ? before[0] : folded(before, 0, id - 1);
        else
            right = folded(before, 0, last);
        EXPECT_EQ(work.buffers[id], right)
            << "node " << id << ", " << told(network, ports) << ", seed " << seed;
    }
    for (std::uint32_t id = 0; id < nodes; ++id)
        EXPECT_EQ(rig.kernel(id).pool().used(), kNodesOwn) << "buffers kept at node " << id;
    return steps;
}

inline ReducePlan words_plan(Rule tree, std::uint32_t root, std::uint32_t packets) {
    return {.tree = tree,
            .root = node_at(root),
            .total_bytes = packets * 8 - 4, // the last one short
            .packet_bytes = 10,             // two words and a segment that stays empty
            .tag = 9,
            .combiner = *combiner(Operator::sum, ElementType::u32)};
}

} // namespace mesh::test
