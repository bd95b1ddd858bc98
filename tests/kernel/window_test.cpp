// One-sided operations take effect exactly once if they say ok, and at most once if they do not,
// whatever cables and nodes do.
#include "library/requests.hpp"
#include "library/window.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <numeric>
#include <vector>

namespace mesh::test {
namespace window_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Noise kLoud{.drop = 0.2, .corrupt = 0.1, .twice = 0.05, .swap = 0.1};
constexpr Network kCube3{Topology::cube, 3};
constexpr WindowNumber kCounter{7}, kTable{0}, kOther{127};

struct Triple {
    std::uint32_t one, two, three;
    bool operator==(const Triple&) const = default;
};

/// What programs of the running test did.
struct Story {
    unsigned rounds = 0;
    NodeId target{0};
    std::uint32_t size = 0;
    bool turn_off = false; // the test may break something now
    // The nodes' memory, which outlives processes that never end.
    std::deque<std::vector<std::uint32_t>> words{};
    std::deque<std::vector<Triple>> triples{};
    // Results.
    std::vector<std::uint32_t> tickets{};
    std::vector<Status> statuses{};
    unsigned good = 0, bad = 0, done = 0;
    bool equal = false;
};
Story story;

std::span<std::uint32_t> some_words(std::size_t count) { return story.words.emplace_back(count); }

unsigned done(Rig& rig) {
    unsigned count = 0;
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        count += rig.report(id).done != 0;
    return count;
}

// Counting ----------------------------------------------------------------------------------------

Process draw_tickets(Kernel& node) {
    const auto memory = some_words(1);
    Window window{node, kCounter, memory};
    Status all = window.status();
    for (unsigned round = 0; round < story.rounds; ++round) {
        const auto got = co_await fetch_add(node, 1u, story.target, kCounter);
        all = first_failure(all, got.status);
        story.tickets.push_back(got.value);
    }
    const Status closed = co_await close(node, window);
    if (node.id() == story.target)
        story.size = memory[0];
    co_return first_failure(all, closed);
}

void expect_every_ticket_once(Network network, Noise noise, unsigned seed, bool shuffle) {
    story = {.rounds = network.dim < 4 ? 100u : 20u, .target = node_at(1)};
    Rig rig{network, draw_tickets, 320, seed};
    rig.noise = noise;
    rig.shuffle = shuffle;
    rig.run({});
    ASSERT_EQ(done(rig), rig.size()) << "seed " << seed;
    std::vector<std::uint32_t> expected(story.rounds * rig.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::ranges::sort(story.tickets);
    EXPECT_EQ(story.tickets, expected) << "seed " << seed;
    EXPECT_EQ(story.size, expected.size()) << "seed " << seed;
}

TEST(Window, GivesEveryTicketOnceHoweverCablesLoseDoubleSwapAndDamageFrames) {
    for (unsigned seed = 1; seed <= 4; ++seed)
        expect_every_ticket_once(kCube3, kLoud, seed, seed % 2 == 0);
}

TEST(Window, GivesEveryTicketOnceOnEveryNetwork) {
    expect_every_ticket_once({Topology::uhc, 4}, {}, 1, true);
    expect_every_ticket_once({Topology::star, 4}, kLoud, 2, false);
}

/// The same by a lock in element 0: what it guards is read and written in two operations.
Process count_under_a_lock(Kernel& node) {
    const auto memory = some_words(2);
    Window window{node, kCounter, memory};
    Status all = Status::ok;
    for (unsigned round = 0; round < story.rounds; ++round) {
        for (bool mine = false; !mine;) {
            const auto lock = co_await compare_swap(node, 0u, 1u, story.target, kCounter);
            all = first_failure(all, lock.status);
            mine = lock.value == 0;
        }
        const auto count = co_await get_value<std::uint32_t>(node, story.target, kCounter, 1);
        const Status set = co_await put(node, count.value + 1, story.target, kCounter, 1);
        const Status unlocked = co_await put(node, 0u, story.target, kCounter);
        all = first_failure(first_failure(all, count.status), first_failure(set, unlocked));
    }
    const Status closed = co_await close(node, window);
    if (node.id() == story.target)
        story.size = memory[1];
    co_return first_failure(all, closed);
}

TEST(Window, IsALockForWhatSeveralOperationsChange) {
    story = {.rounds = 5, .target = node_at(6)};
    Rig rig{kCube3, count_under_a_lock};
    rig.noise = {.drop = 0.05, .twice = 0.05};
    rig.run({});
    EXPECT_EQ(done(rig), 8u);
    EXPECT_EQ(story.size, 40u);
}

// Reading and writing -----------------------------------------------------------------------------

/// Node 0 writes to the target and reads it back, and reads one element more at both ends.
Process write_and_read(Kernel& node) {
    auto& memory = story.triples.emplace_back(story.size + 4, Triple{9, 9, 9});
    Window window{node, kTable, std::span{memory}};
    Status all = window.status();
    if (node.id() == NodeId{0}) {
        auto& out = story.triples.emplace_back(story.size);
        for (std::uint32_t at = 0; at < story.size; ++at)
            out[at] = {at, at * 7, ~at};
        auto& in = story.triples.emplace_back(story.size + 2);
        const Status put_status = co_await put(node, std::span{out}, story.target, kTable, 2);
        const Status got_status = co_await get(node, std::span{in}, story.target, kTable, 1);
        all = first_failure(all, first_failure(put_status, got_status));
        story.equal = std::equal(out.begin(), out.end(), in.begin() + 1) &&
                      in.front() == Triple{9, 9, 9} && in.back() == Triple{9, 9, 9};
    }
    const Status closed = co_await close(node, window);
    co_return first_failure(all, closed);
}

TEST(Window, ReadsBackWhatWasWrittenInAnyNumberOfPackets) {
    for (const std::uint32_t size : {0u, 1u, 82u, 83u, 84u, 5000u})
        for (const std::uint32_t to : {0u, 1u, 7u}) {
            story = {.target = node_at(to), .size = size};
            Rig rig{kCube3, write_and_read, 320, size + to};
            rig.noise = to == 7 ? kLoud : Noise{};
            rig.run({});
            EXPECT_EQ(done(rig), 8u) << size << " to " << to;
            EXPECT_TRUE(story.equal) << size << " to " << to;
        }
}

Process add_up(Kernel& node) {
    const auto memory = some_words(600);
    Window window{node, kTable, memory};
    const auto mine = some_words(600);
    std::iota(mine.begin(), mine.end(), index(node.id()));
    const Status added = co_await accumulate(node, mine, story.target, kTable);
    const Status one = co_await accumulate(node, 1u, story.target, kTable, 599);
    const Status closed = co_await close(node, window);
    if (node.id() == story.target)
        story.equal =
            memory[0] == 28 && memory[300] == 28 + 8 * 300 && memory[599] == 28 + 8 * 599 + 8;
    co_return first_failure(added, first_failure(one, closed));
}

TEST(Window, AddsUpWhatAllNodesAccumulate) {
    story = {.target = node_at(3)};
    Rig rig{kCube3, add_up};
    rig.noise = kLoud;
    rig.run({});
    EXPECT_EQ(done(rig), 8u);
    EXPECT_TRUE(story.equal);
}

/// Each node has six operations under way at a time.
Process several_at_a_time(Kernel& node) {
    const auto memory = some_words(64);
    Window window{node, kTable, memory};
    Status all = Status::ok;
    for (unsigned round = 0; round < 10; ++round) {
        const auto to = [&](unsigned step) {
            return node_at((index(node.id()) + step) % node.nodes());
        };
        std::array requests{Request{node, accumulate(node, 1u, to(1), kTable, 1)},
                            Request{node, accumulate(node, 2u, to(2), kTable, 2)},
                            Request{node, accumulate(node, 3u, to(3), kTable, 3)},
                            Request{node, accumulate(node, 4u, to(3), kTable, 4)},
                            Request{node, accumulate(node, 5u, to(0), kTable, 5)},
                            Request{node, put(node, round, to(1), kTable, 6)}};
        const Status ended = co_await wait_all(node, requests);
        all = first_failure(all, ended);
    }
    const Status closed = co_await close(node, window);
    story.good += memory[1] == 10 && memory[2] == 20 && memory[3] == 30 && memory[4] == 40 &&
                  memory[5] == 50 && memory[6] == 9;
    co_return first_failure(all, closed);
}

TEST(Window, TakesSeveralOperationsOfEachNodeAtATime) {
    story = {};
    Rig rig{kCube3, several_at_a_time};
    rig.noise = kLoud;
    rig.run({});
    EXPECT_EQ(done(rig), 8u);
    EXPECT_EQ(story.good, 8u);
}

// What is refused --------------------------------------------------------------------------------

static_assert(detail::type_name<unsigned long>() == detail::type_name<unsigned long long>());
static_assert(detail::type_name<int>() != detail::type_name<unsigned>() &&
              detail::type_name<int>() != detail::type_name<float>() &&
              detail::type_name<Triple>() != detail::type_name<std::array<int, 3>>());

Process refused(Kernel& node) {
    const auto memory = some_words(10);
    Window window{node, kTable, memory};
    const Window again{node, kTable, memory};
    const Window none{node, WindowNumber{kWindowsMax}, memory};
    if (node.id() == NodeId{0}) {
        const NodeId to = story.target;
        auto& all = story.statuses;
        all = {again.status(), none.status()};
        all.push_back(co_await put(node, 1u, to, kTable, 10));
        all.push_back(co_await put(node, 1, to, kTable, 9));
        all.push_back(co_await put(node, std::array{1u, 2u}, to, kTable, 8));
        all.push_back(co_await put(node, memory, to, kTable, 1));
        all.push_back(co_await put(node, memory, to, kTable, ~0u));
        all.push_back(co_await get(node, memory, to, kTable, 1));
        all.push_back((co_await fetch_add(node, 1.0f, to, kTable, 1)).status);
        all.push_back((co_await fetch_add(node, 1u, to, kTable, 10)).status);
        all.push_back((co_await compare_swap(node, 0u, 1u, to, kTable, 77)).status);
        all.push_back(co_await put(node, 1u, node_at(8), kTable));
        all.push_back(co_await put(node, 1u, to, WindowNumber{kWindowsMax}));
    }
    const Status closed = co_await close(node, window);
    if (node.id() == story.target)
        story.equal = std::ranges::count(memory, 0u) == 10;
    co_return closed;
}

TEST(Window, RefusesOtherTypesAndPlacesThatItDoesNotHaveAndStaysAsItIs) {
    for (const std::uint32_t to : {0u, 5u}) {
        story = {.target = node_at(to)};
        Rig rig{kCube3, refused};
        rig.run({});
        EXPECT_EQ(done(rig), 8u);
        EXPECT_TRUE(story.equal);
        ASSERT_EQ(story.statuses.size(), 13u);
        EXPECT_EQ(story.statuses[0], Status::tag_in_use);
        EXPECT_EQ(
            std::count(story.statuses.begin() + 1, story.statuses.end(), Status::bad_argument), 12);
    }
}

// Opening and closing -----------------------------------------------------------------------------

/// Node 1 opens late, closes while node 0 goes on, and opens again.
Process open_late(Kernel& node) {
    const auto memory = some_words(1);
    if (node.id() == NodeId{0}) {
        story.statuses.push_back(co_await put(node, 1u, node_at(1), kOther));
        co_await node.sleep(100 * kUnit);
        for (unsigned times = 0; times < 2; ++times) // the window is closed
            story.statuses.push_back(co_await put(node, 2u, node_at(1), kOther));
        co_await node.sleep(200 * kUnit);
        story.statuses.push_back(co_await put(node, 3u, node_at(1), kOther));
    }
    if (node.id() == node_at(1)) {
        co_await node.sleep(100 * kUnit);
        {
            const Window window{node, kOther, memory};
            co_await node.sleep(50 * kUnit);
        }
        story.tickets.push_back(memory[0]);
        co_await node.sleep(100 * kUnit);
        story.tickets.push_back(memory[0]);
        const Window window{node, kOther, memory};
        co_await node.sleep(300 * kUnit);
        story.tickets.push_back(memory[0]);
    }
    co_return Status::ok;
}

TEST(Window, IsWaitedForUntilItOpensAndTellsWhenItIsClosed) {
    story = {};
    Rig rig{{Topology::cube, 1}, open_late};
    rig.run({});
    EXPECT_EQ(done(rig), 2u);
    EXPECT_EQ(story.statuses,
              (std::vector{Status::ok, Status::unreachable, Status::unreachable, Status::ok}));
    EXPECT_EQ(story.tickets, (std::vector{1u, 1u, 3u}));
}

/// Node 1 ends its window while a long write comes in, when it has come to some element.
Process end_within(Kernel& node) {
    auto& memory = story.triples.emplace_back(20'000);
    if (node.id() == NodeId{0}) {
        memory.assign(20'000, {1, 2, 3});
        story.statuses.push_back(co_await put(node, std::span{memory}, node_at(1), kOther));
    } else {
        Window window{node, kOther, std::span{memory}};
        co_await node.wait_until([&memory] { return memory[story.size] != Triple{}; });
        window.end();
        story.equal = memory.front() == Triple{1, 2, 3} && memory.back() == Triple{};
        memory.assign(1, {}); // the memory is gone
        co_await node.sleep(1000 * kUnit);
    }
    co_return Status::ok;
}

TEST(Window, ThatEndsWhileItIsWrittenTellsTheWriter) {
    for (const std::uint32_t element : {0u, 100u, 7000u, 19'800u}) {
        story = {.size = element};
        Rig rig{{Topology::cube, 1}, end_within};
        rig.run({});
        EXPECT_EQ(done(rig), 2u);
        EXPECT_TRUE(story.equal) << element;
        EXPECT_EQ(story.statuses, std::vector{Status::unreachable}) << element;
    }
}

// The dead ----------------------------------------------------------------------------------------

/// Node 0 uses three windows, of which two lie on nodes that die.
Process beside_the_dead(Kernel& node) {
    const auto memory = some_words(1);
    const Window window{node, kCounter, memory};
    if (node.id() == NodeId{0}) {
        for (const std::uint32_t to : {3u, 5u, 6u})
            story.statuses.push_back((co_await fetch_add(node, 1u, node_at(to), kCounter)).status);
        story.turn_off = true;
        for (const std::uint32_t to : {3u, 5u, 6u, 3u, 5u, 6u})
            story.statuses.push_back((co_await fetch_add(node, 1u, node_at(to), kCounter)).status);
        story.tickets.push_back((co_await fetch_add(node, 1u, node_at(6), kCounter)).value);
        story.tickets.push_back((co_await fetch_add(node, 1u, node_at(0), kCounter)).value);
        story.done = 1;
        co_return Status::ok;
    }
    co_await node.wait_until([] { return story.done != 0; });
    co_return Status::ok;
}

TEST(Window, OfALivingNodeServesOnWhenOthersHaveDied) {
    story = {};
    Rig rig{kCube3, beside_the_dead};
    rig.is_cut = [](NodeId from, Port by) {
        const NodeId to = neighbor(kCube3, from, by);
        const auto dead = [](NodeId node) { return node == node_at(3) || node == node_at(5); };
        return story.turn_off && (dead(from) || dead(to));
    };
    rig.run({});
    constexpr Status kOk = Status::ok, kGone = Status::unreachable;
    EXPECT_EQ(story.statuses, (std::vector{kOk, kOk, kOk, kGone, kGone, kOk, kGone, kGone, kOk}));
    EXPECT_EQ(story.tickets, (std::vector{3u, 0u}));
}

constexpr unsigned kRounds = 30;

/// Nodes change elements of node 0, each once, while cables are cut and mended.
Process count_through_breaks(Kernel& node) {
    const auto memory = some_words(8 * kRounds);
    const Window window{node, kCounter, memory};
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        const std::uint32_t element = index(node.id()) * kRounds + round;
        const auto got = co_await fetch_add(node, 1u, NodeId{0}, kCounter, element);
        if (got.status == Status::ok)
            story.tickets.push_back(element);
        story.good += got.status == Status::ok && got.value == 0;
        story.bad += got.status == Status::unreachable;
    }
    ++story.done;
    if (node.id() == NodeId{0}) {
        while (story.done != 8) // no event of this node says so
            co_await node.sleep(100 * wire::kTicksPerUnit);
        const auto ones = std::ranges::count(memory, 1u);
        const auto counted = [&memory](std::uint32_t element) { return memory[element] == 1; };
        story.equal = std::ranges::all_of(story.tickets, counted) &&
                      ones + std::ranges::count(memory, 0u) == 8 * kRounds;
        story.size = static_cast<std::uint32_t>(ones);
    }
    co_return Status::ok;
}

TEST(Window, CountsAtMostOnceWhatItDoesNotConfirmWhileLinksDieAndComeBack) {
    unsigned unconfirmed = 0;
    unsigned done_all_the_same = 0;
    for (unsigned seed = 1; seed <= 8; ++seed) {
        story = {};
        Rig rig{kCube3, count_through_breaks, 320, seed};
        rig.noise = {.drop = 0.05, .twice = 0.02, .swap = 0.05};
        rig.shuffle = true;
        // The cables of one node after the other are dead for 1500 frames.
        rig.is_cut = [&rig, seed](NodeId from, Port by) {
            const std::uint64_t period = rig.carried / 1500;
            const NodeId dead = node_at(static_cast<std::uint32_t>((period * 5 + seed) % 8));
            return rig.started && period % 2 == 1 && period < 12 &&
                   (from == dead || neighbor(kCube3, from, by) == dead);
        };
        rig.run({});
        ASSERT_EQ(story.done, 8u) << "seed " << seed;
        EXPECT_EQ(story.good + story.bad, 8 * kRounds) << "seed " << seed;
        EXPECT_TRUE(story.equal) << "seed " << seed;
        unconfirmed += story.bad;
        done_all_the_same += story.size - story.good;
    }
    EXPECT_GT(unconfirmed, done_all_the_same); // else nothing was tried: both kinds there are
    EXPECT_GT(done_all_the_same, 0u);
}

} // namespace window_test
} // namespace mesh::test
