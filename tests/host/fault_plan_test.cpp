// The fault list: entries that it accepts, entries that it refuses, and that a seed repeats its
// draws.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/plan/fault_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace mesh::host {
namespace fault_plan_test {

constexpr Network kCube{Topology::cube, 4};

FaultPlan plan(std::string_view text, std::uint64_t seed = 1, std::uint64_t packets = 1000) {
    return plan_faults(parse_faults(text, kCube), kCube, node_at(0), packets, seed);
}

TEST(FaultPlan, ReadsEveryKindWithItsMoment) {
    const FaultPlan faults =
        plan("drop:0.25, corrupt:1,dup:0,reorder:.5,delay:300,cut:3/1@40,cut:2>0,kill:5,hang:6@7");
    ASSERT_EQ(faults.incidents.size(), 9u);
    EXPECT_EQ(faults.incidents.back().after, 40u) << "in the order in which they happen";
    EXPECT_EQ(faults.incidents[7].kind, fault_named("hang"));
    EXPECT_EQ(faults.incidents[7].after, 7u);
    EXPECT_DOUBLE_EQ(faults.incidents[0].amount, 0.25);
    EXPECT_DOUBLE_EQ(faults.incidents[4].amount, 300);
    EXPECT_TRUE(faults.incidents[5].one_way);
    EXPECT_FALSE(faults.incidents.back().one_way);
}

TEST(FaultPlan, TakesALinkOfOneDirectionFromEitherEnd) {
    constexpr Network kUhc{Topology::uhc, 4}; // 0 sends to 4 by port 2
    for (const char* text : {"cut:0/2", "cut:4/2"}) {
        const auto faults = plan_faults(parse_faults(text, kUhc), kUhc, node_at(0), 10, 1);
        ASSERT_EQ(faults.incidents.size(), 1u);
        EXPECT_EQ(faults.incidents[0].node, node_at(0)) << text;
        EXPECT_EQ(faults.incidents[0].port, port_at(2)) << text;
    }
    EXPECT_THROW(parse_faults("cut:4>2", kUhc), UsageError);
    const auto all = plan_faults(parse_faults("cutdim:1", kUhc), kUhc, node_at(0), 10, 1);
    EXPECT_EQ(all.incidents.size(), 8u);
}

TEST(FaultPlan, RefusesWhatItCannotDo) {
    for (const char* text : {"drop",
                             "drop:",
                             "drop:1.5",
                             "drop:-0.1",
                             "drop:x",
                             "drop:nan",
                             "melt:1",
                             "cut:16/0",
                             "cut:0/4",
                             "cut:0",
                             "cut:0/0 x2",
                             "kill:16",
                             "kill:-1",
                             "kill:1@",
                             "kill:1@x",
                             "kill:random x0",
                             "kill:random x",
                             "kill:random x16",
                             "cut:random x33",
                             "cutdim:4",
                             "hang:",
                             "delay:-1",
                             "delay:1e9",
                             "@no/such/file",
                             "mend:0/0@5",
                             "mend:random",
                             "cut:0/0@9,mend:0/0@8",
                             "cut:0/0,mend:0>0@8",
                             "cut:0/0,mend:1/1@8",
                             "cut:0/0,mend:0/0@8,mend:1/0@9",
                             "cut:random x2,mend:random x3",
                             "restart:16",
                             "restart:0/1",
                             "kill:1@99999999999999999999"})
        EXPECT_THROW(plan(text), UsageError) << text;
}

TEST(FaultPlan, ACutDimensionCutsEveryCableOfItOnce) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> cables;
    for (const Incident& incident : plan("cutdim:2").incidents) {
        EXPECT_EQ(index(incident.port), 2u);
        cables.emplace(index(incident.node) & ~4u, index(incident.node) | 4u);
    }
    EXPECT_EQ(cables.size(), 8u);
    EXPECT_EQ(plan("cutdim:2").incidents.size(), 8u);
}

TEST(FaultPlan, DrawsDifferentNodesAndSparesTheRoot) {
    std::set<std::uint32_t> nodes;
    for (const Incident& incident : plan("kill:random x15").incidents)
        nodes.insert(index(incident.node));
    EXPECT_EQ(nodes.size(), 15u);
    EXPECT_FALSE(nodes.contains(0));
}

TEST(FaultPlan, DrawsDifferentCables) {
    std::set<std::pair<std::uint32_t, unsigned>> cables;
    for (const Incident& incident : plan("cut:random x32").incidents)
        cables.emplace(
            std::min(index(incident.node), index(incident.node) ^ (1u << index(incident.port))),
            index(incident.port));
    EXPECT_EQ(cables.size(), 32u);
}

TEST(FaultPlan, DrawsMomentsWithinTheRun) {
    std::set<std::uint64_t> moments;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const FaultPlan faults = plan("cut:1/1@random", seed, 60);
        EXPECT_LT(faults.incidents.front().after, 60u);
        moments.insert(faults.incidents.front().after);
    }
    EXPECT_GT(moments.size(), 20u);
}

TEST(FaultPlan, TheSeedRepeatsThePlan) {
    const auto drawn = [](std::uint64_t seed) {
        std::vector<std::tuple<std::uint64_t, std::uint32_t, unsigned>> list;
        for (const Incident& incident : plan("cut:random@random x3,kill:random x2", seed).incidents)
            list.emplace_back(incident.after, index(incident.node), index(incident.port));
        return list;
    };
    EXPECT_EQ(drawn(5), drawn(5));
    EXPECT_NE(drawn(5), drawn(6));
}

TEST(FaultPlan, MendsWhatItHasCutFromEitherEndAndInAnyOrderOfTheWords) {
    for (const char* text : {"cut:2/1@40,mend:2/1@90", "mend:0/1@90,cut:2/1@40",
                             "cutdim:1@40,mend:2/1@90", "cut:2>1@40,mend:2/1@90"}) {
        const FaultPlan faults = plan(text);
        const Incident& last = faults.incidents.back();
        EXPECT_EQ(last.kind, fault_named("mend")) << text;
        EXPECT_EQ(last.after, 90u);
        EXPECT_EQ(index(last.node) & ~2u, 0u);
        EXPECT_EQ(last.port, port_at(1));
        EXPECT_FALSE(last.one_way);
    }
}

TEST(FaultPlan, MendsDrawnCablesAfterTheyWereCut) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        std::map<std::pair<std::uint32_t, unsigned>, std::uint64_t> cut;
        unsigned mended = 0;
        for (const Incident& incident :
             plan("cut:random@random x5,mend:random@random x5", seed).incidents) {
            const std::pair cable{index(incident.node), index(incident.port)};
            if (incident.kind == fault_named("cut")) {
                cut[cable] = incident.after;
                continue;
            }
            ++mended;
            ASSERT_TRUE(cut.contains(cable)) << "seed " << seed;
            EXPECT_GE(incident.after, cut[cable]);
            cut.erase(cable);
        }
        EXPECT_EQ(mended, 5u);
    }
}

TEST(FaultPlan, RestartsNodesAsItKillsThem) {
    const FaultPlan faults = plan("restart:3@7,restart:random@random x4");
    ASSERT_EQ(faults.incidents.size(), 5u);
    std::set<std::uint32_t> nodes;
    for (const Incident& incident : faults.incidents) {
        EXPECT_EQ(incident.kind, fault_named("restart"));
        nodes.insert(index(incident.node));
    }
    EXPECT_FALSE(nodes.contains(0)) << "the root is spared";
    EXPECT_GE(nodes.size(), 4u);
}

} // namespace fault_plan_test
} // namespace mesh::host
