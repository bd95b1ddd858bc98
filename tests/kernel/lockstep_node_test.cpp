// A node in lockstep, seen by the loom: it acts on frames and grants only, and reports after each
// how many frames it has consumed and when its next timer is due.
#include "kernel/api/message.hpp"
#include "ops/parameters.hpp"
#include "ops/traffic.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

mesh::Process app_main_job(mesh::Kernel& kernel);

namespace mesh::test {
namespace lockstep_node_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
std::vector<std::string> story;

// Boots, gives the job and starts it, all in lockstep.
void start(Rig& rig, wire::Job job = {}) {
    job.op = job.op == wire::Op::none ? wire::Op::app : job.op;
    job.lockstep = 1;
    rig.boot();
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        rig.tell(id, wire::HostTag::job, wire::bytes_of(job));
    rig.settle();
    rig.started = true;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        rig.tell(id, wire::HostTag::start, {});
    rig.settle();
}

void grant(Rig& rig, std::uint32_t id, wire::ModelTime time) {
    std::vector<std::byte> frame(wire::kHeadBytes);
    wire::write_head({.kind = wire::Kind::grant, .port = kHostPort, .model_time = time},
                     wire::Mac{}, std::span{frame}.first<wire::kHeadBytes>());
    rig.board(id).deliver(frame);
    rig.settle();
}

const wire::LinkHeader& last_word(const Rig& rig, std::uint32_t id) {
    const auto at = std::find_if(rig.idle.rbegin(), rig.idle.rend(),
                                 [id](const auto& said) { return said.first == node_at(id); });
    static const wire::LinkHeader nothing{};
    return at == rig.idle.rend() ? nothing : at->second;
}

// Acts as the loom when no frame is on its way: grants the earliest timer to the nodes that it is
// due at.
bool grant_earliest(Rig& rig) {
    wire::ModelTime earliest = wire::kNever;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        earliest = std::min<wire::ModelTime>(earliest, last_word(rig, id).model_time);
    if (earliest == wire::kNever)
        return false;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        if (last_word(rig, id).model_time <= earliest)
            grant(rig, id, earliest);
    return true;
}

void run_to_rest(Rig& rig) {
    for (unsigned turn = 0; turn < 100'000; ++turn)
        if (!grant_earliest(rig))
            return;
    ADD_FAILURE() << "never comes to rest";
}

Process sleeps_twice(Kernel& node) {
    co_await node.sleep(5 * kUnit);
    story.push_back("a" + std::to_string(index(node.id())));
    co_await node.sleep(3 * kUnit);
    story.push_back("b" + std::to_string(index(node.id())));
    co_return Status::ok;
}

TEST(LockstepNode, IdleSaysWhatWasConsumedAndWhenTheNextTimerIsDue) {
    story.clear();
    Rig rig{{Topology::cube, 1}, sleeps_twice};
    start(rig);
    for (std::uint32_t id = 0; id < 2; ++id) {
        EXPECT_EQ(last_word(rig, id).refused, rig.kernel(id).counters()[Counter::frames_received]);
        EXPECT_EQ(last_word(rig, id).model_time, 5 * kUnit);
    }
    EXPECT_TRUE(story.empty());
    grant(rig, 0, 4 * kUnit);
    EXPECT_TRUE(story.empty()) << "a grant of an earlier time must not fire the timer";
    EXPECT_EQ(last_word(rig, 0).model_time, 5 * kUnit);
    grant(rig, 0, 5 * kUnit);
    EXPECT_EQ(story, (std::vector<std::string>{"a0"}));
    EXPECT_EQ(last_word(rig, 0).model_time, 8 * kUnit);
    EXPECT_EQ(last_word(rig, 1).model_time, 5 * kUnit);
    grant(rig, 0, 8 * kUnit);
    EXPECT_EQ(story, (std::vector<std::string>{"a0", "b0"}));
    EXPECT_EQ(last_word(rig, 0).model_time, wire::kNever);
    EXPECT_EQ(rig.report(0).finish_time, 8 * kUnit);
    EXPECT_EQ(rig.report(1).done, 0u);
}

constexpr std::array<std::byte, 2000> kSelfData{};

Process sends_to_itself(Kernel& node) {
    co_await node.sleep(5 * kUnit);
    static std::array<std::byte, kSelfData.size()> room;
    if (!node.spawn(send(node, node.id(), {.packet_bytes = 50}, kSelfData)))
        co_return Status::no_memory;
    const Received got = co_await receive(node, room, node.id());
    story.push_back(got.bytes == room.size() ? "all" : "some");
    co_return got.status;
}

TEST(LockstepNode, AMessageToItselfGoesThroughWithinOneGrant) {
    story.clear();
    Rig rig{{Topology::cube, 1}, sends_to_itself};
    start(rig);
    grant(rig, 0, 5 * kUnit);
    EXPECT_EQ(story, (std::vector<std::string>{"all"}));
    EXPECT_EQ(last_word(rig, 0).model_time, wire::kNever);
    const auto early = std::ranges::find_if(rig.idle, [](const auto& said) {
        return said.first == node_at(0) && said.second.model_time == 0;
    });
    EXPECT_EQ(early, rig.idle.end()) << "wants a time that has passed";
}

TEST(LockstepNode, SpeaksOnceForEachFrameThatItConsumedAndRealTimeChangesNothing) {
    Rig rig{{Topology::cube, 1}, sleeps_twice};
    start(rig);
    rig.idle.clear();
    for (unsigned turn = 0; turn < 5; ++turn) {
        rig.board(0).set_time(1'000'000u * (turn + 1));
        rig.settle();
    }
    EXPECT_TRUE(rig.idle.empty()) << "silent while nothing comes in";
    grant(rig, 0, 1);
    ASSERT_EQ(rig.idle.size(), 1u);
    EXPECT_EQ(rig.idle[0].second.refused, rig.kernel(0).counters()[Counter::frames_received]);
    EXPECT_EQ(rig.idle[0].second.model_time, 5 * kUnit);
}

Process sends_late(Kernel& node) {
    if (index(node.id()) == 1) {
        co_await node.receive({});
        story.push_back(std::to_string(node.now() / kUnit));
        co_return Status::ok;
    }
    co_await node.sleep(10 * kUnit);
    OutgoingPacket packet = co_await node.allocate(Rule::unicast);
    packet.header().destination = node_at(1);
    packet.resize(0);
    node.inject(std::move(packet));
    co_return Status::ok;
}

TEST(LockstepNode, ALostFrameIsDueAgainWhenItShouldHaveArrived) {
    story.clear();
    Rig rig{{Topology::cube, 1}, sends_late};
    unsigned data_frames = 0;
    rig.is_cut = [&](NodeId from, Port) {
        return rig.started && from == node_at(0) && data_frames++ < 3;
    };
    start(rig);
    EXPECT_EQ(last_word(rig, 0).model_time, 10 * kUnit);
    for (unsigned lost = 0; lost < 3; ++lost) {
        ASSERT_TRUE(grant_earliest(rig));
        EXPECT_TRUE(story.empty());
        EXPECT_EQ(last_word(rig, 0).model_time, 11 * kUnit) << "tau later";
    }
    ASSERT_TRUE(grant_earliest(rig));
    EXPECT_EQ(story, (std::vector<std::string>{"11"})); // as if nothing had been lost
    EXPECT_EQ(last_word(rig, 0).model_time, wire::kNever);
    EXPECT_EQ(rig.total(Counter::retransmissions), 3u);
}

TEST(LockstepNode, ACutCableIsDeadAfterTheMostRetriesAndTheMeshComesToRest) {
    Rig rig{{Topology::cube, 1}, sends_late};
    rig.is_cut = [&](NodeId, Port) { return rig.started; };
    start(rig);
    run_to_rest(rig);
    EXPECT_EQ(rig.report(0).dead_ports, 1u);
    EXPECT_EQ(rig.total(Counter::retransmissions), limits::kRetriesMax);
    EXPECT_EQ(rig.total(Counter::drop_dead_link), 1u);
    EXPECT_EQ(rig.report(1).done, 0u);
}

// Model time as node `id` knows it.
wire::ModelTime time_of(Rig& rig, std::uint32_t id) { return rig.kernel(id).deadline_in(0); }

Process waits_for_nothing(Kernel& node) {
    std::byte byte{};
    if (index(node.id()) == 1)
        co_return (co_await receive(node, std::span(&byte, 1), NodeId{0}, 2)).status;
    co_await node.receive({.tag = 999}); // it does not end
    co_return Status::ok;
}

TEST(LockstepNode, QuestionsLeaveWhenAllIsAtRestAndMoveNoTime) {
    Rig rig{{Topology::cube, 1}, waits_for_nothing};
    start(rig);
    for (unsigned question = 0; question < limits::kAsksMax; ++question) {
        EXPECT_EQ(last_word(rig, 1).model_time, wire::kAtRest) << "question " << question;
        EXPECT_EQ(last_word(rig, 0).model_time, wire::kNever);
        ASSERT_TRUE(grant_earliest(rig));
        EXPECT_EQ(time_of(rig, 1), 0u);
    }
    EXPECT_EQ(last_word(rig, 1).model_time, wire::kNever) << "it has asked often enough";
    EXPECT_EQ(rig.report(1).done, 0u);
}

constexpr unsigned kWaitsInVain = 50;

Process waits_in_vain(Kernel& node) {
    std::byte byte{};
    for (unsigned wait = 0; index(node.id()) == 0 && wait < kWaitsInVain; ++wait) {
        const Received got = co_await receive(node, std::span(&byte, 1), NodeId{3}, 2);
        node.result().received_messages += got.status == Status::unreachable ? 1 : 0;
    }
    co_return Status::ok;
}

TEST(LockstepNode, ModelTimeHasRoomForAnyNumberOfWaitsInVain) {
    Rig rig{{Topology::cube, 2}, waits_in_vain};
    rig.is_cut = [&](NodeId from, Port port) {
        return rig.started && (index(from) == 3 || (index(from) ^ (1u << index(port))) == 3);
    };
    start(rig);
    run_to_rest(rig);
    EXPECT_EQ(rig.report(0).received_messages, kWaitsInVain);
    EXPECT_EQ(rig.report(0).done, 1u);
    EXPECT_LT(time_of(rig, 0), 1000 * kUnit);
}

Process offers_what_nobody_wants(Kernel& node) {
    std::byte byte{};
    Status status = Status::ok;
    if (index(node.id()) == 1) // the dead one tells nothing, and node 1 goes on waiting
        status = (co_await receive(node, std::span(&byte, 1), NodeId{0}, 2)).status;
    if (index(node.id()) == 2)
        co_return co_await send(node, NodeId{1}, {.tag = 7}, {});
    co_await node.receive({.tag = 999}); // nobody ends
    co_return status;
}

TEST(LockstepNode, WhoWaitsForEachOtherComeToRestOnADetourToo) {
    for (const unsigned dead : {0u, 3u}) {
        Rig rig{{Topology::cube, 2}, offers_what_nobody_wants};
        rig.is_cut = [&](NodeId from, Port port) {
            return rig.started &&
                   (index(from) == dead || (index(from) ^ (1u << index(port))) == dead);
        };
        start(rig);
        run_to_rest(rig);
        EXPECT_EQ(rig.report(2).done, 0u) << "beside node " << dead;
        EXPECT_LT(time_of(rig, 2), 1000 * kUnit) << "beside node " << dead;
    }
}

constexpr unsigned kTurnsMost = 10'000;

Process looks_again_and_again(Kernel& node) {
    std::byte byte{};
    if (index(node.id()) == 0)
        co_return co_await send(node, NodeId{1}, {.tag = 5}, {});
    unsigned turns = 0;
    for (; !node.has({.service = Service::message, .tag = 5}) && turns < kTurnsMost; ++turns)
        co_await node.yield();
    node.result().received_packets = turns;
    co_return (co_await receive(node, std::span(&byte, 1), kAnySource, 5)).status;
}

TEST(LockstepNode, ALoopThatGivesWaySeesWhatComes) {
    Rig rig{{Topology::cube, 1}, looks_again_and_again};
    start(rig);
    run_to_rest(rig);
    EXPECT_EQ(rig.report(1).done, 1u);
    EXPECT_LT(rig.report(1).received_packets, 10u);
}

Process sleeps_for_ever(Kernel& node) {
    co_await node.sleep(5 * kUnit);
    co_await node.sleep(wire::kNever - 1);
    co_return Status::ok;
}

TEST(LockstepNode, AProcessThatSleepsForEverSetsNoTimer) {
    Rig rig{{Topology::cube, 0}, sleeps_for_ever};
    start(rig);
    grant(rig, 0, 5 * kUnit);
    EXPECT_EQ(last_word(rig, 0).model_time, wire::kNever);
    EXPECT_EQ(rig.report(0).done, 0u);
}

Process gives_way(Kernel& node) {
    for (unsigned turn = 0; turn < 3; ++turn) {
        story.push_back(std::to_string(turn));
        co_await node.yield();
    }
    co_return Status::ok;
}

TEST(LockstepNode, AProcessThatGivesWayGoesOnOnceForEachTurn) {
    story.clear();
    Rig rig{{Topology::cube, 0}, gives_way};
    start(rig);
    for (const wire::ModelTime order : {wire::kNextTurn, wire::kAtRest, wire::kNextTurn}) {
        EXPECT_EQ(last_word(rig, 0).model_time, wire::kNextTurn);
        grant(rig, 0, order);
    }
    EXPECT_EQ(story, (std::vector<std::string>{"0", "1", "2"}));
    EXPECT_EQ(rig.report(0).done, 1u);
    EXPECT_EQ(time_of(rig, 0), 0u);
}

// Random traffic with noise, run twice with the same seed.
std::vector<std::uint32_t> hashes(unsigned seed, std::size_t buffers, wire::ModelTime& finish) {
    const Network network{Topology::cube, 3};
    Rig rig{network, app_main_job, buffers, seed};
    rig.noise = {.drop = 0.1, .corrupt = 0.1, .twice = 0.05, .swap = 0.0};
    std::vector<std::uint32_t> hash;
    wire::Job job{.op = wire::Op::send,
                  .lockstep = 1,
                  .message_bytes = 700,
                  .packet_bytes = 100,
                  .seed = seed};
    constexpr std::uint32_t kMessages = 5;
    std::map<std::uint32_t, std::uint32_t> expected;
    for (std::uint32_t id = 0; id < 8; ++id)
        for (std::uint32_t k = 0; k < kMessages; ++k)
            ++expected[index(traffic_target(8, seed, node_at(id), k))];
    rig.boot();
    for (std::uint32_t id = 0; id < 8; ++id) {
        set_parameters(job, SendParameters{kRandomTarget, kMessages, expected[id]});
        rig.tell(id, wire::HostTag::job, wire::bytes_of(job));
    }
    rig.settle();
    for (std::uint32_t id = 0; id < 8; ++id)
        rig.tell(id, wire::HostTag::start, {});
    rig.settle();
    run_to_rest(rig);
    finish = 0;
    for (std::uint32_t id = 0; id < 8; ++id) {
        const wire::NodeReport report = rig.report(id);
        EXPECT_EQ(report.done, 1u) << "node " << id << ", seed " << seed;
        EXPECT_EQ(report.status, 0u) << "node " << id << ", seed " << seed;
        EXPECT_EQ(report.received_messages, expected[id]);
        finish = std::max(finish, report.finish_time);
        hash.push_back(report.delivery_hash);
    }
    return hash;
}

TEST(LockstepNode, NoisyRandomTrafficEndsAndTheSameSeedGivesTheSameRun) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        wire::ModelTime finish = 0, again = 0;
        const auto first = hashes(seed, 30, finish);
        EXPECT_EQ(first, hashes(seed, 30, again)) << "seed " << seed;
        EXPECT_EQ(finish, again) << "seed " << seed;
        EXPECT_GT(finish, 0u);
    }
}

/// Steps of a broadcast over msbt with one transceiver, in which nodes wait for their turn.
wire::ModelTime steps_by_timetable(std::uint32_t packet_bytes) {
    constexpr std::uint32_t kPackets = 7;
    Rig rig{{Topology::cube, 3}, app_main_job};
    start(rig, {.op = wire::Op::bcast,
                .rule = Rule::msbt,
                .ports = PortModel::half,
                .root = 5,
                .message_bytes = kPackets * packet_bytes,
                .packet_bytes = packet_bytes});
    run_to_rest(rig);
    wire::ModelTime last = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).received_bytes, kPackets * packet_bytes) << "node " << id;
        EXPECT_EQ(rig.report(id).crc, rig.report(0).crc);
        last = std::max(last, rig.report(id).finish_time);
    }
    return last / kUnit;
}

TEST(LockstepNode, AnExternalPacketInPartsKeepsTheAppointmentOfItsFirst) {
    EXPECT_EQ(steps_by_timetable(3000), steps_by_timetable(1000));
}

} // namespace lockstep_node_test
} // namespace mesh::test
