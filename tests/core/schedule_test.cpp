// The corrected formulas equal what the step simulator measures when the source keeps its interval
// and every other node simply forwards.
#include "claim_check.hpp"
#include "step_simulator.hpp"

#include "core/formulas.hpp"
#include "core/schedule.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mesh {
namespace {

constexpr PortModel kModels[] = {PortModel::all, PortModel::duplex, PortModel::half};

StepSimulator::Outcome measure(Network network, Rule rule, PortModel ports, NodeId root,
                               std::uint64_t packets) {
    return StepSimulator(network, rule, ports, root)
        .broadcast(packets, broadcast_interval(network, rule, ports));
}

void expect_formula(Network cube, Rule rule, PortModel ports, NodeId root, std::uint64_t packets) {
    const auto formula = broadcast_formula(cube, rule, ports, packets);
    ASSERT_TRUE(formula.has_value());
    const StepSimulator::Outcome measured = measure(cube, rule, ports, root, packets);
    SCOPED_TRACE(std::string(name(rule)) + " n=" + std::to_string(cube.dim) + " model " +
                 std::to_string(static_cast<int>(ports)) + " P=" + std::to_string(packets));
    EXPECT_TRUE(measured.complete);
    EXPECT_EQ(measured.collisions, 0u);
    EXPECT_EQ(measured.steps, formula->steps);
}

TEST(Schedule, BroadcastTakesTheFormulasSteps) {
    for (const Network cube : claims::networks(Topology::cube, 1, 10)) {
        for (const Rule rule : {Rule::sbt, Rule::bs, Rule::hp}) {
            for (const PortModel ports : kModels) {
                for (std::uint64_t packets = 1; packets <= 3u * cube.dim + 2u; ++packets)
                    expect_formula(cube, rule, ports, node_at(0), packets);
            }
        }
    }
}

TEST(Schedule, BroadcastTakesTheSameStepsFromAnyRoot) {
    for (const Network cube : claims::networks(Topology::cube, 1, 5)) {
        for (const Rule rule : {Rule::sbt, Rule::bs, Rule::hp}) {
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

// HJ86 tables as corrected, from the measured table: P = 1, 2, n, 2n, 2n+1.
TEST(Formulas, AgreeWithTheMeasuredTable) {
    struct Row {
        std::uint8_t dim;
        std::uint64_t hp_duplex[5];
        std::uint64_t sbt_duplex[5];
    };
    constexpr Row kRows[] = {{2, {3, 4, 4, 6, 7}, {2, 4, 4, 8, 10}},
                             {3, {7, 8, 9, 12, 13}, {3, 6, 9, 18, 21}},
                             {4, {15, 16, 18, 22, 23}, {4, 8, 16, 32, 36}},
                             {5, {31, 32, 35, 40, 41}, {5, 10, 25, 50, 55}},
                             {6, {63, 64, 68, 74, 75}, {6, 12, 36, 72, 78}},
                             {8, {255, 256, 262, 270, 271}, {8, 16, 64, 128, 136}}};
    for (const Row& row : kRows) {
        const Network cube{Topology::cube, row.dim};
        const std::uint64_t n = row.dim;
        const std::uint64_t packets[] = {1, 2, n, 2 * n, 2 * n + 1};
        for (std::size_t i = 0; i < 5; ++i) {
            EXPECT_EQ(broadcast_formula(cube, Rule::hp, PortModel::duplex, packets[i])->steps,
                      row.hp_duplex[i]);
            EXPECT_EQ(broadcast_formula(cube, Rule::sbt, PortModel::duplex, packets[i])->steps,
                      row.sbt_duplex[i]);
        }
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

} // namespace
} // namespace mesh
