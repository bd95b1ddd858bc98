// Sessions of a whole mesh: a node that was reset joins again, a cable that is mended carries
// again, and late frames from the life before do no harm.
#include "collectives/broadcast.hpp"
#include "collectives/host_files.hpp"
#include "kernel/api/message.hpp"
#include "rig.hpp"
#include "wire/relay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

namespace mesh::test {
namespace session_mesh_test {

constexpr Tag kWordTag = 77;
constexpr std::uint32_t kBytes = 3000;
std::map<std::uint32_t, std::vector<std::byte>> got; // by those who have all of the broadcast

std::byte byte_at(std::uint32_t position) { return static_cast<std::byte>(position * 7 + 1); }

Process take_a_broadcast(Kernel& node) {
    const auto buffer = node.workspace().first(kBytes);
    for (std::uint32_t at = 0; at < kBytes && node.id() == node_at(0); ++at)
        buffer[at] = byte_at(at);
    const BroadcastPlan plan{.total_bytes = kBytes, .packet_bytes = 200};
    const Status status = co_await broadcast(node, plan, buffer);
    if (status == Status::ok)
        got[index(node.id())] = {buffer.begin(), buffer.end()};
    co_return status;
}

Process nothing(Kernel&) { co_return Status::ok; }

Process say_to_all(Kernel& node) {
    for (std::uint32_t to = 0; to < node.nodes(); ++to) {
        if (node_at(to) == node.id())
            continue;
        OutgoingPacket packet = co_await node.allocate(Rule::unicast);
        packet.header().destination = node_at(to);
        packet.header().tag = kWordTag;
        packet.resize(16);
        node.inject(std::move(packet));
    }
    co_return Status::ok;
}

Process hear_from_all(Kernel& node, std::uint32_t* heard) {
    for (;; ++*heard)
        co_await node.receive({.tag = kWordTag});
}

/// Takes the packets of messages that were sent before.
void drop_words(Rig& rig) {
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        while (rig.kernel(id).has({.tag = kWordTag}))
            static_cast<void>(rig.kernel(id).take({.tag = kWordTag}));
}

/// All links carry: every node but `deaf` hears of every other one.
void expect_all_speak(Rig& rig, std::uint32_t deaf = ~0u) {
    std::vector<std::uint32_t> heard(rig.size());
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).dead_ports, 0u) << "node " << id;
        ASSERT_TRUE(rig.kernel(id).spawn(say_to_all(rig.kernel(id))));
        if (id == deaf)
            continue;
        ASSERT_TRUE(rig.kernel(id).spawn(hear_from_all(rig.kernel(id), &heard[id])));
    }
    rig.settle();
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        EXPECT_EQ(heard[id], id == deaf ? 0 : rig.size() - 1) << "node " << id;
}

TEST(SessionMesh, ANodeResetAtAnyMomentOfABroadcastForwardsAgainAndNobodyGetsWrongBytes) {
    constexpr std::uint32_t kNode = 2;
    std::uint64_t frames = 1;
    for (std::uint64_t moment = 0; moment < frames; moment += 1 + moment % 3) {
        got.clear();
        Rig rig{{Topology::cube, 3}, take_a_broadcast, 320, static_cast<unsigned>(moment)};
        rig.shuffle = true;
        rig.boot();
        for (std::uint32_t id = 0; id < rig.size(); ++id)
            rig.tell(id, wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
        rig.settle();
        const std::uint64_t before = rig.carried;
        for (std::uint32_t id = 0; id < rig.size(); ++id)
            rig.tell(id, wire::HostTag::start, {});
        if (moment == 0) { // how many are there?
            rig.finish();
            frames = rig.carried - before;
            EXPECT_EQ(got.size(), rig.size());
        } else {
            rig.pause_at = before + moment;
            rig.settle();
            rig.pause_at = ~std::uint64_t{0};
            rig.restart(kNode);
            rig.finish(20'000'000);
        }
        for (const auto& [node, bytes] : got)
            for (std::uint32_t at = 0; at < kBytes; ++at)
                ASSERT_EQ(bytes[at], byte_at(at)) << "node " << node << " moment " << moment;
        if (moment != 0)
            expect_all_speak(rig, kNode);
        if (testing::Test::HasFailure())
            FAIL() << "moment " << moment;
    }
    EXPECT_GT(frames, 50u);
}

TEST(SessionMesh, ACableThatIsMendedCarriesAgainInEveryNetwork) {
    for (const Network network :
         {Network{Topology::cube, 3}, Network{Topology::uhc, 4}, Network{Topology::star, 4}}) {
        for (std::uint32_t id = 0; id < node_count(network); ++id) {
            Rig rig{network, nothing};
            rig.run({});
            const NodeId node = node_at(id);
            const unsigned number =
                static_cast<unsigned>(std::countr_zero(out_ports(network, node)));
            const NodeId peer = neighbor(network, node, port_at(number));
            rig.is_cut = [&](NodeId from, Port port) {
                return port == port_at(number) && (from == node || from == peer);
            };
            ASSERT_TRUE(rig.kernel(id).spawn(say_to_all(rig.kernel(id))));
            rig.finish(20'000'000);
            EXPECT_EQ(rig.report(id).dead_ports, 1u << number);
            rig.is_cut = [](NodeId, Port) { return false; };
            rig.finish(40'000'000);
            drop_words(rig);
            expect_all_speak(rig);
            if (testing::Test::HasFailure())
                FAIL() << "network " << static_cast<int>(network.topology) << " node " << id;
        }
    }
}

TEST(SessionMesh, AnyNodeOfAnyNetworkCanBeReset) {
    for (const Network network :
         {Network{Topology::cube, 3}, Network{Topology::uhc, 4}, Network{Topology::star, 3}}) {
        for (std::uint32_t id = 0; id < node_count(network); ++id) {
            Rig rig{network, nothing};
            rig.run({});
            for (std::uint32_t from = 0; from < rig.size(); ++from) // links are past their start
                ASSERT_TRUE(rig.kernel(from).spawn(say_to_all(rig.kernel(from))));
            rig.settle();
            rig.restart(id, {.op = wire::Op::app}, true);
            rig.finish(20'000'000);
            drop_words(rig);
            expect_all_speak(rig);
            if (testing::Test::HasFailure())
                FAIL() << "network " << static_cast<int>(network.topology) << " node " << id;
        }
    }
}

TEST(SessionMesh, LateFramesOfANodesLastLifeAreDroppedAndCounted) {
    Rig rig{{Topology::cube, 2}, nothing};
    rig.run({});
    rig.is_late = [](NodeId from, Port, const wire::LinkHeader& header) {
        return from == node_at(1) && header.kind == wire::Kind::data;
    };
    ASSERT_TRUE(rig.kernel(1).spawn(say_to_all(rig.kernel(1))));
    rig.settle();
    const std::size_t late = rig.late();
    EXPECT_GE(late, 3u);
    rig.is_late = [](NodeId, Port, const wire::LinkHeader&) { return false; };
    rig.restart(1, {.op = wire::Op::app}, true);
    rig.settle();
    rig.bring_late();
    rig.settle();
    EXPECT_EQ(rig.total(Counter::drop_old_session), late);
    EXPECT_FALSE(rig.kernel(0).has({.tag = kWordTag}));
    expect_all_speak(rig);
}

// Power that comes back -----------------------------------------------------------------------

std::map<std::pair<std::uint32_t, std::uint32_t>, unsigned> heard_from; // receiver and sender
unsigned said_ok = 0;

Process hears_messages(Kernel& node) {
    std::array<std::byte, 40> data{};
    for (;;) {
        const Received received = co_await receive(node, data);
        if (received.status == Status::ok && received.bytes == data.size())
            ++heard_from[{index(node.id()), index(received.source)}];
    }
}

Process sends_to(Kernel& node, NodeId to) {
    const std::array<std::byte, 40> data{};
    const Status status = co_await send(node, to, {.packet_bytes = 16}, data);
    said_ok += status == Status::ok ? 1 : 0;
    co_return status;
}

/// Each of these nodes hears one message of every other node, and every other node one of each.
void expect_all_are_heard(Rig& rig, std::initializer_list<std::uint32_t> nodes) {
    heard_from.clear();
    said_ok = 0;
    unsigned sent = 0;
    const auto say = [&](std::uint32_t from, std::uint32_t to) {
        ASSERT_TRUE(rig.kernel(from).spawn(sends_to(rig.kernel(from), node_at(to))));
        ++sent;
    };
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        for (const std::uint32_t node : nodes)
            if (id != node) {
                say(id, node);
                say(node, id);
            }
    constexpr std::uint64_t kLongUs = 300'000'000;
    rig.finish(rig.board(0).now_us() + kLongUs);
    EXPECT_EQ(said_ok, sent) << name(rig.kernel(0).network().topology);
    unsigned heard = 0;
    for (const auto& [ends, messages] : heard_from)
        heard += messages;
    EXPECT_EQ(heard, sent);
}

TEST(SessionMesh, ANodeWhosePowerComesBackIsHeardByAllThoughItRemembersNothing) {
    for (const Network network : {Network{Topology::cube, 1}, Network{Topology::cube, 3},
                                  Network{Topology::uhc, 3}, Network{Topology::star, 3}}) {
        Rig rig{network, hears_messages};
        rig.run({});
        expect_all_are_heard(rig, {0});
        std::uint64_t moment = 0;
        for (unsigned time = 0; time < 40; ++time) {
            const std::uint32_t node = time % rig.size(), other = (node + 1) % rig.size();
            rig.cut_power(node, wire::birth_at(moment += 7919), {.op = wire::Op::app});
            if (time % 3 == 0)
                rig.cut_power(other, wire::birth_at(moment += 7919), {.op = wire::Op::app});
            rig.settle();
            expect_all_are_heard(rig, {node, other});
        }
    }
}

Process send_to_3(Kernel& node) {
    const std::array<std::byte, 10> data{};
    co_return co_await send(node, node_at(3), {}, data);
}

TEST(SessionMesh, ANodeWithoutAProgramTellsSendersThatNobodyTakesTheirMessages) {
    Rig rig{{Topology::cube, 2}, nothing};
    rig.run({});
    rig.restart(3);
    rig.settle();
    ProcessId sender;
    ASSERT_TRUE(rig.kernel(0).spawn(send_to_3(rig.kernel(0)), sender));
    rig.finish();
    ASSERT_TRUE(rig.kernel(0).scheduler().ended(sender));
    wire::ModelTime end = 0;
    EXPECT_EQ(rig.kernel(0).scheduler().join(sender, end), Status::unreachable);
    EXPECT_EQ(rig.kernel(3).pool().used(), 2u);
}

// Data of the host
// -----------------------------------------------------------------------------------------------

Process reads_the_input(Kernel& node) {
    const auto out = node.workspace().first(4);
    const Status status = co_await read_input(node, 0, out);
    co_return status == Status::ok&& out[3] == std::byte{4} ? Status::ok : Status::failed;
}

TEST(HostData, AChunkThatIsLostIsAskedForAgain) {
    Rig rig{{Topology::cube, 1}, reads_the_input};
    wire::Job job;
    job.input_bytes = 4;
    const auto pulls = [&rig] {
        return std::count_if(
            rig.to_host.begin(), rig.to_host.end(), [](const Rig::HostFrame& frame) {
                return frame.from == node_at(0) && frame.tag == wire::HostTag::pull;
            });
    };
    rig.boot();
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        rig.tell(id, wire::HostTag::job, wire::bytes_of(job));
    rig.tell(0, wire::HostTag::start, {});
    rig.settle();
    EXPECT_EQ(pulls(), 1);
    rig.finish(limits::kPullUs - 1);
    EXPECT_EQ(pulls(), 1);
    rig.finish(limits::kPullUs); // the answer, or the question, is lost
    EXPECT_EQ(pulls(), 2);
    std::vector<std::byte> chunk(sizeof(wire::Chunk) + 4);
    wire::store(chunk, 0, wire::Chunk{0, 4});
    for (std::uint8_t at = 0; at < 4; ++at)
        chunk[sizeof(wire::Chunk) + at] = std::byte{static_cast<std::uint8_t>(at + 1)};
    rig.tell(0, wire::HostTag::chunk, chunk);
    rig.tell(0, wire::HostTag::chunk, chunk); // the first was only late
    rig.finish();
    EXPECT_EQ(rig.report(0).done, 1u);
    EXPECT_EQ(rig.report(0).status, 0u);
    EXPECT_EQ(pulls(), 2);
}

} // namespace session_mesh_test
} // namespace mesh::test
