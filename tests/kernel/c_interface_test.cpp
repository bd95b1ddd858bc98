// The C interface: what firmware in C sends, posts and receives.
#include "tests/kernel/c_world.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace mesh::test {
namespace c_interface_test {

std::vector<std::uint8_t> text(std::size_t bytes, unsigned seed) {
    std::vector<std::uint8_t> made(bytes);
    for (std::size_t at = 0; at < bytes; ++at)
        made[at] = static_cast<std::uint8_t>(at * 7 + seed);
    return made;
}

mesh_status send(CWorld& world, std::uint32_t from, mesh_sending& sending, std::uint32_t to,
                 const std::vector<std::uint8_t>& data, std::uint16_t tag = 1) {
    return mesh_send(world.node(from), &sending, to, tag, data.data(),
                     static_cast<std::uint32_t>(data.size()));
}

mesh_status post(CWorld& world, std::uint32_t from, mesh_fate* fate, std::uint32_t to,
                 const std::vector<std::uint8_t>& data, std::uint16_t tag = 1) {
    return mesh_post(world.node(from), fate, to, tag, data.data(),
                     static_cast<std::uint32_t>(data.size()));
}

TEST(CInterface, MessagesComeInTheOrderInWhichTheyWereSentAndPosted) {
    CWorld world(1);
    constexpr unsigned kPairs = 6;
    std::array<mesh_sending, kPairs> sendings;
    std::array<mesh_fate, kPairs> fates;
    std::vector<std::vector<std::uint8_t>> sent;
    for (unsigned pair = 0; pair < kPairs; ++pair) {
        sent.push_back(text(pair * 1300, pair)); // none, one packet, several
        ASSERT_EQ(send(world, 0, sendings[pair], 1, sent[2 * pair]), MESH_OK);
        sent.push_back(text(10 + pair, 100 + pair));
        ASSERT_EQ(post(world, 0, &fates[pair], 1, sent[2 * pair + 1]), MESH_OK);
    }
    mesh_state state;
    for (const auto& bytes : sent)
        EXPECT_EQ(world.next(1), (CMessage{0, 1, bytes}));
    mesh_look(world.node(0), &state);
    world.until([&] {
        mesh_look(world.node(0), &state);
        return state.under_way == 0;
    });
    for (unsigned pair = 0; pair < kPairs; ++pair) {
        EXPECT_TRUE(sendings[pair].fate.ended && fates[pair].ended);
        EXPECT_EQ(sendings[pair].fate.status, MESH_OK);
        EXPECT_EQ(fates[pair].status, MESH_OK);
    }
    EXPECT_EQ(state.node, 0u);
    EXPECT_EQ(state.nodes, 2u);
    EXPECT_EQ(state.ports, 1u);
    EXPECT_EQ(state.dead_ports, 0u);
}

TEST(CInterface, AMessageLongerThanTheRoomIsToldAndStays) {
    CWorld world(1);
    mesh_sending first, second;
    const auto long_one = text(3000, 1);
    const auto short_one = text(5, 2);
    ASSERT_EQ(send(world, 1, first, 0, long_one, 7), MESH_OK);
    ASSERT_EQ(send(world, 1, second, 0, short_one, 7), MESH_OK);
    std::array<std::uint8_t, 2999> room;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, room.size()}) {
        mesh_received got{};
        room.fill(0xEE);
        world.until([&] { return mesh_receive(world.node(0), room.data(), bytes, &got); });
        EXPECT_EQ(got.status, MESH_TRUNCATED);
        EXPECT_EQ(got.bytes, 3000u);
        EXPECT_EQ(got.source, 1u);
        EXPECT_EQ(got.tag, 7u);
        EXPECT_EQ(room[0], 0xEE);
    }
    EXPECT_FALSE(first.fate.ended);
    EXPECT_EQ(world.next(0, 3000), (CMessage{1, 7, long_one}));
    EXPECT_EQ(world.next(0, 3000), (CMessage{1, 7, short_one}));
}

TEST(CInterface, AnotherRoomIsRefusedWhileOneIsTheLibrarys) {
    CWorld world(1);
    std::array<std::uint8_t, 8> room, other;
    mesh_received got{};
    EXPECT_FALSE(mesh_receive(world.node(0), room.data(), room.size(), &got));
    EXPECT_TRUE(mesh_receive(world.node(0), other.data(), other.size(), &got));
    EXPECT_EQ(got.status, MESH_BAD_ARGUMENT);
    mesh_sending sending;
    const std::vector<std::uint8_t> data{5};
    ASSERT_EQ(send(world, 1, sending, 0, data), MESH_OK);
    world.until([&] { return mesh_receive(world.node(0), room.data(), room.size(), &got); });
    EXPECT_EQ(got.status, MESH_OK);
    EXPECT_EQ(room[0], 5);
}

TEST(CInterface, ADeadNodeIsToldOfAndKeepsNobodyFromABroadcast) {
    CWorld world(2);
    std::array<mesh_sending, 3> sendings;
    const auto data = text(2000, 3);
    for (unsigned moves = 0; moves < 1000; ++moves)
        static_cast<void>(world.move());
    world.dead[1] = true;
    ASSERT_EQ(mesh_broadcast(world.node(0), sendings.data(), 9, data.data(),
                             static_cast<std::uint32_t>(data.size())),
              MESH_OK);
    EXPECT_EQ(world.next(2), (CMessage{0, 9, data}));
    EXPECT_EQ(world.next(3), (CMessage{0, 9, data}));
    world.until(
        [&] { return sendings[0].fate.ended && sendings[1].fate.ended && sendings[2].fate.ended; });
    EXPECT_EQ(sendings[0].fate.status, MESH_UNREACHABLE);
    EXPECT_EQ(sendings[1].fate.status, MESH_OK);
    EXPECT_EQ(sendings[2].fate.status, MESH_OK);
    mesh_fate fate;
    ASSERT_EQ(post(world, 0, &fate, 1, data, 9), MESH_BAD_ARGUMENT); // half of the ring at most
    ASSERT_EQ(post(world, 0, &fate, 1, {1}, 9), MESH_OK);
    world.until([&] { return fate.ended; });
    EXPECT_EQ(fate.status, MESH_UNREACHABLE);
    mesh_state state;
    mesh_look(world.node(0), &state);
    EXPECT_EQ(state.dead_ports, 1u);
    EXPECT_EQ(state.under_way, 0u);
}

TEST(CInterface, WhatIsGivenUpIsTheCallersAgain) {
    CWorld world(1);
    mesh_sending never, begun, later;
    const std::vector<std::uint8_t> data{2};
    ASSERT_EQ(send(world, 0, never, 1, data), MESH_OK);
    mesh_give_up(world.node(0), &never);
    EXPECT_TRUE(never.fate.ended);
    EXPECT_EQ(never.fate.status, MESH_TIMED_OUT);
    {
        const auto given_up = text(50, 4);
        ASSERT_EQ(send(world, 0, begun, 1, given_up), MESH_OK);
        for (unsigned moves = 0; moves < 1000; ++moves)
            static_cast<void>(world.move()); // node 1 does not look
        EXPECT_FALSE(begun.fate.ended);
        mesh_give_up(world.node(0), &begun);
    }
    EXPECT_EQ(begun.fate.status, MESH_IN_DOUBT);
    mesh_give_up(world.node(0), &begun); // once is enough
    ASSERT_EQ(send(world, 0, later, 1, data), MESH_OK);
    while (world.next(1).bytes != data && !HasFailure()) {
    }
    world.until([&] { return later.fate.ended; });
    EXPECT_EQ(later.fate.status, MESH_OK);
}

TEST(CInterface, WhatCannotBeMeantIsRefused) {
    CWorld world(1);
    mesh_sending sending;
    mesh_fate fate;
    EXPECT_EQ(send(world, 0, sending, 2, {1}), MESH_BAD_ARGUMENT);
    EXPECT_EQ(send(world, 0, sending, 1, {1}, MESH_TAG_MAX + 1), MESH_BAD_ARGUMENT);
    EXPECT_EQ(mesh_send(world.node(0), &sending, 1, 0, nullptr, (1u << 20) + 1), MESH_BAD_ARGUMENT);
    EXPECT_EQ(mesh_broadcast(world.node(0), &sending, MESH_TAG_MAX + 1, nullptr, 0),
              MESH_BAD_ARGUMENT);
    EXPECT_EQ(post(world, 0, &fate, 2, {1}), MESH_BAD_ARGUMENT);
    EXPECT_EQ(post(world, 0, &fate, 1, {1}, MESH_TAG_MAX + 1), MESH_BAD_ARGUMENT);
    const mesh_driver driver = CFirmware::driver();
    mesh_setup setup{};
    setup.driver = &driver;
    setup.dimension = 2;
    EXPECT_TRUE(board::CNode::is_valid(setup));
    setup.node = 4;
    EXPECT_FALSE(board::CNode::is_valid(setup));
    setup.node = 0;
    setup.dimension = 3;
    EXPECT_FALSE(board::CNode::is_valid(setup));
    setup.dimension = 258;
    EXPECT_FALSE(board::CNode::is_valid(setup));
}

TEST(CInterface, APostThatFindsNoRoomIsRefusedAndNoOtherIsLost) {
    CWorld world(1);
    std::vector<std::uint8_t> posted;
    const auto fill = [&] {
        std::uint8_t number = static_cast<std::uint8_t>(posted.size());
        for (; post(world, 0, nullptr, 1, {number, 0, 0}) == MESH_OK; ++number) {
            posted.push_back(number);
            ASSERT_LT(posted.size(), 1000u) << "it is never full";
        }
    };
    fill();
    EXPECT_GE(posted.size(), 4096 / (MESH_POST_BYTES + 8));
    const std::size_t at_first = posted.size();
    for (std::size_t taken = 0; taken < 5 * at_first; ++taken) {
        EXPECT_EQ(world.next(1).bytes, (std::vector<std::uint8_t>{posted[taken], 0, 0}));
        world.until(
            [&] { return taken + 1 < posted.size() || (fill(), taken + 1 < posted.size()); });
    }
}

TEST(CInterface, AnInterruptInTheMidstOfATurnPostsUntilItIsRefused) {
    CWorld world(1);
    unsigned posted = 0, refused = 0;
    mesh_sending sending;
    world.firmware(0).interrupt = [&] {
        const auto number = static_cast<std::uint8_t>(posted);
        if (post(world, 0, nullptr, 1, {number}, 2) == MESH_OK)
            ++posted;
        else
            ++refused;
    };
    const auto data = text(4000, 5);
    ASSERT_EQ(send(world, 0, sending, 1, data), MESH_OK);
    unsigned taken = 0;
    while (taken < 200 && !HasFailure()) {
        const CMessage got = world.next(1);
        if (got.tag == 2)
            EXPECT_EQ(got.bytes, std::vector<std::uint8_t>{static_cast<std::uint8_t>(taken++)});
    }
    EXPECT_GT(refused, 0u);
}

TEST(CInterface, ATurnThatLeavesAPostInTheRingIsNotTheLast) {
    CWorld world(1);
    unsigned calls = 0, left = 0;
    for (unsigned turn = 1; turn < 10; ++turn) {
        world.firmware(0).interrupt = [&] {
            if (++calls == turn)
                EXPECT_EQ(post(world, 0, nullptr, 1, {1}), MESH_OK);
        };
        calls = 0;
        const std::uint32_t sleep_us = mesh_turn(world.node(0));
        if (!world.node(0)->ring.any())
            continue;
        ++left;
        EXPECT_EQ(sleep_us, 0u);
    }
    EXPECT_GT(left, 0u);
}

/// A task as FreeRTOS has it: it sleeps until somebody notifies it.
class Notification {
public:
    void give() {
        const std::lock_guard lock(mutex_);
        given_ = true;
        come_.notify_one();
    }
    void take() {
        std::unique_lock lock(mutex_);
        come_.wait(lock, [this] { return given_; });
        given_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable come_;
    bool given_ = false;
};

TEST(CInterface, OneTaskHasTheTurnsAndOthersPost) {
    CWorld world(1);
    constexpr unsigned kTasks = 2;
    constexpr unsigned kMessages = 100;
    Notification owner;
    std::vector<std::thread> tasks;
    std::atomic<unsigned> refused = 0;
    for (std::uint16_t task = 0; task < kTasks; ++task)
        tasks.emplace_back([&, task] {
            mesh_fate fate{};
            for (unsigned number = 0; number < kMessages; ++number) {
                const std::vector<std::uint8_t> data(1 + number % 60,
                                                     static_cast<std::uint8_t>(number));
                mesh_fate* const told = number + 1 == kMessages ? &fate : nullptr;
                while (post(world, 0, told, 1, data, task) != MESH_OK) {
                    ++refused;
                    owner.give();
                    std::this_thread::yield();
                }
                owner.give();
            }
            while (!fate.ended)
                std::this_thread::yield();
            EXPECT_EQ(fate.status, MESH_OK);
        });
    std::array<unsigned, kTasks> taken{};
    std::array<std::uint8_t, 64> room;
    mesh_received got{};
    mesh_state state;
    do {
        const std::uint32_t sleep_us = world.move();
        if (mesh_receive(world.node(1), room.data(), room.size(), &got)) {
            ASSERT_EQ(got.status, MESH_OK);
            const unsigned number = taken.at(got.tag)++;
            EXPECT_EQ(got.bytes, 1 + number % 60);
            EXPECT_EQ(room[0], static_cast<std::uint8_t>(number));
        } else if (sleep_us == UINT32_MAX) {
            owner.take();
        } else {
            world.pass(std::max(1u, sleep_us));
        }
        mesh_look(world.node(0), &state);
    } while (taken != std::array{kMessages, kMessages} || state.under_way != 0);
    for (std::thread& task : tasks)
        task.join();
    EXPECT_GT(refused, 0u);
}

TEST(CInterface, ARingKeepsRecordsThatAreFreedInAnyOrder) {
    alignas(8) std::array<std::byte, 256 + 40> memory;
    c::PostRing ring{memory};
    EXPECT_TRUE(ring.fits(120));
    EXPECT_FALSE(ring.fits(121));
    for (unsigned round = 0; round < 50; ++round) {
        std::array<std::byte*, 3> written{};
        for (std::byte*& record : written) {
            record = ring.reserve(40 + round % 9);
            ASSERT_NE(record, nullptr);
        }
        c::PostRing::publish(written[1]);
        EXPECT_EQ(ring.next(), nullptr); // the one before is not whole
        c::PostRing::publish(written[0]);
        EXPECT_EQ(ring.next(), written[0]);
        EXPECT_EQ(ring.next(), written[1]);
        EXPECT_EQ(ring.next(), nullptr);
        c::PostRing::publish(written[2]);
        EXPECT_EQ(ring.next(), written[2]);
        ring.free(written[1]);
        ring.free(written[2]);
        EXPECT_EQ(ring.reserve(120), nullptr); // the first is not free
        ring.free(written[0]);
    }
    c::PostRing none{std::span<std::byte>{}};
    EXPECT_FALSE(none.fits(0));
    EXPECT_FALSE(none.any());
}

TEST(CInterface, ARingThatManyTasksFillAtATimeLosesNothingAndMixesNothing) {
    constexpr std::uint32_t kTasks = 4;
    constexpr std::uint32_t kRecords = 20'000;
    alignas(8) std::array<std::byte, 1 << 16> memory; // who waits for room waits long
    c::PostRing ring{memory};
    std::vector<std::thread> tasks;
    for (std::uint32_t task = 0; task < kTasks; ++task)
        tasks.emplace_back([&ring, task] {
            for (std::uint32_t number = 0; number < kRecords;) {
                const std::uint32_t words = 2 + number % 7;
                auto* const record =
                    reinterpret_cast<std::uint32_t*>(ring.reserve(words * sizeof(std::uint32_t)));
                if (record == nullptr) {
                    std::this_thread::yield();
                    continue;
                }
                std::fill_n(record, words, number * kTasks + task);
                record[0] = words;
                c::PostRing::publish(reinterpret_cast<std::byte*>(record));
                ++number;
            }
        });
    std::array<std::uint32_t, kTasks> taken{};
    std::vector<std::byte*> held;
    unsigned wrong = 0;
    for (std::uint32_t all = 0; all < kTasks * kRecords && wrong == 0;) {
        std::byte* const place = ring.next();
        if (place != nullptr) {
            const auto* const record = reinterpret_cast<std::uint32_t*>(place);
            const std::uint32_t number = taken[record[1] % kTasks]++;
            for (std::uint32_t word = 1; word < 2 + number % 7; ++word)
                wrong += record[word] / kTasks != number || record[word] != record[1];
            wrong += record[0] != 2 + number % 7;
            held.push_back(place);
            ++all;
        }
        if (place == nullptr || held.size() == 3)
            for (; !held.empty(); held.pop_back()) // the newest first
                ring.free(held.back());
        if (place == nullptr)
            std::this_thread::yield();
    }
    EXPECT_EQ(wrong, 0u);
    for (std::thread& task : tasks)
        wrong == 0 ? task.join() : task.detach();
    ASSERT_EQ(wrong, 0u);
}

} // namespace c_interface_test
} // namespace mesh::test
