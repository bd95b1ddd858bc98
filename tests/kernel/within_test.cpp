// What waits can be given up, at any time, and leaves nothing behind: the same again ends right.
#include "collectives/barrier.hpp"
#include "kernel/api/within.hpp"
#include "library/guards.hpp"
#include "library/messages.hpp"
#include "library/outbox.hpp"
#include "library/parallel.hpp"
#include "library/requests.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <vector>

namespace mesh::test {
namespace within_test {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr wire::ModelTime kShort = 500 * kUnit, kLong = 5'000 * kUnit;
constexpr NodeId kSender{0}, kReceiver{1};
constexpr Tag kTag = 3, kOther = 4;

Process nothing(Kernel&) { co_return Status::ok; }

/// Runs a program on two nodes, and expects that it leaves them as a program does that does
/// nothing.
void expect_nothing_left(Program program, std::size_t buffers = 64) {
    const Network pair{Topology::cube, 1};
    Rig idle{pair, nothing, buffers};
    idle.run({});
    Rig rig{pair, program, buffers};
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        Kernel& kernel = rig.kernel(id);
        EXPECT_EQ(rig.report(id).status, 0u) << id;
        EXPECT_EQ(kernel.pool().used(), idle.kernel(id).pool().used()) << id;
        EXPECT_EQ(kernel.mailbox().size(), 0u) << id;
        EXPECT_EQ(kernel.messages().first(), nullptr) << id;
        EXPECT_EQ(kernel.calls().under_way(), 0u) << id;
        EXPECT_FALSE(kernel.scheduler().any()) << id;
        for (const ProcessSlot& slot : kernel.scheduler().slots())
            EXPECT_TRUE(slot.is_free() && slot.scope == nullptr) << id;
    }
}

std::vector<std::byte> filled(std::size_t bytes, int value) {
    return std::vector<std::byte>(bytes, static_cast<std::byte>(value));
}

// Messages ---------------------------------------------------------------------------------------

/// Sends, gives up, and sends again what alone is received. The receiver looks at nothing before.
template <std::size_t kBytes>
Process sends_twice(Kernel& kernel) {
    auto bytes = filled(kBytes, 1);
    if (kernel.id() == kReceiver) {
        co_await kernel.sleep(kLong);
        if (probe(kernel, kSender, kTag))
            co_return Status::failed;
        const Status ready = co_await send_value(kernel, 1, kSender, kOther);
        if (ready != Status::ok)
            co_return ready;
        const Received received = co_await receive(kernel, bytes, kSender, kTag);
        if (received.status != Status::ok)
            co_return received.status;
        co_return bytes == filled(kBytes, 2) ? Status::ok : Status::failed;
    }
    const Status first = co_await within(kernel, kShort, send(kernel, bytes, kReceiver, kTag));
    if (first != Status::in_doubt)
        co_return Status::failed;
    int go = 0;
    const Received ready = co_await receive_value(kernel, go, kReceiver, kOther);
    if (ready.status != Status::ok)
        co_return ready.status;
    bytes = filled(kBytes, 2);
    const Status second = co_await within(kernel, kLong, send(kernel, bytes, kReceiver, kTag));
    co_return second;
}

TEST(Within, AnOfferThatNobodyHasTakenIsWithdrawn) {
    expect_nothing_left(sends_twice<8>);
    expect_nothing_left(sends_twice<20'000>);
}

/// More than the receiver has room for: those that are held here were not begun.
Process sends_many(Kernel& kernel) {
    constexpr unsigned kMessages = 40;
    int value = 7;
    if (kernel.id() == kReceiver) {
        co_await kernel.sleep(kLong);
        const Received last = co_await receive_value(kernel, value, kSender, kTag);
        const bool right = last.status == Status::ok && value == 99;
        co_return right && !probe(kernel) ? Status::ok : Status::failed;
    }
    unsigned in_doubt = 0, not_begun = 0;
    for (unsigned number = 0; number < kMessages; ++number) {
        const Status status =
            co_await within(kernel, kUnit, send_value(kernel, value, kReceiver, kTag));
        in_doubt += status == Status::in_doubt;
        not_begun += status == Status::timed_out;
    }
    if (in_doubt + not_begun != kMessages)
        co_return Status::failed;
    const Status last = co_await send_value(kernel, 99, kReceiver, kTag);
    co_return last;
}

TEST(Within, ManyOffersThatWereGivenUpLeaveTheirRoom) {
    expect_nothing_left(sends_many);
    expect_nothing_left(sends_many, 24);
}

/// To itself.
Process sends_itself(Kernel& kernel) {
    int value = 0;
    const Status first = co_await within(kernel, kShort, send_value(kernel, 1, kernel.id(), kTag));
    const bool left = probe(kernel, kernel.id(), kTag);
    Request second{kernel, send_value(kernel, 2, kernel.id(), kTag)};
    const Received received = co_await receive_value(kernel, value, kernel.id(), kTag);
    const Status sent = co_await wait(kernel, second);
    const bool right = first == Status::in_doubt && !left && value == 2 && sent == Status::ok;
    co_return right ? received.status : Status::failed;
}

TEST(Within, AnOfferToItself) { expect_nothing_left(sends_itself); }

/// Two at a time are given up with one word, the second behind the first.
Process sends_beside(Kernel& kernel) {
    if (kernel.id() == kReceiver) {
        co_await kernel.sleep(kLong);
        int value = 0;
        const Received received = co_await receive_value(kernel, value, kSender, kTag);
        co_return value == 3 ? received.status : Status::failed;
    }
    const Status both = co_await within(kernel, kShort,
                                        par(kernel, send_value(kernel, 1, kReceiver, kTag),
                                            send_value(kernel, 2, kReceiver, kTag)));
    if (both != Status::in_doubt)
        co_return Status::failed;
    const Status third = co_await send_value(kernel, 3, kReceiver, kTag);
    co_return third;
}

TEST(Within, TheProcessesOfAnOperationEndWithIt) { expect_nothing_left(sends_beside); }

/// The receiver takes some packets of a message and no more.
Process takes_a_part(Kernel& kernel) {
    auto bytes = filled(30'000, 1);
    if (kernel.id() == kReceiver) {
        Message message = co_await receive_message(kernel, kSender, kTag);
        Packet packet = co_await next(kernel, message);
        packet = Packet{};
        co_await kernel.sleep(kLong);
        while (!message.finished()) {
            packet = co_await next(kernel, message);
            if (!packet)
                break;
            packet = Packet{};
        }
        co_return message.status() == Status::unreachable ? Status::ok : Status::failed;
    }
    const Status sent = co_await within(kernel, kShort, send(kernel, bytes, kReceiver, kTag));
    co_return sent == Status::in_doubt ? Status::ok : Status::failed;
}

TEST(Within, TheReceiverOfAPartHearsThatTheRestDoesNotCome) { expect_nothing_left(takes_a_part); }

/// The sender of a message that was received in part, and then given up, is told.
Process stops_receiving(Kernel& kernel) {
    auto bytes = filled(30'000, 1);
    if (kernel.id() == kSender) {
        const Status sent = co_await send(kernel, bytes, kReceiver, kTag);
        if (sent != Status::unreachable)
            co_return Status::failed;
        const Status again = co_await send(kernel, bytes, kReceiver, kTag);
        co_return again;
    }
    Stop stop{kernel};
    stop.pull(); // so it ends as soon as it has to wait
    const Received received =
        co_await unless(kernel, on(stop), receive(kernel, bytes, kSender, kTag));
    if (received.status != Status::timed_out)
        co_return Status::failed;
    co_await kernel.wait_until([&kernel] { return probe(kernel, kSender, kTag); });
    const Received part = co_await unless(kernel, on(stop), receive(kernel, bytes, kSender, kTag));
    if (part.status != Status::in_doubt || part.source != kSender || part.bytes == 0)
        co_return Status::failed;
    const Received whole = co_await within(kernel, kLong, receive(kernel, bytes, kSender, kTag));
    co_return whole.bytes == bytes.size() ? whole.status : Status::failed;
}

TEST(Within, AMessageThatIsGivenUpByItsReceiverIsUnreachableForItsSender) {
    expect_nothing_left(stops_receiving);
}

Process receives_late(Kernel& kernel) {
    int value = 0;
    if (kernel.id() == kSender) {
        co_await kernel.sleep(kLong);
        const Status sent = co_await send_value(kernel, 5, kReceiver, kTag);
        co_return sent;
    }
    const Received none = co_await receive_within(kernel, value, kShort, kSender, kTag);
    if (none.status != Status::timed_out || none.source != kNoNode)
        co_return Status::failed;
    const Received one = co_await receive_within(kernel, value, 2 * kLong, kSender, kTag);
    co_return value == 5 ? one.status : Status::failed;
}

TEST(Within, AReceiveIsGivenUpAndTakesTheMessageTheNextTime) { expect_nothing_left(receives_late); }

// Inside a node ----------------------------------------------------------------------------------

Process writes(Kernel&, Channel<int>& channel, int value) {
    co_await channel.write(value);
    co_return Status::ok;
}

Process uses_channels(Kernel& kernel) {
    Channel<int> channel{kernel};
    const std::optional<int> none = co_await within(kernel, kShort, channel.read());
    const Status unread = co_await within(kernel, kShort, channel.write(1));
    if (none || unread != Status::timed_out || channel.readable())
        co_return Status::failed;
    const Status inside = co_await within(kernel, kShort, writes(kernel, channel, 2));
    if (inside != Status::timed_out || channel.readable())
        co_return Status::failed;
    auto writer = kernel.spawn(writes(kernel, channel, 3));
    if (!writer)
        co_return Status::no_memory;
    const std::optional<int> three = co_await within(kernel, kShort, channel.read());
    const Status wrote = co_await kernel.join(writer);
    co_return three == 3 ? wrote : Status::failed;
}

TEST(Within, AChannelIsUsedAgainByBothEnds) { expect_nothing_left(uses_channels); }

Process shares_channels(Kernel& kernel) {
    SharedChannel<int> shared{kernel};
    Stop stop{kernel};
    ProcessId first, third;
    if (!kernel.spawn(shared.write(1), first))
        co_return Status::no_memory;
    co_await kernel.yield();
    const Status second = co_await within(kernel, kShort, shared.write(2));
    if (second != Status::timed_out || !kernel.spawn(shared.write(3), third))
        co_return Status::failed;
    const int one = co_await shared.read();
    const int three = co_await shared.read();
    const Status wrote = co_await kernel.join(first);
    const Status wrote_too = co_await kernel.join(third);
    const bool right = one == 1 && three == 3 && wrote == Status::ok;
    co_return right ? wrote_too : Status::failed;
}

TEST(Within, AWriterThatLeavesTheRowLetsTheNextOneCome) { expect_nothing_left(shares_channels); }

Process sleeps(Kernel& kernel, wire::ModelTime ticks) {
    co_await kernel.sleep(ticks);
    co_return Status::ok;
}

Process joins(Kernel& kernel) {
    ProcessId child;
    if (!kernel.spawn(sleeps(kernel, kLong), child))
        co_return Status::no_memory;
    const Status early = co_await within(kernel, kShort, kernel.join(child));
    if (early != Status::timed_out)
        co_return Status::failed;
    Request request{kernel, sleeps(kernel, kLong)};
    const Status waited = co_await within(kernel, kShort, wait(kernel, request));
    if (waited != Status::timed_out || request.done())
        co_return Status::failed;
    const Status late = co_await wait(kernel, request);
    const Status joined = co_await within(kernel, kLong, kernel.join(child));
    co_return late == Status::ok ? joined : late;
}

TEST(Within, AProcessIsJoinedLater) { expect_nothing_left(joins); }

/// Processes of processes, and a request that is begun inside and lives outside.
Process nested(Kernel& kernel, Request& request) {
    request = Request{kernel, par(kernel, sleeps(kernel, 8 * kLong), sleeps(kernel, 9 * kLong))};
    const Status status =
        co_await within(kernel, 2 * kLong,
                        par(kernel, par(kernel, sleeps(kernel, 3 * kLong), sleeps(kernel, kShort)),
                            sleeps(kernel, 4 * kLong)));
    co_return status;
}

Process ends_trees(Kernel& kernel) {
    Request request;
    const Status outer = co_await within(kernel, kLong, nested(kernel, request));
    if (outer != Status::in_doubt) // one had ended
        co_return Status::failed;
    if (!request.ended())
        co_return Status::failed;
    const Status begun = co_await wait(kernel, request);
    if (begun != Status::timed_out)
        co_return Status::failed;
    Request kept;
    const Status inner = co_await within(kernel, 4 * kLong, nested(kernel, kept));
    if (inner != Status::in_doubt || kept.ended())
        co_return Status::failed;
    const Status end = co_await wait(kernel, kept);
    co_return end;
}

TEST(Within, AllProcessesBelowAnOperationEndWithItAndNoOthers) { expect_nothing_left(ends_trees); }

/// One that has ended is done, however short the time.
Process is_done(Kernel& kernel) {
    const Status ended = co_await within(kernel, 0, nothing(kernel));
    const Status never = co_await within(kernel, 0, sleeps(kernel, kShort));
    const Status slept = co_await within(kernel, kLong, sleeps(kernel, kShort));
    const Status turn = co_await within(kernel, kLong, kernel.yield());
    const bool right = ended == Status::ok && never == Status::timed_out && slept == Status::ok;
    co_return right ? turn : Status::failed;
}

TEST(Within, WhatHasEndedGivesItsOwnVerdict) { expect_nothing_left(is_done); }

/// An alternative, and an operation in the place of one.
Process chooses(Kernel& kernel) {
    if (kernel.id() == kReceiver) {
        co_await kernel.sleep(kShort);
        const Status sent = co_await send_value(kernel, 1, kSender, kOther);
        co_return sent;
    }
    const auto none = co_await within(kernel, kUnit, alt(kernel, on_message(kReceiver, kTag)));
    if (none)
        co_return Status::failed;
    int value = 0; // a message comes before the receiver takes this one
    const Status sent = co_await unless(kernel, on_message(kReceiver, kOther),
                                        send_value(kernel, 2, kReceiver, kTag));
    if (sent != Status::in_doubt)
        co_return Status::failed;
    const Received received = co_await receive_value(kernel, value, kReceiver, kOther);
    co_return received.status;
}

TEST(Within, ASendStandsForAGuard) { expect_nothing_left(chooses); }

Process pulls(Kernel& kernel, Stop& stop) {
    co_await kernel.sleep(kShort);
    stop.pull();
    co_return Status::ok;
}

Process is_stopped(Kernel& kernel) {
    Stop stop{kernel};
    auto puller = kernel.spawn(pulls(kernel, stop));
    if (!puller)
        co_return Status::no_memory;
    const Status never =
        co_await within(kernel, kLong, unless(kernel, on(stop), sleeps(kernel, 2 * kLong)));
    const Status joined = co_await kernel.join(puller);
    const std::optional<Packet> packet =
        co_await unless(kernel, on(stop), kernel.receive({.tag = kTag}));
    co_return never == Status::timed_out && !packet ? joined : Status::failed;
}

TEST(Within, AnotherProcessGivesItUp) { expect_nothing_left(is_stopped); }

/// The pool starts nothing while a process keeps all its packets.
Process allocates(Kernel& kernel) {
    if (kernel.id() == kReceiver)
        co_return Status::ok;
    std::vector<OutgoingPacket> kept;
    for (;;) {
        auto packet = co_await within(kernel, kUnit, kernel.allocate(Rule::unicast));
        if (!packet)
            break;
        kept.push_back(std::move(*packet));
    }
    const wire::PacketHeader header{.destination = kReceiver, .tag = kTag};
    const Status posted = co_await within(kernel, kUnit, kernel.post(header));
    int value = 0;
    const Status sent = co_await within(kernel, kUnit, send_value(kernel, value, kReceiver, kTag));
    if (kept.empty() || posted != Status::timed_out || sent != Status::timed_out)
        co_return Status::failed;
    kept.clear();
    const std::optional<OutgoingPacket> packet =
        co_await within(kernel, kUnit, kernel.allocate(Rule::unicast));
    co_return packet ? Status::ok : Status::failed;
}

TEST(Within, ABufferIsNotWaitedForAnyLonger) { expect_nothing_left(allocates); }

/// Keeps all that the pool can start, for a while.
Process fills_pool(Kernel& kernel) {
    co_await kernel.sleep(kUnit);
    std::vector<OutgoingPacket> kept;
    for (;;) {
        auto packet = co_await within(kernel, 0, kernel.allocate(Rule::unicast));
        if (!packet)
            break;
        kept.push_back(std::move(*packet));
    }
    co_await kernel.sleep(2 * kShort);
    co_return Status::ok;
}

Process withdraws_late(Kernel& kernel) {
    if (kernel.id() == kReceiver) {
        co_await kernel.sleep(kLong);
        co_return probe(kernel) ? Status::failed : Status::ok;
    }
    auto filling = kernel.spawn(fills_pool(kernel));
    if (!filling)
        co_return Status::no_memory;
    const Status sent = co_await within(kernel, kShort, send_value(kernel, 1, kReceiver, kTag));
    const Status filled = co_await kernel.join(filling);
    co_return sent == Status::in_doubt ? filled : Status::failed;
}

TEST(Within, AnOfferIsWithdrawnWhenThePoolHasABufferAgain) { expect_nothing_left(withdraws_late); }

/// Letters that lie in an outbox go on; only the wait for them ends.
Process flushes(Kernel& kernel) {
    std::array<std::byte, 512> memory;
    int value = 0;
    if (kernel.id() == kReceiver) {
        co_await kernel.sleep(kLong);
        Received received;
        for (int number = 0; number < 2; ++number)
            received = co_await receive_value(kernel, value, kSender, kTag);
        co_return received.status;
    }
    Outbox outbox{kernel, memory};
    const int one = 1, two = 2;
    const Status first = co_await outbox.put(one, kReceiver, kTag);
    const Status early = co_await within(kernel, kShort, outbox.flush());
    const Status second = co_await outbox.put(two, kReceiver, kTag);
    const Status late = co_await within(kernel, 2 * kLong, outbox.flush());
    const bool right = first == Status::ok && early == Status::timed_out && second == Status::ok;
    co_return right ? late : Status::failed;
}

TEST(Within, LettersOfAnOutboxGoOn) { expect_nothing_left(flushes); }

} // namespace within_test
} // namespace mesh::test
