// Sessions: a link that died comes back with its cable, a node that was reset joins again, and
// frames of the session before do no harm however late they come.
#include "collectives/broadcast.hpp"
#include "collectives/host_files.hpp"
#include "kernel/message.hpp"
#include "link_pair.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <vector>

namespace mesh::test {
namespace session_test {

// Two ends
// ---------------------------------------------------------------------------------------------

std::vector<std::uint32_t> numbers(const LinkEnd& end) {
    std::vector<std::uint32_t> all;
    for (const LinkEnd::Got& got : end.got)
        all.push_back(got.number);
    return all;
}

/// Lets the link of `end` die by silence.
void let_die(LinkPair& pair, unsigned end) {
    pair.cut[0] = pair.cut[1] = true;
    ASSERT_TRUE(pair.ends[end].offer(99));
    for (pair.settle(); !pair.ends[end].link.dead(); pair.settle())
        ASSERT_TRUE(pair.pass_time());
    pair.cut[0] = pair.cut[1] = false;
    while (PacketBuffer* buffer = pair.ends[end].link.take_undeliverable(pair.ends[end].context))
        pair.ends[end].pool().release(buffer);
}

void expect_both_carry(LinkPair& pair, std::uint32_t number) {
    for (LinkEnd& end : pair.ends) {
        ASSERT_TRUE(end.link.up());
        ASSERT_TRUE(end.offer(number));
        end.got.clear();
    }
    pair.settle();
    for (LinkEnd& end : pair.ends) {
        EXPECT_EQ(numbers(end), std::vector<std::uint32_t>{number});
        EXPECT_EQ(end.link.pending(), 0u);
    }
}

TEST(Session, ADeadLinkComesBackWhenItsPeerAnswers) {
    for (const bool lockstep : {false, true}) {
        LinkPair pair{1, 48, lockstep};
        for (std::uint32_t number = 1; number <= 5; ++number)
            ASSERT_TRUE(pair.ends[0].offer(number)); // so the session is not at its beginning
        pair.settle();
        let_die(pair, 0);
        pair.ends[0].link.say_hello();
        pair.settle();
        expect_both_carry(pair, 7);
    }
}

TEST(Session, BothEndsOfADeadLinkComeBackWhoeverAsksFirst) {
    for (unsigned first = 0; first < 2; ++first) {
        LinkPair pair{1};
        let_die(pair, 0);
        let_die(pair, 1);
        pair.ends[first].link.say_hello();
        pair.settle();
        expect_both_carry(pair, 7);
    }
}

TEST(Session, ADeadLinkStaysDeadWhileItHearsAndIsNotHeard) {
    LinkPair pair{1};
    let_die(pair, 0);
    let_die(pair, 1);
    pair.cut[1] = true; // of end 0 nothing arrives
    for (unsigned turn = 0; turn < 10; ++turn)
        for (LinkEnd& end : pair.ends) {
            end.link.say_hello();
            pair.settle();
        }
    EXPECT_TRUE(pair.ends[0].link.dead());
    EXPECT_TRUE(pair.ends[1].link.dead());
    pair.cut[1] = false;
    pair.ends[0].link.say_hello();
    pair.settle();
    expect_both_carry(pair, 7);
}

TEST(Session, WhatWasUnderWayAtItsEndIsGivenUpAndNothingElse) {
    LinkPair pair{1};
    for (std::uint32_t number = 1; number <= 6; ++number)
        ASSERT_TRUE(pair.ends[0].offer(number));
    pair.send(0, 2); // two are under way when the peer is reset
    pair.flying[1].clear();
    pair.ends[1].start(1);
    pair.ends[1].link.say_hello();
    pair.send(1);
    while (pair.arrive(0)) {
    }
    LinkEnd& end = pair.ends[0];
    EXPECT_TRUE(end.link.dead());
    std::uint32_t lost = 0;
    while (PacketBuffer* buffer = end.link.take_undeliverable(end.context)) {
        EXPECT_EQ(buffer->header.message, ++lost);
        end.pool().release(buffer);
    }
    EXPECT_EQ(lost, 6u);
    pair.settle();
    expect_both_carry(pair, 7);
    EXPECT_EQ(end.pool().used(), end.held());
}

TEST(Session, AFrameThatIsLateFromTheSessionBeforeIsDropped) {
    for (const bool peer_is_reset : {false, true}) {
        LinkPair pair{1};
        ASSERT_TRUE(pair.ends[0].offer(1));
        pair.send(0);
        const LinkFrame late = pair.flying[1].front(); // its number is that of a session's first
        pair.flying[1].clear();
        LinkEnd& reset = pair.ends[peer_is_reset ? 1 : 0];
        reset.start(1);
        reset.link.say_hello();
        for (unsigned turn = 0; turn < 3; ++turn) { // the link of the other end dies first
            pair.send(0);
            pair.send(1);
            while (pair.arrive(0) || pair.arrive(1)) {
            }
            LinkEnd& end = pair.ends[0];
            while (PacketBuffer* buffer = end.link.take_undeliverable(end.context))
                end.pool().release(buffer);
        }
        pair.settle();
        ASSERT_TRUE(pair.ends[0].link.up() && pair.ends[1].link.up());
        pair.flying[1].push_back(late);
        pair.settle();
        EXPECT_TRUE(pair.ends[1].got.empty());
        EXPECT_EQ(pair.ends[1].counters[Counter::drop_old_session], 1u);
        expect_both_carry(pair, 7);
    }
}

TEST(Session, AHelloThatIsLateFromTheLifeBeforeChangesNothing) {
    LinkPair pair{1};
    pair.ends[0].link.say_hello();
    pair.send(0);
    const LinkFrame late = pair.flying[1].front();
    pair.settle();
    pair.ends[0].start(1);
    pair.ends[0].link.say_hello();
    pair.settle();
    expect_both_carry(pair, 1);
    ASSERT_TRUE(pair.ends[1].offer(2));
    pair.flying[1].push_back(late);
    pair.settle();
    EXPECT_EQ(pair.ends[1].counters[Counter::drop_old_session], 1u);
    EXPECT_EQ(numbers(pair.ends[0]), (std::vector<std::uint32_t>{1, 2}));
    expect_both_carry(pair, 7);
}

TEST(Session, TwoSessionsWhoseEndsHaveTheSameNumbersTheOtherWayRoundAreNotOne) {
    LinkPair pair{1};
    for (LinkEnd& end : pair.ends)
        end.start(0); // they have not met
    pair.ends[0].link.say_hello();
    pair.send(0);
    const LinkFrame late_hello = pair.flying[1].front();
    pair.flying[1].clear();
    pair.ends[0].start(1);
    pair.ends[0].link.say_hello();
    pair.settle();
    ASSERT_TRUE(pair.ends[0].link.up());
    ASSERT_TRUE(pair.ends[0].offer(1));
    pair.send(0);
    const LinkFrame late =
        pair.flying[1].front(); // from an end in its second life to one in its first
    pair.flying[1].clear();
    pair.ends[1].start(1);
    pair.flying[1] = {late_hello, late}; // it takes the peer for one in its first life
    while (pair.arrive(1)) {
    }
    EXPECT_TRUE(pair.ends[1].got.empty());
    EXPECT_EQ(pair.ends[1].counters[Counter::drop_old_session], 1u);
}

TEST(Session, AnAnswerToThePeerDoesNotTakeThePlaceOfAQuestion) {
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    end.link.say_hello();
    end.link.answer_hello(end.context);
    LinkFrame frame;
    ASSERT_TRUE(end.next(frame));
    EXPECT_EQ(frame.header.kind, wire::Kind::hello);
}

TEST(Session, AnEndThatForgetsItsNumberGoesOnFromTheOneThatItsPeerRemembers) {
    LinkPair pair{1};
    let_die(pair, 0); // now its number is 1
    pair.ends[0].link.say_hello();
    pair.settle();
    pair.ends[0].start(0); // it cannot count how often it was started
    for (unsigned turn = 0; turn < 4; ++turn) {
        pair.ends[0].link.say_hello();
        pair.settle();
    }
    expect_both_carry(pair, 7);
}

TEST(Session, ThatBeganWithAnEndThatHadForgottenItsNumberEndsWhenThePeerNamesALaterOne) {
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    constexpr wire::LinkHeader late{.kind = wire::Kind::hello, .free_buffers = 16};
    end.link.on_hello(end.context, late);
    EXPECT_FALSE(end.link.up()) << "the peer counts with an end of number 16, and this is 0";
    for (unsigned turn = 0; turn < 4; ++turn) {
        end.link.say_hello();
        pair.settle();
    }
    expect_both_carry(pair, 7);
}

TEST(Session, BeginsAnewOnlyWhenWhatTheDeadLinkKeptWasTaken) {
    for (const bool in_flight : {false, true}) {
        LinkPair pair{1};
        LinkEnd& end = pair.ends[0];
        ASSERT_TRUE(end.offer(1));
        LinkFrame frame;
        if (in_flight)
            ASSERT_TRUE(end.next(frame));
        end.link.give_up(end.context);
        const auto ask = [&] {
            end.link.say_hello();
            pair.settle();
        };
        for (unsigned turn = 0; turn < 4; ++turn)
            ask();
        EXPECT_TRUE(end.link.dead()) << "a packet of the session before is still there";
        end.pool().release(end.link.take_undeliverable(end.context));
        for (unsigned turn = 0; turn < 4; ++turn)
            ask();
        expect_both_carry(pair, 7);
    }
}

TEST(Session, OverABadCableItBeginsAllTheSame) {
    for (unsigned seed = 1; seed <= 100; ++seed) {
        LinkPair pair{seed};
        pair.faults = {.drop = 0.3, .twice = 0.2, .swap = 0.3};
        unsigned starts[2] = {};
        for (unsigned life = 0; life < 20; ++life) {
            const unsigned who = pair.below(2);
            if (pair.chance(0.5)) {
                pair.ends[who].start(++starts[who]);
            } else {
                pair.faults = {};
                let_die(pair, who);
                pair.faults = {.drop = 0.3, .twice = 0.2, .swap = 0.3};
            }
            for (unsigned turn = 0; turn < 1000; ++turn) {
                for (LinkEnd& end : pair.ends) {
                    while (PacketBuffer* buffer = end.link.take_undeliverable(end.context))
                        end.pool().release(buffer);
                    if (!end.link.up())
                        end.link.say_hello();
                }
                pair.settle();
                if (pair.ends[0].link.up() && pair.ends[1].link.up() && pair.flying[0].empty() &&
                    pair.flying[1].empty())
                    break;
            }
            const bool up = pair.ends[0].link.up() && pair.ends[1].link.up();
            ASSERT_TRUE(up) << "seed " << seed << " life " << life;
        }
        pair.faults = {};
        for (unsigned turn = 0; turn < 4; ++turn) { // they may differ on the last word
            for (LinkEnd& end : pair.ends)
                end.link.say_hello();
            pair.settle();
        }
        expect_both_carry(pair, 7);
        if (testing::Test::HasFailure())
            return;
    }
}

// A mesh
// -----------------------------------------------------------------------------------------------

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

/// Takes what came of words that were said before.
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
    EXPECT_EQ(rig.kernel(0).scheduler().join(sender), Status::unreachable);
    EXPECT_EQ(rig.kernel(3).pool().used(), 2u);
}

// Data of the host
// -----------------------------------------------------------------------------------------------

Process reads_the_input(Kernel& node) {
    const auto out = node.workspace().first(4);
    const Status status = co_await read_input(node, 0, out);
    co_return status == Status::ok&& out[3] == std::byte{4} ? Status::ok : Status::failed;
}

TEST(HostData, APieceThatIsLostIsAskedForAgain) {
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
    std::vector<std::byte> piece(sizeof(wire::Piece) + 4);
    wire::store(piece, 0, wire::Piece{0, 4});
    for (std::uint8_t at = 0; at < 4; ++at)
        piece[sizeof(wire::Piece) + at] = std::byte{static_cast<std::uint8_t>(at + 1)};
    rig.tell(0, wire::HostTag::piece, piece);
    rig.tell(0, wire::HostTag::piece, piece); // the first was only late
    rig.finish();
    EXPECT_EQ(rig.report(0).done, 1u);
    EXPECT_EQ(rig.report(0).status, 0u);
    EXPECT_EQ(pulls(), 2);
}

} // namespace session_test
} // namespace mesh::test
