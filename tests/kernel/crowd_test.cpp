// Crowds: many collectives at a time under one node, of one kind or of several, each under a tag
// and with a root of its own, in a small pool. All of them end, and each has the right data.
#include "call_sequence.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace mesh::test {
namespace crowd_test {

using namespace call_sequence;

constexpr std::array kPools{42u, 64u}; // 42: of netduinoplus2
constexpr unsigned kMost = 8;          // calls
constexpr std::size_t kArenaBytes = 1024 * 1024;
constexpr std::uint32_t kPacketBytes = 16, kBytes = 640, kBlockBytes = 40;

struct Collective {
    const char* name;
    Kind kind;
    std::uint32_t bytes = kBytes;
    Exchange what{};
};
constexpr std::array<Collective, 9> kAll{
    {{"broadcast", Kind::broadcast},
     {"reduce", Kind::reduce},
     {"allreduce", Kind::allreduce},
     {"scan", Kind::scan},
     {"scatter", Kind::exchange, kBlockBytes, Exchange::scatter},
     {"gather", Kind::exchange, kBlockBytes, Exchange::gather},
     {"allgather", Kind::exchange, kBlockBytes, Exchange::allgather},
     {"alltoall", Kind::exchange, kBlockBytes, Exchange::alltoall},
     {"barrier", Kind::barrier}}};

struct Plan {
    std::vector<Collective> calls; // in turn
    Tag first = 0;
    NodeId late = kNoNode; // it begins when the others wait for it
};
Plan plan;

Process runs(Kernel& node, unsigned number) {
    const Collective& one = plan.calls[number % plan.calls.size()];
    const auto tag = static_cast<Tag>(plan.first + number);
    const Step step{.kind = one.kind,
                    .tag = tag,
                    .root = node_at((tag * 5u + 1) % node.nodes()),
                    .bytes = one.bytes,
                    .packet_bytes = kPacketBytes,
                    .what = one.what,
                    .number = number};
    Lent memory;
    const Verdict verdict = co_await do_step(node, step, &memory);
    co_return verdict.status == Status::ok && !verdict.right ? Status::failed : verdict.status;
}

Process crowd(Kernel& node) {
    std::array<ProcessId, kMost> ids;
    const unsigned calls_at_a_time = limits::calls_at_a_time(node.pool().capacity());
    if (node.id() == plan.late)
        co_await node.sleep(5000 * wire::kTicksPerUnit);
    for (unsigned call = 0; call < calls_at_a_time; ++call)
        if (!node.spawn(runs(node, call), ids[call]))
            co_return Status::no_memory;
    Status status = Status::ok;
    for (const ProcessId id : std::span{ids}.first(calls_at_a_time)) {
        const Status one = co_await node.join(id);
        status = status == Status::ok ? one : status;
    }
    co_return status;
}

void expect_all_end(Network network, unsigned buffers, const std::string& what) {
    for (const Tag first : {Tag{0}, Tag{100}})
        for (const NodeId late : {kNoNode, node_at(0), node_at(1)}) {
            plan.first = first;
            plan.late = late;
            Rig rig{network, crowd, buffers, 1, kArenaBytes};
            rig.run({});
            for (std::uint32_t id = 0; id < rig.size(); ++id) {
                ASSERT_EQ(rig.report(id).done, 1u)
                    << name(network.topology) << ", " << what << ", tag " << first << ", late "
                    << index(late) << ", node " << id;
                ASSERT_EQ(rig.report(id).status, 0u)
                    << name(network.topology) << ", " << what << ", tag " << first << ", late "
                    << index(late) << ", node " << id;
                EXPECT_EQ(rig.kernel(id).mailbox().size(), 0u) << "left at node " << id;
            }
        }
}

constexpr std::array kNetworks{Network{Topology::cube, 3}, Network{Topology::uhc, 4},
                               Network{Topology::star, 3}};

TEST(Crowd, OfOneKindEnds) {
    for (const Network network : kNetworks)
        for (const unsigned buffers : kPools)
            for (const Collective& one : kAll) {
                plan = {.calls = {one}};
                expect_all_end(network, buffers, one.name);
            }
}

TEST(Crowd, OfSeveralKindsEnds) {
    for (const Network network : kNetworks) {
        plan = {.calls = {kAll.begin(), kAll.end()}};
        expect_all_end(network, kPools[0], "all");
        for (std::size_t one = 0; one < kAll.size(); ++one)
            for (std::size_t other = one + 1; other < kAll.size(); ++other) {
                plan = {.calls = {kAll[one], kAll[other]}};
                expect_all_end(network, kPools[0],
                               std::string{kAll[one].name} + " and " + kAll[other].name);
            }
    }
}

} // namespace crowd_test
} // namespace mesh::test
