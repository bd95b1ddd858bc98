// Messages between ranks: in order, by whole packets, and what is told of a rank that is gone.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/engines/wait_bytes.hpp"
#include "host-tools/mesh/ranks/socket_uplink.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mesh;
using namespace mesh::host;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::milliseconds kEnough = 5min; // for what has been sent already

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// Rank 0 and others, in one process.
struct Ranks {
    explicit Ranks(
        unsigned count, std::chrono::milliseconds silence = 1h,
        const std::function<SocketUplink::Clock::time_point()>& now = SocketUplink::Clock::now) {
        std::vector<RankFacts> facts;
        for (unsigned rank = 0; rank < count; ++rank)
            facts.push_back({"host-" + std::to_string(rank), 2, rank == 0});
        std::vector<Fd> of_zero(count);
        for (unsigned rank = 1; rank < count; ++rank) {
            auto [one, other] = socket_pair(SOCK_STREAM);
            of_zero[rank] = std::move(one);
            std::vector<Fd> its(count);
            its[0] = std::move(other);
            others.push_back(
                std::make_unique<SocketUplink>(rank, facts, std::move(its), silence, now));
        }
        zero = std::make_unique<SocketUplink>(0, facts, std::move(of_zero), silence, now);
    }
    Uplink& other(unsigned rank) { return *others.at(rank - 1); }

    std::unique_ptr<Uplink> zero;
    std::vector<std::unique_ptr<Uplink>> others;
};

std::string error_of(Uplink& uplink, std::chrono::milliseconds timeout = kEnough) {
    try {
        while (wait_for(uplink, timeout)) {
        }
    } catch (const RunError& error) {
        return error.what();
    }
    return "none";
}

} // namespace

TEST(Uplink, MessagesComeInTheirOrderWithAllThatTheyHave) {
    Ranks ranks(2);
    ranks.zero->send(1, What::frame, NodeId{5}, bytes_of("first"));
    ranks.zero->send(1, What::look, NodeId{7}, {}, 2);
    ranks.zero->flush();
    auto told = wait_for(ranks.other(1), kEnough);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->from, 0u);
    EXPECT_EQ(told->message.what, What::frame);
    EXPECT_EQ(told->message.node, NodeId{5});
    EXPECT_EQ(text_of(told->message.bytes), "first");
    told = wait_for(ranks.other(1), kEnough);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->message.what, What::look);
    EXPECT_EQ(told->message.detail, 2u);
}

TEST(Uplink, NothingOfAPacketComesBeforeItIsWhole) {
    Ranks ranks(2);
    ranks.zero->send(1, What::frame, NodeId{1}, bytes_of("one"));
    EXPECT_FALSE(wait_for(ranks.other(1), 0ms));
    ranks.zero->send(1, What::frame, NodeId{1}, bytes_of("two"));
    EXPECT_FALSE(wait_for(ranks.other(1), 0ms));
    ranks.zero->flush();
    EXPECT_TRUE(wait_for(ranks.other(1), kEnough));
    EXPECT_TRUE(wait_for(ranks.other(1), kEnough));
    EXPECT_FALSE(wait_for(ranks.other(1), 0ms));
}

TEST(Uplink, MoreThanASocketTakesGoesOutByAndByAndRankZeroNeverWaits) {
    Ranks ranks(2);
    const std::string large(3u << 20, 'x');
    for (unsigned count = 0; count < 4; ++count)
        ranks.zero->send(1, What::frame, NodeId{count}, bytes_of(large));
    ranks.zero->flush(); // 12 MB, which nobody reads yet
    unsigned got = 0;
    for (unsigned turn = 0; turn < 100'000 && got < 4; ++turn) {
        unsigned from = 0;
        static_cast<void>(ranks.zero->next(from));
        while (const auto message = ranks.other(1).next(from)) {
            EXPECT_EQ(message->node, node_at(got++));
            EXPECT_EQ(message->bytes.size(), large.size());
        }
    }
    EXPECT_EQ(got, 4u);
}

TEST(Uplink, ARankOtherThanZeroWaitsUntilRankZeroHasReadEnough) {
    Ranks ranks(2);
    const std::string large(9u << 20, 'x');
    std::atomic<bool> read = false;
    std::thread other([&] {
        ranks.other(1).send(0, What::words, NodeId{1}, bytes_of(large), 0);
        while (!read)
            ranks.other(1).flush();
    });
    const auto told = wait_for(*ranks.zero, kEnough);
    read = true;
    other.join();
    ASSERT_TRUE(told);
    EXPECT_EQ(told->message.bytes.size(), large.size());
}

TEST(Uplink, ARankThatIsGoneIsNamedWithItsHostAfterItsLastMessage) {
    Ranks ranks(3);
    ranks.other(2).send(0, What::words, NodeId{2}, bytes_of("the end"), 0);
    ranks.other(2).flush();
    ranks.others.pop_back();
    const auto told = wait_for(*ranks.zero, kEnough);
    ASSERT_TRUE(told);
    EXPECT_EQ(text_of(told->message.bytes), "the end");
    EXPECT_EQ(error_of(*ranks.zero), "rank 2 on host host-2 is gone");
}

TEST(Uplink, ARankThatSaysNothingIsGivenUpAndOneThatLivesIsNot) {
    SocketUplink::Clock::time_point now;
    Ranks ranks(3, 8min, [&now] { return now; });
    std::string error = "none";
    unsigned minutes = 0;
    for (; error == "none" && minutes < 20; ++minutes, now += 1min) {
        ranks.other(1).flush(); // says that it lives, now and then
        error = error_of(*ranks.zero, 0ms);
    }
    EXPECT_EQ(error, "rank 2 on host host-2 has said nothing for 480 s");
    EXPECT_EQ(minutes, 10u);
}

TEST(Uplink, BytesWithoutSenseAreRefused) {
    auto [one, other] = socket_pair(SOCK_STREAM);
    std::vector<Fd> sockets(2);
    sockets[1] = std::move(one);
    SocketUplink uplink(0, {{"a"}, {"b"}}, std::move(sockets), 1h);
    constexpr std::array<unsigned char, 20> kPacket{16, 0, 0, 0, 0, 0, 0, 0, 200};
    ASSERT_EQ(write(other.get(), kPacket.data(), kPacket.size()), 20);
    EXPECT_EQ(error_of(uplink), "rank 1 on host b sends what has no sense");
}

TEST(Uplink, CoresAreThoseOfEachHostOnce) {
    std::vector<RankFacts> facts{{"a", 4, true}, {"b", 8}, {"a", 4, true}};
    const SocketUplink uplink(0, facts, std::vector<Fd>(3), 1h);
    EXPECT_EQ(uplink.cores(), 12u);
    EXPECT_EQ(uplink.ranks_here(), 2u);
}

TEST(WaitBytes, WaitsAreTheSameAgainWithTheirGuards) {
    WaitsFor guard;
    guard.kind = WaitKind::mail;
    guard.match.tag = 9;
    WaitsFor row;
    row.process = 3;
    row.guards = {guard, guard};
    row.more = 4;
    row.wake = 1234;
    const std::vector<WaitsFor> waits{guard, row};
    const Bytes bytes = bytes_of_waits(waits);
    const auto again = waits_of_bytes(bytes);
    ASSERT_EQ(again.size(), 2u);
    EXPECT_EQ(describe(again[0]), describe(guard));
    EXPECT_EQ(again[1].guards.size(), 2u);
    EXPECT_EQ(again[1].guards[1].match.tag, 9);
    EXPECT_EQ(again[1].process, 3);
    EXPECT_EQ(again[1].wake, 1234u);
    EXPECT_EQ(waits_of_bytes(std::span(bytes).first(bytes.size() - 1)).size(), 1u);
}
