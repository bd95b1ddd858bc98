// exchange(): the part of its memory that it uses, and the packets that it leaves behind.
#include "collectives/personalised.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mesh::test {
namespace exchange_test {

constexpr Network kStar{Topology::star, 3};

// Block c is node c's number, whatever the round.
Process gathers_again_and_again(Kernel& node) {
    for (unsigned round = 1; round <= 300; ++round) {
        const auto memory = node.workspace();
        std::fill(memory.begin(), memory.end(), std::byte{});
        memory[4 * index(node.id())] = static_cast<std::byte>(index(node.id()) + 1);
        const PersonalPlan plan{
            .tree = Rule::edt, .schedule = Schedule::queue, .block_bytes = 4, .tag = 1};
        const Status status = co_await exchange(node, plan, Exchange::allgather, memory);
        if (status != Status::ok)
            co_return status;
        for (std::uint32_t other = 0; other < node.nodes(); ++other)
            if (memory[4 * other] != static_cast<std::byte>(other + 1))
                co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Exchange, ByPacketsLeavesNoMemoryAndNoProcessBehind) {
    Rig rig{kStar, gathers_again_and_again, 100, 1, 24 * 1024};
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id) {
        EXPECT_EQ(rig.report(id).done, 1u) << id;
        EXPECT_EQ(rig.report(id).status, 0u) << id;
    }
}

Process gathers_once(Kernel& node) {
    const PersonalPlan plan{
        .tree = Rule::edt, .schedule = Schedule::queue, .block_bytes = 4, .tag = 1};
    const Status status = co_await exchange(node, plan, Exchange::allgather, node.workspace());
    co_return status;
}

TEST(Exchange, ByPacketsInAnArenaOfAnySizeEndsInNoMemoryOrInSuccess) {
    bool ever_ok = false, ever_not = false;
    for (std::size_t bytes = 0; bytes <= 12 * 1024; bytes += Arena::kGrain) {
        Rig rig{kStar, gathers_once, 100, 1, bytes};
        rig.run({});
        unsigned ok = 0, no_memory = 0;
        for (std::uint32_t id = 0; id < rig.size(); ++id) {
            const wire::NodeReport report = rig.report(id);
            ok += report.done != 0 && report.status == 0 ? 1 : 0;
            no_memory += report.status == static_cast<std::uint32_t>(Status::no_memory) ? 1 : 0;
        }
        EXPECT_TRUE(ok == rig.size() || no_memory > 0) << "arena of " << bytes << " bytes";
        ever_ok = ever_ok || ok == rig.size();
        ever_not = ever_not || no_memory > 0;
    }
    EXPECT_TRUE(ever_ok && ever_not);
}

Process gathers_beside_marks(Kernel& node) {
    const auto memory = node.workspace();
    std::fill(memory.begin(), memory.end(), std::byte{0xA5});
    const PersonalPlan plan{.tree = Rule::sbt, .schedule = Schedule::level, .block_bytes = 4};
    const Status status = co_await exchange(node, plan, Exchange::allgather, memory);
    const auto beyond = memory.subspan(exchange_bytes(node.nodes(), plan.block_bytes));
    const bool marks = std::all_of(beyond.begin(), beyond.end(),
                                   [](std::byte byte) { return byte == std::byte{0xA5}; });
    co_return status == Status::ok && !marks ? Status::failed : status;
}

TEST(Exchange, TouchesNoMoreMemoryThanItNeeds) {
    Rig rig{{Topology::cube, 2}, gathers_beside_marks};
    rig.run({});
    for (std::uint32_t id = 0; id < rig.size(); ++id)
        EXPECT_EQ(rig.report(id).status, 0u) << id;
}

Process wants_copies_blindly(Kernel& node) {
    const PersonalPlan plan{
        .tree = Rule::edt, .schedule = Schedule::queue, .block_bytes = 4, .copies = 2};
    const Status status = co_await exchange(node, plan, Exchange::allgather, node.workspace());
    co_return status == Status::bad_argument ? Status::ok : Status::failed;
}

TEST(Exchange, OfSeveralCopiesNeedsAPlaceToCountThem) {
    Rig rig{kStar, wants_copies_blindly};
    rig.run({});
    EXPECT_EQ(rig.report(0).status, 0u);
}

/// All four, of a plan that names neither tree nor schedule.
Process exchanges_by_default(Kernel& node) {
    const std::uint32_t self = index(node.id());
    const bool cube = node.network().topology == Topology::cube;
    const auto place = [=](std::uint32_t other) { return 4 * (cube ? other ^ self : other); };
    for (const Exchange what :
         {Exchange::alltoall, Exchange::allgather, Exchange::scatter, Exchange::gather}) {
        const auto memory = node.workspace();
        for (std::uint32_t other = 0; other < node.nodes(); ++other)
            memory[place(other)] = static_cast<std::byte>(16 * self + other);
        const PersonalPlan plan{.block_bytes = 4, .tag = static_cast<Tag>(4 * unsigned(what))};
        const Status status = co_await exchange(node, plan, what, memory);
        if (status != Status::ok)
            co_return status;
        for (std::uint32_t other = 0; other < node.nodes(); ++other)
            if (what == Exchange::alltoall &&
                memory[place(other)] != static_cast<std::byte>(16 * other + self))
                co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Exchange, OfAPlanThatNamesNoTreeGoesByTheUsualOneOfTheNetwork) {
    for (const Network network : {Network{Topology::cube, 3}, Network{Topology::uhc, 3}, kStar}) {
        Rig rig{network, exchanges_by_default};
        rig.run({});
        for (std::uint32_t id = 0; id < rig.size(); ++id)
            EXPECT_EQ(rig.report(id).status, 0u) << name(network.topology) << ' ' << id;
    }
}

} // namespace exchange_test
} // namespace mesh::test
