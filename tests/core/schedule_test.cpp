// The corrected formulas equal what the step simulator measures when the source keeps its interval
// and every other node simply forwards.
#include "claim_check.hpp"
#include "step_simulator.hpp"
#include "tests/exhaustive.hpp"

#include "core/schedules/timetable.hpp"
#include "host-tools/mesh/ops/formulas.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

namespace mesh {
namespace schedule_test {

constexpr PortModel kModels[] = {PortModel::all, PortModel::duplex, PortModel::half};

constexpr Rule kRules[] = {Rule::sbt, Rule::bs, Rule::hp, Rule::tcbt, Rule::msbt};

StepSimulator::Outcome measure(Network network, Rule rule, PortModel ports, NodeId root,
                               std::uint32_t packets) {
    return StepSimulator(network, rule, ports, root)
        .broadcast(packets, broadcast_interval(network, rule, ports));
}

void expect_formula(Network cube, Rule rule, PortModel ports, NodeId root, std::uint32_t packets) {
    const auto formula = broadcast_formula(cube, rule, ports, packets);
    ASSERT_TRUE(formula.has_value());
    const StepSimulator::Outcome measured = measure(cube, rule, ports, root, packets);
    SCOPED_TRACE(std::string(name(rule)) + " n=" + std::to_string(cube.dim) + " model " +
                 std::to_string(static_cast<int>(ports)) + " P=" + std::to_string(packets));
    EXPECT_TRUE(measured.complete);
    EXPECT_EQ(measured.collisions, 0u);
    EXPECT_EQ(measured.steps, formula->steps);
}

/// 1..3n+2; in the two largest cubes those around a multiple of n.
std::vector<std::uint32_t> packet_counts(Network cube) {
    const std::uint32_t n = cube.dim;
    if (n > 8)
        return {1, 2, n - 1, n, n + 1, 2 * n, 2 * n + 1, 3 * n + 2};
    std::vector<std::uint32_t> counts(3 * n + 2);
    std::iota(counts.begin(), counts.end(), 1u);
    return counts;
}

TEST(Schedule, BroadcastTakesTheFormulasSteps) {
    for (const Network cube : claims::networks(Topology::cube, 1, test::exhaustive(5u, 10u))) {
        for (const Rule rule : kRules) {
            for (const PortModel ports : kModels) {
                for (const std::uint32_t packets : packet_counts(cube))
                    expect_formula(cube, rule, ports, node_at(0), packets);
            }
        }
    }
}

TEST(Schedule, BroadcastTakesTheSameStepsFromAnyRoot) {
    for (const Network cube : claims::networks(Topology::cube, 1, 5)) {
        for (const Rule rule : kRules) {
            for (const PortModel ports : kModels) {
                for (std::uint32_t root = 0; root < node_count(cube); ++root)
                    expect_formula(cube, rule, ports, node_at(root), cube.dim + 1u);
            }
        }
    }
}

TEST(Schedule, AStreamOnThePathCollidesUnderHalfWithoutTheInterval) {
    const Network cube{Topology::cube, 3};
    StepSimulator unpaced(cube, Rule::hp, PortModel::half, node_at(0));
    EXPECT_GT(unpaced.broadcast(5, 0).collisions, 0u);
}

// Found here: the paper gives msbt a common clock, but with one send and one receive at a time the
// order of the children alone keeps sends apart.
TEST(Schedule, MsbtUnderDuplexNeedsNoClock) {
    for (const Network cube : claims::networks(Topology::cube, 1, 10)) {
        for (const std::uint32_t packets : packet_counts(cube)) {
            StepSimulator free_running(cube, Rule::msbt, PortModel::duplex, node_at(0));
            free_running.ignore_clock();
            const StepSimulator::Outcome measured = free_running.broadcast(packets, 0);
            EXPECT_EQ(measured.collisions, 0u);
            EXPECT_EQ(measured.steps,
                      broadcast_formula(cube, Rule::msbt, PortModel::duplex, packets)->steps);
        }
    }
}

TEST(Schedule, MsbtUnderHalfCollidesWithoutTheClock) {
    StepSimulator free_running({Topology::cube, 4}, Rule::msbt, PortModel::half, node_at(0));
    free_running.ignore_clock();
    EXPECT_GT(free_running.broadcast(9, 0).collisions, 0u);
}

// HJ86 tables as corrected, from the measured table: P = 1, 2, n, 2n, 2n+1.
TEST(Formulas, AgreeWithTheMeasuredTable) {
    struct Row {
        std::uint8_t dim;
        std::uint64_t hp_duplex[5];
        std::uint64_t sbt_duplex[5];
        std::uint64_t tcbt_half[5];
        std::uint64_t tcbt_duplex[5];
        std::uint64_t msbt_half[5];
        std::uint64_t msbt_duplex[5];
        std::uint64_t msbt_all[5];
    };
    constexpr Row kRows[] = {{2,
                              {3, 4, 4, 6, 7},
                              {2, 4, 4, 8, 10},
                              {2, 4, 4, 8, 10},
                              {2, 4, 4, 8, 10},
                              {3, 5, 5, 9, 11},
                              {3, 4, 4, 6, 7},
                              {3, 3, 3, 4, 5}},
                             {3,
                              {7, 8, 9, 12, 13},
                              {3, 6, 9, 18, 21},
                              {4, 7, 10, 19, 22},
                              {4, 6, 8, 14, 16},
                              {4, 6, 8, 14, 16},
                              {4, 5, 6, 9, 10},
                              {4, 4, 4, 5, 6}},
                             {4,
                              {15, 16, 18, 22, 23},
                              {4, 8, 16, 32, 36},
                              {6, 9, 15, 27, 30},
                              {6, 8, 12, 20, 22},
                              {5, 7, 11, 19, 21},
                              {5, 6, 8, 12, 13},
                              {5, 5, 5, 6, 7}},
                             {5,
                              {31, 32, 35, 40, 41},
                              {5, 10, 25, 50, 55},
                              {8, 11, 20, 35, 38},
                              {8, 10, 16, 26, 28},
                              {6, 8, 14, 24, 26},
                              {6, 7, 10, 15, 16},
                              {6, 6, 6, 7, 8}},
                             {6,
                              {63, 64, 68, 74, 75},
                              {6, 12, 36, 72, 78},
                              {10, 13, 25, 43, 46},
                              {10, 12, 20, 32, 34},
                              {7, 9, 17, 29, 31},
                              {7, 8, 12, 18, 19},
                              {7, 7, 7, 8, 9}},
                             {8,
                              {255, 256, 262, 270, 271},
                              {8, 16, 64, 128, 136},
                              {14, 17, 35, 59, 62},
                              {14, 16, 28, 44, 46},
                              {9, 11, 23, 39, 41},
                              {9, 10, 16, 24, 25},
                              {9, 9, 9, 10, 11}}};
    const auto expect_row = [](Network cube, Rule rule, PortModel ports,
                               const std::uint64_t(&steps)[5]) {
        const std::uint64_t n = cube.dim;
        const std::uint64_t packets[] = {1, 2, n, 2 * n, 2 * n + 1};
        for (std::size_t i = 0; i < 5; ++i)
            EXPECT_EQ(broadcast_formula(cube, rule, ports, packets[i])->steps, steps[i]);
    };
    for (const Row& row : kRows) {
        const Network cube{Topology::cube, row.dim};
        expect_row(cube, Rule::hp, PortModel::duplex, row.hp_duplex);
        expect_row(cube, Rule::sbt, PortModel::duplex, row.sbt_duplex);
        expect_row(cube, Rule::tcbt, PortModel::half, row.tcbt_half);
        expect_row(cube, Rule::tcbt, PortModel::duplex, row.tcbt_duplex);
        expect_row(cube, Rule::msbt, PortModel::half, row.msbt_half);
        expect_row(cube, Rule::msbt, PortModel::duplex, row.msbt_duplex);
        expect_row(cube, Rule::msbt, PortModel::all, row.msbt_all);
    }
}

TEST(Formulas, TheTextNamesTheSymbols) {
    const Network cube{Topology::cube, 4};
    EXPECT_EQ(broadcast_formula(cube, Rule::sbt, PortModel::all, 7)->text, "P+n-1");
    EXPECT_EQ(broadcast_formula(cube, Rule::sbt, PortModel::half, 7)->text, "n*P");
    EXPECT_EQ(broadcast_formula(cube, Rule::hp, PortModel::half, 7)->text, "2P+N-3");
    EXPECT_EQ(broadcast_formula({Topology::cube, 1}, Rule::hp, PortModel::half, 7)->text, "P");
    EXPECT_FALSE(broadcast_formula(cube, Rule::unicast, PortModel::all, 7).has_value());
}

// A path of d links is the Hamiltonian path of d+1 nodes: the same relays, the same steps.
TEST(Formulas, AUnicastIsAStreamOverRelays) {
    for (const Network cube : claims::networks(Topology::cube, 1, 8)) {
        for (const PortModel ports : kModels) {
            const std::uint64_t links = node_count(cube) - 1u;
            EXPECT_EQ(unicast_formula(ports, links, 9).steps,
                      measure(cube, Rule::hp, ports, node_at(0), 9).steps);
            EXPECT_EQ(unicast_interval(ports, node_count(cube) - 1u),
                      broadcast_interval(cube, Rule::hp, ports));
        }
    }
    EXPECT_EQ(unicast_formula(PortModel::all, 0, 9).steps, 0u);
}

TEST(Formulas, ABarrierTakesOneExchangePerDimension) {
    EXPECT_EQ(barrier_formula({Topology::cube, 6}, PortModel::all).steps, 6u);
    EXPECT_EQ(barrier_formula({Topology::cube, 6}, PortModel::duplex).steps, 6u);
    EXPECT_EQ(barrier_formula({Topology::cube, 6}, PortModel::half).steps, 12u);
}

} // namespace schedule_test
} // namespace mesh
