// A barrier aligns the clocks of the nodes, whichever node comes last.
#include "collectives/barrier.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mesh::test {
namespace barrier_time_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
unsigned late = 0; // this node comes last
std::vector<wire::ModelTime> ended;

Process some_come_later(Kernel& node) {
    const std::uint32_t self = index(node.id());
    co_await node.sleep((self == late ? 9000 : self % 5) * kUnit);
    const Status status = co_await barrier(node);
    ended.push_back(node.now());
    co_return status;
}

TEST(Barrier, EndsAtOneModelTimeAtAllNodes) {
    for (const Network network :
         {Network{Topology::cube, 3}, Network{Topology::uhc, 3}, Network{Topology::star, 4}})
        for (const PortModel ports : {PortModel::all, PortModel::duplex})
            for (late = 0; late < node_count(network); late += 3) {
                if (ports == PortModel::duplex && network.topology != Topology::cube)
                    continue; // packets of different rounds wait for one port
                ended.clear();
                Rig rig{network, some_come_later};
                rig.run({.ports = ports});
                ASSERT_EQ(ended.size(), node_count(network));
                EXPECT_EQ(ended, std::vector(ended.size(), ended.front()))
                    << name(network.topology) << ", last: " << late;
                EXPECT_GE(ended.front(), (9000 + diameter(network)) * kUnit);
            }
}

} // namespace barrier_time_test
} // namespace mesh::test
