// Packet pool, arena, mailbox and model clock by themselves.
#include "kernel/base/model_clock.hpp"
#include "kernel/base/packet_pool.hpp"
#include "kernel/packets/mailbox.hpp"
#include "kernel/processes/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace mesh::test {
namespace memory_test {

// Packet pool
// -----------------------------------------------------------------------------------------

struct PoolOf {
    PoolOf(std::size_t count, unsigned ports)
        : buffers(count),
          slots(count * ports),
          pool(buffers, slots, ports) {}
    std::vector<PacketBuffer> buffers;
    std::vector<PortSlot> slots;
    PacketPool pool;
};

TEST(PacketPool, GivesEveryBufferOnceAndThenNone) {
    PoolOf of{5, 1};
    std::set<PacketBuffer*> given;
    for (unsigned count = 0; count < 5; ++count) {
        EXPECT_EQ(of.pool.free(), 5 - count);
        EXPECT_TRUE(given.insert(of.pool.allocate()).second);
        EXPECT_EQ(of.pool.used(), count + 1);
    }
    EXPECT_EQ(of.pool.allocate(), nullptr);
    EXPECT_EQ(of.pool.used(), 5u);
}

TEST(PacketPool, ABufferIsFreeExactlyWhenItsLastOwnerLetsGo) {
    PoolOf of{1, 1};
    PacketBuffer* buffer = of.pool.allocate();
    for (unsigned owner = 1; owner < 40; ++owner)
        of.pool.share(buffer);
    for (unsigned owner = 1; owner < 40; ++owner) {
        of.pool.release(buffer);
        ASSERT_EQ(of.pool.free(), 0u);
    }
    of.pool.release(buffer);
    EXPECT_EQ(of.pool.free(), 1u);
    EXPECT_EQ(of.pool.allocate(), buffer);
}

TEST(PacketPool, AnyOrderOfUseKeepsItsCounts) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random{seed};
        PoolOf of{17, 3};
        std::map<PacketBuffer*, unsigned> owners;
        for (unsigned turn = 0; turn < 5000; ++turn) {
            if (random() % 2 != 0) {
                PacketBuffer* buffer = of.pool.allocate();
                ASSERT_EQ(buffer == nullptr, owners.size() == 17) << "seed " << seed;
                if (buffer != nullptr) {
                    ASSERT_EQ(owners.count(buffer), 0u) << "given twice, seed " << seed;
                    owners[buffer] = 1;
                }
            } else if (!owners.empty()) {
                auto at = owners.begin();
                std::advance(at, random() % owners.size());
                if (random() % 3 == 0 && ++at->second != 0)
                    of.pool.share(at->first);
                else if (of.pool.release(at->first); --at->second == 0)
                    owners.erase(at);
            }
            ASSERT_EQ(of.pool.used(), owners.size()) << "seed " << seed;
        }
    }
}

TEST(PacketPool, EveryBufferHasASlotOfItsOwnForEachPort) {
    PoolOf of{6, 4};
    std::set<PortSlot*> slots;
    for (unsigned count = 0; count < 6; ++count) {
        PacketBuffer* buffer = of.pool.allocate();
        for (unsigned port = 0; port < 4; ++port)
            EXPECT_TRUE(slots.insert(&of.pool.slot(buffer, port)).second);
    }
    EXPECT_EQ(slots.size(), of.slots.size());
}

TEST(PacketPool, InterleavedPoolsHaveAllOfOneMemoryAndShareNothing) {
    constexpr std::size_t kEach = 3;
    constexpr unsigned kPorts = 4;
    std::vector<PacketBuffer> buffers(2 * kEach);
    std::vector<PortSlot> slots(buffers.size() * kPorts);
    std::set<const void*> given;
    for (std::size_t turn = 0; turn < 2; ++turn) {
        PacketPool pool(std::span{buffers}.subspan(turn), std::span{slots}.subspan(turn * kPorts),
                        kPorts, {.log2 = 1});
        ASSERT_EQ(pool.capacity(), kEach);
        for (std::size_t count = 0; count < kEach; ++count) {
            const PacketBuffer* const buffer = pool.allocate();
            EXPECT_EQ(pool.at(buffer->number), buffer);
            EXPECT_TRUE(given.insert(buffer).second);
            for (unsigned port = 0; port < kPorts; ++port)
                EXPECT_TRUE(given.insert(&pool.slot(buffer, port)).second);
        }
        EXPECT_EQ(pool.allocate(), nullptr);
    }
    EXPECT_EQ(given.size(), buffers.size() + slots.size());
}

TEST(PacketPoolDeathTest, LettingGoTwiceIsABug) {
    PoolOf of{2, 1};
    PacketBuffer* buffer = of.pool.allocate();
    of.pool.release(buffer);
    EXPECT_DEATH(of.pool.release(buffer), "CHECK 1 ");
    EXPECT_DEATH(of.pool.share(buffer), "CHECK 2 ");
}

// Arena
// -----------------------------------------------------------------------------------------------

struct ArenaOf {
    explicit ArenaOf(std::size_t bytes)
        : memory(bytes / 8),
          arena(std::as_writable_bytes(std::span{memory})) {}
    std::vector<std::uint64_t> memory;
    Arena arena;
};

TEST(Arena, BlocksAreAlignedApartAndInsideItsMemory) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        std::mt19937 random{seed};
        ArenaOf of{16 * 1024};
        std::map<std::byte*, std::size_t> blocks; // live
        const auto* begin = reinterpret_cast<std::byte*>(of.memory.data());
        for (unsigned turn = 0; turn < 3000; ++turn) {
            if (random() % 2 != 0) {
                const std::size_t bytes = 1 + random() % 600;
                auto* block = static_cast<std::byte*>(of.arena.allocate(bytes));
                if (block == nullptr)
                    continue;
                ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 8, 0u);
                ASSERT_GE(block, begin);
                ASSERT_LE(block + bytes, begin + 16 * 1024);
                const auto after = blocks.lower_bound(block);
                ASSERT_TRUE(after == blocks.end() || block + bytes <= after->first);
                ASSERT_TRUE(after == blocks.begin() ||
                            std::prev(after)->first + std::prev(after)->second <= block)
                    << "seed " << seed;
                std::memset(block, 0xAA, bytes);
                blocks[block] = bytes;
            } else if (!blocks.empty()) {
                auto at = blocks.begin();
                std::advance(at, random() % blocks.size());
                Arena::release(at->first);
                blocks.erase(at);
            }
        }
    }
}

TEST(Arena, ABlockThatCameBackIsUsedAgainForItsSize) {
    for (const std::size_t bytes : {1u, 16u, 17u, 100u, 1000u, 4000u}) {
        ArenaOf of{8192};
        void* first = of.arena.allocate(bytes);
        ASSERT_NE(first, nullptr);
        const std::size_t high = of.arena.high_water_bytes();
        for (unsigned turn = 0; turn < 1000; ++turn) {
            Arena::release(first);
            ASSERT_EQ(of.arena.allocate(bytes), first);
        }
        EXPECT_EQ(of.arena.high_water_bytes(), high);
    }
}

TEST(Arena, AllBlocksThatCameBackAreUsedAgain) {
    ArenaOf of{64 * 1024};
    std::vector<void*> blocks(20);
    for (unsigned turn = 0; turn < 3; ++turn) {
        for (void*& block : blocks)
            ASSERT_NE(block = of.arena.allocate(200), nullptr);
        const std::size_t high = of.arena.high_water_bytes();
        EXPECT_LE(high, 20u * 2 * Arena::kGrain);
        for (void* block : blocks)
            Arena::release(block);
    }
}

TEST(Arena, SaysNoWhenItIsExhaustedAndYesAfterABlockCameBack) {
    ArenaOf of{1024};
    std::vector<void*> blocks;
    while (void* block = of.arena.allocate(48))
        blocks.push_back(block);
    EXPECT_EQ(blocks.size(), 1024u / Arena::kGrain);
    EXPECT_EQ(of.arena.allocate(48), nullptr);
    EXPECT_EQ(of.arena.allocate(1), nullptr);
    Arena::release(blocks.back());
    EXPECT_EQ(of.arena.allocate(48), blocks.back());
}

TEST(Arena, TheLargestBlockIsAsNamedAndALargerOneIsRefused) {
    ArenaOf of{64 * 1024};
    EXPECT_NE(of.arena.allocate(Arena::kBlockBytesMax - 16), nullptr);
    EXPECT_EQ(of.arena.allocate(Arena::kBlockBytesMax - 15), nullptr);
    EXPECT_EQ(of.arena.allocate(1u << 20), nullptr);
}

TEST(Arena, ABlockGoesBackToTheArenaThatItCameFrom) {
    ArenaOf one{512}, other{512};
    void* block = one.arena.allocate(40);
    Arena::release(block);
    EXPECT_NE(other.arena.allocate(40), block);
    EXPECT_EQ(one.arena.allocate(40), block);
}

TEST(ArenaDeathTest, GivingABlockBackTwiceIsABug) {
    ArenaOf of{512};
    void* const block = of.arena.allocate(40);
    Arena::release(block);
    EXPECT_DEATH(Arena::release(block), "CHECK 3 failed: memory of a coroutine");
    EXPECT_EQ(of.arena.allocate(40), block);
    Arena::release(block);
    alignas(16) std::array<std::byte, 64> never_its_own;
    never_its_own.fill(std::byte{0xA5});
    EXPECT_DEATH(Arena::release(never_its_own.data() + 16), "CHECK 3 failed");
}

// Owners of packets
// ---------------------------------------------------------------------------------------------

TEST(PacketOwnerDeathTest, APacketIsInTheMailboxOnce) {
    PoolOf of{2, 1};
    Mailbox mailbox;
    PacketBuffer* const packet = of.pool.allocate();
    mailbox.put(packet);
    EXPECT_DEATH(mailbox.put(packet), "expected: owner_ == from");
    EXPECT_DEATH(of.pool.release(packet), "expected: buffer->mark.is_free");
    mailbox.remove(packet);
    EXPECT_TRUE(packet->in_hand_alone());
    of.pool.release(packet);
    EXPECT_EQ(of.pool.free(), 2u);
}

TEST(PacketOwnerDeathTest, WhatAProcessHasIsNotGivenAway) {
    PoolOf of{1, 1};
    PacketBuffer* const packet = of.pool.allocate();
    packet->mark.pass(PacketOwner::code, PacketOwner::process);
    EXPECT_FALSE(packet->in_hand());
    EXPECT_DEATH(of.pool.let_wait(packet), "expected: buffer->in_hand");
    Mailbox mailbox;
    EXPECT_DEATH(mailbox.put(packet), "expected: owner_ == from");
}

TEST(PacketOwnerDeathTest, ALinkHasAPacketOnce) {
    PoolOf of{1, 2};
    PacketBuffer* const packet = of.pool.allocate();
    packet->mark.enter_link(1);
    EXPECT_DEATH(packet->mark.enter_link(1), "expected");
    EXPECT_DEATH(packet->mark.leave_link(0), "expected");
    EXPECT_DEATH(of.pool.release(packet), "expected: buffer->mark.is_free");
    packet->mark.leave_link(1);
    of.pool.release(packet);
    EXPECT_EQ(of.pool.free(), 1u);
}

// Mailbox
// ---------------------------------------------------------------------------------------------

PacketBuffer letter(Service service, Tag tag, std::uint32_t source, std::uint32_t message) {
    PacketBuffer buffer{};
    buffer.header = {.source = node_at(source),
                     .tag = tag,
                     .service = static_cast<std::uint8_t>(service),
                     .message = message};
    return buffer;
}

TEST(Mailbox, AMatchIsExactOrAnyInEachOfTagSourceAndMessage) {
    const Tag tags[] = {0, 1, 0x8000};
    const std::uint32_t numbers[] = {0, 1, 5};
    for (const Tag tag : tags)
        for (const std::uint32_t source : numbers)
            for (const std::uint32_t message : numbers) {
                const auto header = letter(Service::message, tag, source, message).header;
                for (const Tag want_tag : {Tag{0}, Tag{1}, Tag{0x8000}, kAnyTag})
                    for (const NodeId want : {node_at(0), node_at(1), node_at(5), kAnySource})
                        for (const std::uint32_t want_message : {0u, 1u, 5u, kAnyMessage}) {
                            const bool right =
                                (want_tag == kAnyTag || want_tag == tag) &&
                                (want == kAnySource || want == node_at(source)) &&
                                (want_message == kAnyMessage || want_message == message);
                            Match match{Service::message, want_tag, want, want_message};
                            EXPECT_EQ(match(header), right);
                            match.service = Service::fragment;
                            EXPECT_FALSE(match(header));
                        }
            }
}

TEST(Mailbox, TheFirstThatMatchesIsTakenWhateverTheOrderOfTaking) {
    for (unsigned seed = 1; seed <= 50; ++seed) {
        std::mt19937 random{seed};
        std::vector<PacketBuffer> letters(200);
        std::vector<PacketBuffer*> model;
        Mailbox mailbox;
        std::size_t put = 0;
        while (put < letters.size() || !model.empty()) {
            if (put < letters.size() && random() % 2 != 0) {
                letters[put] = letter(Service::packet, static_cast<Tag>(random() % 4),
                                      static_cast<std::uint32_t>(random() % 4), 0);
                mailbox.put(&letters[put]);
                model.push_back(&letters[put++]);
            } else {
                Match match;
                match.tag = random() % 2 != 0 ? static_cast<Tag>(random() % 4) : kAnyTag;
                match.source = random() % 2 != 0 ? node_at(static_cast<std::uint32_t>(random() % 4))
                                                 : kAnySource;
                const auto expected =
                    std::find_if(model.begin(), model.end(),
                                 [&](PacketBuffer* one) { return match(one->header); });
                PacketBuffer* found = mailbox.find(match);
                ASSERT_EQ(found, expected == model.end() ? nullptr : *expected) << "seed " << seed;
                if (found != nullptr) {
                    mailbox.remove(found);
                    model.erase(expected);
                }
            }
            ASSERT_EQ(mailbox.size(), model.size()) << "seed " << seed;
        }
    }
}

TEST(MailboxDeathTest, TakingWhatIsNotThereIsABug) {
    Mailbox mailbox;
    PacketBuffer one = letter(Service::packet, 1, 1, 1), other = one;
    mailbox.put(&one);
    EXPECT_DEATH(mailbox.remove(&other), "CHECK 2 ");
}

// Model clock
// -----------------------------------------------------------------------------------------

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;

TEST(ModelClock, APacketOccupiesItsLinkForTauAndItsBytes) {
    ModelClock clock;
    clock.configure(PortModel::all, 3 * kUnit, 10);
    EXPECT_EQ(clock.duration(0), 3 * kUnit);
    EXPECT_EQ(clock.duration(100), 3 * kUnit + 1000);
    wire::ModelTime busy = 0;
    EXPECT_EQ(clock.send(0, busy, clock.duration(100)), 3 * kUnit + 1000);
    EXPECT_EQ(clock.send(0, busy, clock.duration(100)), 2 * (3 * kUnit + 1000));
    EXPECT_EQ(clock.send(50 * kUnit, busy, kUnit), 51 * kUnit);
}

TEST(ModelClock, AllPortsWorkAtOnce) {
    ModelClock clock;
    clock.configure(PortModel::all, kUnit, 0);
    wire::ModelTime busy[4] = {};
    for (wire::ModelTime& link : busy)
        EXPECT_EQ(clock.send(0, link, kUnit), kUnit);
    for (unsigned port = 0; port < 4; ++port)
        EXPECT_EQ(clock.receive(kUnit, kUnit), kUnit);
}

TEST(ModelClock, DuplexPortsSendOneByOneAndReceiveOneByOne) {
    ModelClock clock;
    clock.configure(PortModel::duplex, kUnit, 0);
    wire::ModelTime busy[4] = {};
    for (unsigned port = 0; port < 4; ++port)
        EXPECT_EQ(clock.send(0, busy[port], kUnit), (port + 1) * kUnit);
    for (unsigned port = 0; port < 4; ++port)
        EXPECT_EQ(clock.receive(kUnit, kUnit), (port + 1) * kUnit);
}

TEST(ModelClock, HalfDuplexPortsSendOrReceive) {
    ModelClock clock;
    clock.configure(PortModel::half, kUnit, 0);
    wire::ModelTime busy[2] = {};
    EXPECT_EQ(clock.send(0, busy[0], kUnit), 1 * kUnit);
    EXPECT_EQ(clock.receive(1 * kUnit, kUnit), 2 * kUnit);
    EXPECT_EQ(clock.send(0, busy[1], kUnit), 3 * kUnit);
    EXPECT_EQ(clock.receive(10 * kUnit, kUnit), 10 * kUnit);
    EXPECT_EQ(clock.send(0, busy[0], kUnit), 11 * kUnit);
}

TEST(ModelClock, NoTwoTransfersOverlapThatMayNot) {
    for (unsigned seed = 1; seed <= 60; ++seed) {
        std::mt19937 random{seed};
        const auto model = static_cast<PortModel>(seed % 3);
        ModelClock clock;
        clock.configure(model, kUnit, 7);
        wire::ModelTime busy[3] = {}, sent_until = 0, received_until = 0, link_until[3] = {};
        for (unsigned turn = 0; turn < 500; ++turn) {
            const wire::ModelTime length = clock.duration(random() % 100);
            const wire::ModelTime when = random() % (200 * kUnit);
            const bool sending = random() % 2 != 0;
            const unsigned port = static_cast<unsigned>(random() % 3);
            const wire::ModelTime end = sending ? clock.send(when, busy[port], length)
                                                : clock.receive(when + length, length);
            const wire::ModelTime start = end - length;
            ASSERT_GE(start, when) << "seed " << seed;
            if (sending) {
                ASSERT_GE(start, std::exchange(link_until[port], end)) << "seed " << seed;
            }
            if (model == PortModel::all)
                continue;
            ASSERT_GE(start, sending ? sent_until : received_until) << "seed " << seed;
            (sending ? sent_until : received_until) = end;
            if (model == PortModel::half) {
                ASSERT_GE(start, sending ? received_until : sent_until) << "seed " << seed;
            }
        }
    }
}

} // namespace memory_test
} // namespace mesh::test
