// Steps of broadcasts on the UHC, played out, against the corrected figures.
#include "step_simulator.hpp"
#include "trees_simulator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

namespace mesh {
namespace uhc_steps_test {

Network uhc(unsigned dim) { return {Topology::uhc, static_cast<std::uint8_t>(dim)}; }

std::uint64_t steps(Network net, Rule rule, PortModel ports, std::uint32_t root,
                    std::uint32_t packets) {
    const auto outcome = StepSimulator(net, rule, ports, node_at(root)).broadcast(packets, 0);
    return outcome.complete ? outcome.steps : 0;
}

struct Row {
    std::vector<unsigned> all_ports; // n = 2, 4, .. 12
    std::vector<unsigned> one_port;
};

const std::map<Rule, Row> kTable{
    {Rule::bt1, {{3, 6, 9, 12, 15, 18}, {3, 6, 9, 12, 15, 18}}},
    {Rule::bt1_counted, {{3, 6, 9, 12, 15, 18}, {3, 6, 9, 12, 15, 18}}},
    {Rule::bt2, {{3, 5, 7, 9, 11, 13}, {3, 6, 9, 12, 15, 18}}},
    {Rule::bt3, {{3, 6, 7, 10, 13, 14}, {3, 6, 8, 11, 14, 16}}},
    {Rule::bts, {{3, 5, 7, 9, 11, 13}, {3, 6, 9, 12, 15, 18}}},
    {Rule::bt4, {{3, 6, 7, 9, 12, 15}, {3, 6, 8, 10, 13, 16}}},
};

TEST(UhcSteps, OnePacketTakesTheStepsOfTheTable) {
    for (const auto& [rule, row] : kTable) {
        for (unsigned entry = 0; entry < 6; ++entry) {
            const unsigned dim = 2 * entry + 2;
            for (const std::uint32_t root : {0u, 1u, (1u << dim) - 1u}) {
                EXPECT_EQ(steps(uhc(dim), rule, PortModel::all, root, 1), row.all_ports[entry])
                    << name(rule) << " dim " << dim << " root " << root;
                EXPECT_EQ(steps(uhc(dim), rule, PortModel::duplex, root, 1), row.one_port[entry])
                    << name(rule) << " dim " << dim << " root " << root;
            }
        }
    }
}

TEST(UhcSteps, Bt4TakesTenOnePortStepsASectionOfEight) {
    EXPECT_EQ(steps(uhc(14), Rule::bt4, PortModel::duplex, 0, 1), 18u);
    EXPECT_EQ(steps(uhc(16), Rule::bt4, PortModel::duplex, 1, 1), 20u);
}

// All ports: one packet a step follows. One port: a source with dim/2 children sends each packet
// dim/2 times.
TEST(UhcSteps, MorePacketsFollowAtThePaceOfThePortModel) {
    for (const auto& [rule, row] : kTable) {
        for (unsigned dim = 2; dim <= 6; dim += 2) {
            for (std::uint32_t packets = 2; packets <= 9; ++packets) {
                const unsigned entry = dim / 2 - 1;
                EXPECT_EQ(steps(uhc(dim), rule, PortModel::all, 5 % (1u << dim), packets),
                          row.all_ports[entry] - 1 + packets);
                EXPECT_EQ(steps(uhc(dim), rule, PortModel::duplex, 5 % (1u << dim), packets),
                          row.one_port[entry] + (packets - 1) * dim / 2)
                    << name(rule) << " dim " << dim << " packets " << packets;
            }
        }
    }
    EXPECT_EQ(steps(uhc(6), Rule::bt1, PortModel::duplex, 0, 8), 30u);
}

TEST(UhcSteps, OddDimensionsAddOneOrTwoInBothModels) {
    for (const Rule rule : {Rule::bt1, Rule::bt1_counted, Rule::bt2, Rule::bt3}) {
        for (unsigned dim = 3; dim <= 9; dim += 2) {
            const unsigned entry = (dim - 1) / 2 - 1;
            for (const std::uint32_t root : {0u, 1u, 6u, (1u << dim) - 1u}) {
                const unsigned extra = std::popcount(root) % 2 != 0 ? 2 : 1;
                EXPECT_EQ(steps(uhc(dim), rule, PortModel::all, root, 1),
                          kTable.at(rule).all_ports[entry] + extra);
                EXPECT_EQ(steps(uhc(dim), rule, PortModel::duplex, root, 1),
                          kTable.at(rule).one_port[entry] + extra)
                    << name(rule) << " dim " << dim << " root " << root;
            }
        }
    }
}

TEST(UhcSteps, BtsTakesThreeHalvesOfTheDimensionWithOnePort) {
    for (unsigned dim = 3; dim <= 11; dim += 2) {
        const auto even = steps(uhc(dim), Rule::bts, PortModel::duplex, 0, 1);
        const auto odd = steps(uhc(dim), Rule::bts, PortModel::duplex, 1, 1);
        EXPECT_EQ(std::max(even, odd), (3 * dim + 1) / 2) << "dim " << dim;
    }
}

// Blocks over f+1 of the trees each, all copies delivered: h - 1 + (f+1) * packets of a block.
TEST(UhcSteps, CopiesOverDisjointTreesCostOneBlockEach) {
    for (const Rule rule : {Rule::adst, Rule::ist}) {
        for (unsigned dim = 2; dim <= 8; dim += 2) {
            for (std::uint32_t copies = 1; copies <= dim / 2; ++copies) {
                for (std::uint32_t packets = 1; packets <= 3; ++packets) {
                    TreesSimulator simulator(uhc(dim), rule, node_at(1));
                    const std::vector<std::uint32_t> load(dim / 2, copies * packets);
                    EXPECT_EQ(simulator.broadcast(load),
                              height(uhc(dim), rule) - 1 + copies * packets)
                        << name(rule) << " dim " << dim << " copies " << copies;
                }
            }
        }
    }
}

} // namespace uhc_steps_test
} // namespace mesh
