// A collective that one node gives up, at each point at which it waits: the others end, and so do
// the same calls again, right and by all nodes; a node is left as by a program that does nothing.
#include "collectives/ascend.hpp"
#include "collectives/barrier.hpp"
#include "collectives/multicast.hpp"
#include "collectives/personalised.hpp"
#include "kernel/api/within.hpp"
#include "library/agree.hpp"
#include "library/blocks.hpp"
#include "library/group.hpp"
#include "library/values.hpp"
#include "library/window.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string>
#include <vector>

namespace mesh::test {
namespace within_calls_test {

constexpr std::uint32_t kNodesMax = 8;
constexpr unsigned kPointsMax = 4000; // more than any operation here has

using Operation = Task<Status> (*)(Kernel& kernel);

/// What one run tries.
struct Trial {
    Operation operation;
    std::uint32_t victim; // the node that gives up
    unsigned point;       // after so many looks at the guard
    unsigned before;      // calls of the operation before that one
};
Trial trial;
bool was_given_up;

/// Ready when it has been looked at so often.
struct Countdown {
    unsigned* left;
    bool ready(Kernel&) const { return *left == 0 || --*left == 0; }
    std::uint64_t wake() const { return wire::kNever; }
    void chosen(Kernel&) const {}
};

Process nothing(Kernel&) { co_return Status::ok; }

/// Calls, one of which a node gives up, and then as many that there is a gate before some.
Process tries(Kernel& kernel) {
    constexpr unsigned kAfter = 18;
    Status status = Status::ok;
    for (unsigned call = 0; call < trial.before && status == Status::ok; ++call)
        status = co_await trial.operation(kernel);
    if (status != Status::ok)
        co_return status;
    if (index(kernel.id()) == trial.victim) {
        unsigned left = trial.point + 1;
        const Status given_up = co_await unless(kernel, Countdown{&left}, trial.operation(kernel));
        was_given_up = given_up == Status::timed_out || given_up == Status::in_doubt;
        if (!was_given_up && given_up != Status::ok)
            co_return given_up;
    } else {
        const Status ended = co_await trial.operation(kernel);
        if (ended != Status::ok && ended != Status::unreachable)
            co_return Status::failed;
    }
    for (unsigned call = 0; call < kAfter && status == Status::ok; ++call)
        status = co_await trial.operation(kernel);
    co_return status;
}

/// What is left at a node that is not as one whose program has done nothing; empty: nothing.
std::string left_at(Rig& rig, std::uint32_t id, Kernel& idle) {
    Kernel& kernel = rig.kernel(id);
    const wire::NodeReport report = rig.report(id);
    std::string left;
    const auto expect = [&](bool right, const char* what) { left += right ? "" : what; };
    expect(report.done != 0 && report.status == 0, "its program is not done, or has failed; ");
    expect(kernel.pool().used() == idle.pool().used(), "buffers; ");
    expect(kernel.mailbox().size() == 0, "packets; ");
    expect(kernel.messages().first() == nullptr, "messages; ");
    expect(kernel.calls().under_way() == 0, "calls; ");
    expect(!kernel.scheduler().any(), "processes; ");
    for (const ProcessSlot& slot : kernel.scheduler().slots())
        expect(slot.is_free() && slot.scope == nullptr, "a slot; ");
    return left;
}

/// Runs a program until its operation comes to its end before it is given up: at each of the first
/// points, and at every eighth part behind them; `most` of them. Adds them to `tried`.
void try_program(const char* name, Network network, Program program, std::size_t buffers,
                 unsigned most, unsigned& tried) {
    SCOPED_TRACE(name);
    Rig idle{network, nothing, buffers};
    idle.run({});
    trial.point = 0;
    for (was_given_up = true; was_given_up && trial.point < most;
         trial.point += 1 + trial.point / 8) {
        was_given_up = false;
        Rig rig{network, program, buffers, 1, 96 * 1024};
        rig.run({});
        for (std::uint32_t id = 0; id < rig.size(); ++id)
            ASSERT_EQ(left_at(rig, id, idle.kernel(id)), "")
                << "node " << id << "; node " << trial.victim << " gives up at point "
                << trial.point << ", after " << trial.before << " calls";
        tried += was_given_up ? 1 : 0;
    }
}

/// The same of calls of a collective, by some nodes.
void try_points(const char* name, Network network, Operation operation, unsigned before,
                std::size_t buffers) {
    const std::uint32_t nodes = node_count(network);
    const std::uint32_t step = nodes > 4 ? 3 : 1;
    unsigned tried = 0;
    for (std::uint32_t victim = 0; victim < nodes; victim += step) {
        trial = {operation, victim, 0, before};
        try_program(name, network, tries, buffers, kPointsMax, tried);
    }
    EXPECT_NE(tried, 0u) << name << " was never given up";
}

/// Where calls of the tag begin at once, where a gate is due, and where all begin at one.
void try_all(const char* name, Network network, Operation operation, std::size_t buffers = 64) {
    try_points(name, network, operation, 0, buffers);
    try_points(name, network, operation, 15, buffers);
    try_points(name, network, operation, 16, buffers);
}

constexpr Network kCube{Topology::cube, 2};
constexpr Network kStar{Topology::star, 3};
constexpr Network kUhc{Topology::uhc, 2};
constexpr Tag kTag = 1, kGateTag = 9;

Status verdict(Status status, bool right) {
    return status == Status::ok && !right ? Status::failed : status;
}
std::uint32_t self(const Kernel& kernel) { return index(kernel.id()); }
std::uint32_t sum(const Kernel& kernel) { return kernel.nodes() * (kernel.nodes() - 1) / 2; }

// Collectives of all nodes
// -------------------------------------------------------------------------

template <Tag tag>
Task<Status> meets(Kernel& kernel) {
    return barrier(kernel, tag);
}

template <std::uint32_t kBytes, Tag tag, std::uint32_t root>
Task<Status> gives(Kernel& kernel) {
    std::vector<std::byte> bytes(kBytes, static_cast<std::byte>(self(kernel) == root ? 7 : 0));
    const BroadcastPlan plan{.root = node_at(root), .total_bytes = kBytes, .tag = tag};
    const Status status = co_await broadcast(kernel, plan, bytes);
    co_return verdict(status, bytes == std::vector(kBytes, std::byte{7}));
}

Task<Status> reduces(Kernel& kernel) {
    std::uint32_t value = self(kernel);
    const Status status = co_await reduce_value(kernel, value, NodeId{1});
    co_return verdict(status, self(kernel) != 1 || value == sum(kernel));
}

template <std::size_t kValues>
Task<Status> reduces_for_all(Kernel& kernel) {
    std::vector<std::uint32_t> values(kValues, self(kernel));
    const Status status = co_await allreduce_values(kernel, std::span{values});
    co_return verdict(status, values == std::vector<std::uint32_t>(kValues, sum(kernel)));
}

Task<Status> scans(Kernel& kernel) {
    std::uint32_t value = self(kernel);
    const Status status = co_await scan_value(kernel, value);
    co_return verdict(status, value == self(kernel) * (self(kernel) + 1) / 2);
}

template <std::size_t kBytes>
Task<Status> gives_some(Kernel& kernel) {
    static constexpr std::array kMembers{NodeId{1}, NodeId{2}};
    std::vector<std::byte> bytes(kBytes, static_cast<std::byte>(self(kernel) == 0 ? 7 : 0));
    const bool gets = self(kernel) <= 2;
    const Status status =
        co_await multicast(kernel, {.members = kMembers, .root = NodeId{0}, .tag = kTag}, bytes);
    co_return verdict(status, !gets || bytes == std::vector(kBytes, std::byte{7}));
}

TEST(WithinCalls, ABarrier) {
    try_all("cube", kCube, meets<kTag>);
    try_all("cube, all at a gate", kCube, meets<kGateTag>);
    try_all("star", kStar, meets<kTag>);
    try_all("uhc", kUhc, meets<kTag>);
}
TEST(WithinCalls, ABroadcast) {
    try_all("short", kCube, gives<100, kTag, 0>);
    try_all("short, all at a gate", kCube, gives<100, kGateTag, 0>);
    try_all("early", kCube, gives<2'000, kTag, 2>);
    try_points("long", kCube, gives<40'000, kTag, 1>, 3, 64);
    try_all("star", kStar, gives<3'000, kTag, 0>);
    try_all("uhc", kUhc, gives<3'000, kTag, 0>);
}
TEST(WithinCalls, AReduction) {
    try_all("reduce", kCube, reduces);
    try_all("allreduce", kCube, reduces_for_all<1>);
    try_points("long allreduce", kCube, reduces_for_all<2'000>, 3, 64);
    try_all("scan", kCube, scans);
    try_all("star", kStar, reduces_for_all<1>);
    try_all("uhc", kUhc, reduces_for_all<1>);
}
TEST(WithinCalls, AMulticast) {
    try_all("short", kCube, gives_some<100>);
    try_points("of several parts", kCube, gives_some<20'000>, 2, 64);
}

// Blocks
// -------------------------------------------------------------------------------------------

template <Exchange what, std::uint32_t kBytes>
Task<Status> exchanges(Kernel& kernel) {
    const PersonalPlan plan{.block_bytes = kBytes, .tag = kTag};
    std::vector<std::byte> memory(exchange_bytes(kernel.nodes(), kBytes));
    std::fill_n(memory.begin(), kernel.nodes() * kBytes, static_cast<std::byte>(7));
    const Status status = co_await exchange(kernel, plan, what, memory);
    co_return verdict(status, std::all_of(memory.begin(), memory.begin() + kBytes,
                                          [](std::byte one) { return one == std::byte{7}; }));
}

Task<Status> gathers_values(Kernel& kernel) {
    std::array<std::uint32_t, kNodesMax> all{};
    const auto row = std::span{all}.first(kernel.nodes());
    const Status status = co_await gather_value(kernel, self(kernel), row);
    co_return verdict(status, self(kernel) != 0 || row.back() == kernel.nodes() - 1);
}
Task<Status> scatters_values(Kernel& kernel) {
    std::array<std::uint32_t, kNodesMax> all{};
    for (std::uint32_t node = 0; node < all.size(); ++node)
        all[node] = node;
    std::uint32_t mine = 77;
    const Status status = co_await scatter_value<std::uint32_t>(
        kernel, std::span{all}.first(kernel.nodes()), mine, NodeId{1});
    co_return verdict(status, mine == self(kernel));
}
Task<Status> gathers_for_all(Kernel& kernel) {
    std::array<std::uint32_t, kNodesMax> all{};
    const auto row = std::span{all}.first(kernel.nodes());
    const Status status = co_await allgather_value(kernel, self(kernel), row);
    co_return verdict(status, row.back() == kernel.nodes() - 1);
}
Task<Status> exchanges_values(Kernel& kernel) {
    std::array<std::uint32_t, kNodesMax> out{}, in{};
    out.fill(self(kernel));
    const auto row = std::span{in}.first(kernel.nodes());
    const Status status = co_await alltoall_value(
        kernel, std::span<const std::uint32_t>{out}.first(kernel.nodes()), row);
    co_return verdict(status, row.back() == kernel.nodes() - 1);
}

TEST(WithinCalls, ScatterAndGather) {
    try_all("cube, scatter", kCube, exchanges<Exchange::scatter, 100>);
    try_all("cube, gather", kCube, exchanges<Exchange::gather, 100>);
    try_all("star, scatter", kStar, exchanges<Exchange::scatter, 100>);
    try_points("star, long scatter", kStar, exchanges<Exchange::scatter, 40'000>, 3, 64);
    try_all("star, gather", kStar, exchanges<Exchange::gather, 100>);
    try_points("uhc, long gather", kUhc, exchanges<Exchange::gather, 9'000>, 3, 64);
    try_all("values, scatter", kCube, scatters_values);
    try_all("values, gather", kCube, gathers_values);
}
TEST(WithinCalls, AllToAll) {
    try_all("cube, allgather", kCube, exchanges<Exchange::allgather, 100>);
    try_all("cube, alltoall", kCube, exchanges<Exchange::alltoall, 100>);
    try_all("star, allgather", kStar, exchanges<Exchange::allgather, 100>);
    try_all("uhc, alltoall", kUhc, exchanges<Exchange::alltoall, 100>);
    try_all("values, allgather", kCube, gathers_for_all);
    try_all("values, alltoall", kCube, exchanges_values);
}

// Groups
// -------------------------------------------------------------------------------------------

constexpr std::array kThree{NodeId{0}, NodeId{2}, NodeId{3}};

template <auto kCollective>
Task<Status> in_group(Kernel& kernel) {
    const Group group{kernel, kThree, kTag};
    if (!group.member())
        co_return Status::ok;
    const Status status = co_await kCollective(kernel, group);
    co_return status;
}
Task<Status> group_gives(Kernel& kernel, Group group) {
    std::uint32_t value = group.rank() == 1 ? 5 : 0;
    const Status status = co_await group_broadcast(kernel, group, value, 1);
    co_return verdict(status, value == 5);
}
Task<Status> group_sums(Kernel& kernel, Group group) {
    std::uint32_t value = group.rank();
    const Status status = co_await group_allreduce(kernel, group, value);
    co_return verdict(status, value == 3);
}
Task<Status> group_sums_up(Kernel& kernel, Group group) {
    std::uint32_t value = group.rank();
    const Status status = co_await group_scan(kernel, group, value);
    co_return verdict(status, value == group.rank() * (group.rank() + 1) / 2);
}
Task<Status> group_gathers(Kernel& kernel, Group group) {
    std::array<std::uint32_t, 3> all{};
    const Status status = co_await group_allgather(kernel, group, group.rank(), all);
    co_return verdict(status, all == std::array<std::uint32_t, 3>{0, 1, 2});
}
/// Members that did not hear of one, which has given up, leave it out.
Task<Status> group_agrees(Kernel& kernel, Group group) {
    std::array<NodeId, 3> room{};
    const Agreed agreed = co_await agree(kernel, group, 1, room);
    co_return agreed.status;
}

TEST(WithinCalls, OfAGroup) {
    try_points("broadcast", kCube, in_group<group_gives>, 0, 64);
    try_points("allreduce", kCube, in_group<group_sums>, 1, 64);
    try_points("scan", kCube, in_group<group_sums_up>, 0, 64);
    try_points("allgather", kCube, in_group<group_gathers>, 0, 64);
    try_points("barrier", kCube, in_group<group_barrier>, 0, 64);
    try_points("agree", kCube, in_group<group_agrees>, 0, 64);
}

// Windows
// ------------------------------------------------------------------------------------------

constexpr WindowNumber kWindow{3};
constexpr NodeId kOwner{0};
constexpr std::uint32_t kWords = 2'000, kRuns = 20;

/// What node 1 does to the window of node 0, `run` times before: word 0, or all, from run to
/// run +
/// 1. A read that did not find run in them all has failed.
enum class Access { add, fetch, swap, put, get };
Access access_kind;
bool opens_late;

Task<Status> accesses(Kernel& kernel, std::vector<std::uint32_t>& words, std::uint32_t run) {
    const std::span all{words};
    switch (access_kind) {
    case Access::add: {
        std::ranges::fill(words, 1);
        const Status added = co_await accumulate(kernel, all, kOwner, kWindow);
        co_return added;
    }
    case Access::fetch: {
        const auto before = co_await fetch_add(kernel, 1u, kOwner, kWindow);
        co_return verdict(before.status, before.value == run);
    }
    case Access::swap: {
        const auto before = co_await compare_swap(kernel, run, run + 1, kOwner, kWindow);
        co_return verdict(before.status, before.value == run);
    }
    case Access::put: {
        std::ranges::fill(words, run + 1);
        const Status written = co_await put(kernel, all, kOwner, kWindow);
        co_return written;
    }
    case Access::get: break;
    }
    const Status read = co_await get(kernel, all, kOwner, kWindow);
    co_return verdict(read, std::ranges::count(words, run) == kWords);
}

/// How often the operation has taken effect: 0 or 1 if it is in doubt, all words alike.
Process uses_window(Kernel& kernel) {
    std::vector<std::uint32_t> words(kWords);
    if (kernel.id() == kOwner) {
        if (opens_late) {
            const Status began = co_await barrier(kernel, kTag);
            if (began != Status::ok)
                co_return began;
        }
        Window window{kernel, kWindow, std::span{words}};
        const Status closed = co_await close(kernel, window);
        co_return closed;
    }
    unsigned left = trial.point + 1;
    Status status = co_await unless(kernel, Countdown{&left}, accesses(kernel, words, 0));
    was_given_up = status == Status::timed_out || status == Status::in_doubt;
    if (!was_given_up && status != Status::ok)
        co_return status;
    if (opens_late) {
        const Status began = co_await barrier(kernel, kTag);
        if (began != Status::ok)
            co_return began;
    }
    std::uint32_t run = 0;
    const Status seen = co_await get(kernel, std::span{&run, 1}, kOwner, kWindow);
    const bool known = status == Status::in_doubt || access_kind == Access::get ||
                       run == (status == Status::ok ? 1u : 0u);
    if (seen != Status::ok || run > 1 || !known)
        co_return Status::failed;
    const bool writes = access_kind == Access::put || access_kind == Access::add;
    if (writes && status == Status::in_doubt) { // some packets of it may have
        std::ranges::fill(words, run);
        status = co_await put(kernel, std::span{words}, kOwner, kWindow);
        if (status != Status::ok)
            co_return status;
    }
    for (unsigned more = 0; more < kRuns; ++more) {
        status = co_await accesses(kernel, words, run);
        if (status != Status::ok)
            co_return status;
        run += access_kind == Access::get ? 0 : 1;
    }
    const Status met = co_await barrier(kernel);
    co_return met;
}

TEST(WithinCalls, OfAWindow) {
    for (const Access kind : {Access::add, Access::fetch, Access::swap, Access::put, Access::get}) {
        SCOPED_TRACE(static_cast<int>(kind));
        access_kind = kind;
        unsigned tried = 0;
        trial = {nullptr, 1, 0, 0};
        opens_late = false;
        try_program("open", {Topology::cube, 1}, uses_window, 64, kPointsMax, tried);
        EXPECT_GT(tried, 1u);
        opens_late = true; // so it waits for that alone
        try_program("not open yet", {Topology::cube, 1}, uses_window, 64, 4, tried);
    }
}

} // namespace within_calls_test
} // namespace mesh::test
