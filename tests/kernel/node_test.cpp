// Whole nodes over noisy cables: jobs of the firmware's own job program.
#include "host-tools/mesh/ops/formulas.hpp"
#include "rig.hpp"
#include "wire/crc32.hpp"

#include <gtest/gtest.h>

#include <algorithm>

mesh::Process app_main_job(mesh::Kernel& kernel);

namespace mesh::test {
namespace node_test {

constexpr Noise kLoud{.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};

void expect_same_everywhere(Rig& rig, std::uint32_t root, std::uint32_t bytes) {
    const std::uint32_t crc = rig.report(root).crc;
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        const wire::NodeReport report = rig.report(id);
        EXPECT_EQ(report.done, 1u) << "node " << id;
        EXPECT_EQ(report.crc, crc) << "node " << id;
        EXPECT_EQ(report.received_bytes, bytes) << "node " << id;
        EXPECT_EQ(report.unacknowledged, 0u) << "node " << id;
    }
}

TEST(Node, BootFindsEveryNeighbourAndSaysSo) {
    Rig rig{{Topology::cube, 3}, app_main_job};
    rig.boot();
    ASSERT_EQ(rig.to_host.size(), 8u);
    for (const auto& frame : rig.to_host) {
        EXPECT_EQ(frame.tag, wire::HostTag::ready);
        EXPECT_EQ(wire::load<wire::Ready>(frame.payload, 0).ports_good, 7u);
    }
}

TEST(Node, BroadcastReachesEveryNodeOverNoisyCables) {
    for (const Rule tree : {Rule::sbt, Rule::bs, Rule::hp}) {
        Rig rig{{Topology::cube, 4}, app_main_job};
        rig.noise = kLoud;
        rig.run({.op = wire::Op::bcast, .rule = tree, .root = 5, .message_bytes = 20'000});
        expect_same_everywhere(rig, 5, 20'000);
        EXPECT_GE(rig.total(Counter::drop_crc), rig.corrupted * 9 / 10);
    }
}

TEST(Node, BroadcastTakesTheStepsOfTheFormula) {
    for (std::uint8_t dim = 1; dim <= 5; ++dim)
        for (const Rule tree : {Rule::sbt, Rule::bs, Rule::hp})
            for (const PortModel ports : {PortModel::all, PortModel::duplex, PortModel::half})
                for (std::uint32_t packets = 1; packets <= 3u * dim + 2; ++packets) {
                    Rig rig{{Topology::cube, dim}, app_main_job};
                    rig.run({.op = wire::Op::bcast,
                             .rule = tree,
                             .ports = ports,
                             .root = packets % node_count({Topology::cube, dim}),
                             .message_bytes = packets * 16,
                             .packet_bytes = 16});
                    wire::ModelTime last = 0;
                    for (std::uint32_t id = 0; id < rig.size(); ++id)
                        last = std::max(last, rig.report(id).finish_time);
                    EXPECT_EQ(last / wire::kTicksPerUnit,
                              broadcast_formula({Topology::cube, dim}, tree, ports, packets)->steps)
                        << name(tree) << " n=" << int{dim} << " P=" << packets;
                }
}

} // namespace node_test
} // namespace mesh::test
