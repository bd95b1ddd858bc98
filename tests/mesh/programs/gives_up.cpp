// What one node gives up, the others hear of; then the same again ends right.
#include "meshputer.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace {

using namespace mesh;

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
constexpr Tag kData = 1, kDone = 2, kBarrier = 3, kGroup = 4;
constexpr WindowNumber kWindow{0};
constexpr NodeId kFirst{0}, kSecond{1}, kThird{2};

// The first node sends what the second one does not take in time.
Process messages(Kernel& node) {
    std::uint32_t value = 1;
    if (node.id() == kFirst) {
        const Status early =
            co_await within(node, 10 * kUnit, send_value(node, value, kSecond, kData));
        const Received none = co_await receive_within(node, value, 10 * kUnit, kSecond, kData);
        const Status done = co_await send_value(node, 0u, kSecond, kDone);
        const Status sent = co_await send_value(node, 2u, kSecond, kData);
        print("send {}, receive {}, then {} {}\n", words_of(early), words_of(none.status),
              words_of(done), words_of(sent));
    } else if (node.id() == kSecond) {
        co_await node.sleep(50 * kUnit);
        const bool left = probe(node, kFirst, kData);
        const Received done = co_await receive_value(node, value, kFirst, kDone);
        const Received got = co_await receive_value(node, value, kFirst, kData);
        print("left {}, then {} {} of {}\n", left, words_of(done.status), words_of(got.status),
              value);
    }
    co_return Status::ok;
}

// The second node does not wait for the first, which comes late, and so misses to tell the last.
Process barriers(Kernel& node) {
    Status status = Status::ok;
    if (node.id() == kSecond)
        status = co_await within(node, 10 * kUnit, barrier(node, kBarrier));
    else if (node.id() == kFirst)
        co_await node.sleep(40 * kUnit);
    if (node.id() != kSecond)
        status = co_await barrier(node, kBarrier);
    const Status again = co_await barrier(node, kBarrier);
    print("barrier {}, then {}\n", words_of(status), words_of(again));
    co_return again;
}

// A member of a group is stopped by another process of its node.
Process pulls(Kernel& node, Stop& stop) {
    co_await node.sleep(10 * kUnit);
    stop.pull();
    co_return Status::ok;
}

Process groups(Kernel& node) {
    static constexpr std::array kMembers{kFirst, kSecond, kThird};
    const Group group{node, kMembers, kGroup};
    if (!group.member())
        co_return Status::ok;
    Stop stop{node};
    std::uint32_t sum = 1;
    Status status = Status::ok;
    if (node.id() == kThird) {
        auto puller = node.spawn(pulls(node, stop));
        if (!puller)
            co_return Status::no_memory;
        status = co_await unless(node, on(stop), group_allreduce(node, group, sum));
        const Status pulled = co_await node.join(puller);
        if (pulled != Status::ok)
            co_return pulled;
    } else {
        if (node.id() == kFirst)
            co_await node.sleep(40 * kUnit);
        status = co_await group_allreduce(node, group, sum);
    }
    sum = index(node.id());
    const Status again = co_await group_allreduce(node, group, sum);
    print("group {}, then {} of {}\n", words_of(status), words_of(again), sum);
    co_return again;
}

// The second node opens its window when the third one has given up.
Process windows(Kernel& node) {
    std::array<std::uint32_t, 1> count{};
    if (node.id() == kSecond) {
        co_await node.sleep(40 * kUnit);
        Window window{node, kWindow, std::span{count}};
        const Status closed = co_await close(node, window);
        print("count {} {}\n", words_of(closed), count[0]);
        co_return closed;
    }
    if (node.id() == kThird) {
        const auto early = co_await within(node, 10 * kUnit, fetch_add(node, 5u, kSecond, kWindow));
        const auto late = co_await fetch_add(node, 1u, kSecond, kWindow);
        print("fetch_add {}, then {} of {}\n", words_of(early.status), words_of(late.status),
              late.value);
    }
    const Status met = co_await barrier(node);
    co_return met;
}

// Inside a node.
Process inside(Kernel& node) {
    Channel<int> channel{node};
    const std::optional<int> none = co_await within(node, kUnit, channel.read());
    const Status unread = co_await within(node, kUnit, channel.write(1));
    const auto which = co_await within(node, kUnit, alt(node, on(channel), on_message()));
    print("read {}, write {}, alt {}\n", none.has_value(), words_of(unread), which.has_value());
    co_return Status::ok;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    Status status = Status::ok;
    for (const auto part : {messages, barriers, groups, windows, inside}) {
        const Status ended = co_await part(node);
        status = status == Status::ok ? ended : status;
        const Status met = co_await barrier(node); // one part after the other
        status = status == Status::ok ? met : status;
    }
    co_return status;
}
