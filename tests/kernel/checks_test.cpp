// A program that breaks a precondition of a header ends, and its end says which precondition it
// was.
#include "collectives/virtual_topology.hpp"
#include "kernel/api/alt.hpp"
#include "kernel/api/message.hpp"
#include "library/guards.hpp"
#include "library/messages.hpp"
#include "library/parallel.hpp"
#include "library/requests.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>

namespace mesh::test {
namespace checks_test {

constexpr Network kPair{Topology::cube, 1};

/// Runs a program at both nodes of a pair.
void run(Program program) {
    Rig rig{kPair, program};
    rig.run({});
}

// Places ------------------------------------------------------------------------------------------

TEST(ChecksDeathTest, APlaceBesideTheGridIsABug) {
    Grid grid{{Topology::cube, 4}, node_at(0)};
    ASSERT_TRUE(grid.add_axis(3));
    ASSERT_TRUE(grid.add_axis(4));
    EXPECT_EQ(grid.coords(grid.node_of({2, 3})), (Grid::Coords{2, 3}));
    EXPECT_DEATH(static_cast<void>(grid.node_of({3, 0})), "a place was named");
    EXPECT_DEATH(static_cast<void>(grid.node_of({0, 4})), "a place was named");
}

TEST(ChecksDeathTest, AVertexBelowTheTreeIsABug) {
    const BinaryTree tree{{Topology::cube, 4}, node_at(0), 3};
    EXPECT_EQ(tree.vertices(), 7u);
    static_cast<void>(tree.node_of(6));
    EXPECT_DEATH(static_cast<void>(tree.node_of(7)), "a place was named");
}

// Rules -------------------------------------------------------------------------------------------

TEST(ChecksDeathTest, ARuleIsNotAskedForTheParentOfTheRoot) {
    EXPECT_DEATH(static_cast<void>(sbt_parent(Relative{0})), "expected: index\\(relative\\) != 0");
    EXPECT_DEATH(static_cast<void>(PortSequence{}.pop()), "expected: set_ != 0");
    const Hypercube cube{3};
    EXPECT_DEATH(static_cast<void>(cube.next_hop(node_at(5), node_at(5))),
                 "hypercube.hpp:.*expected: self != destination");
}

// Waiting -----------------------------------------------------------------------------------------

Process nothing(Kernel&) { co_return Status::ok; }

Process waits_twice(Kernel& node) {
    Request request{node, nothing(node)};
    Status status = co_await wait(node, request);
    if (status == Status::ok)
        status = co_await wait(node, request);
    co_return status;
}

Process waits_for_no_request(Kernel& node) {
    std::array requests{Request{node, nothing(node)}};
    const std::size_t first = co_await any_ended(node, requests);
    const Status status = co_await wait(node, requests[first]);
    if (status == Status::ok)
        co_await any_ended(node, requests);
    co_return status;
}

Process waits_at_no_guard(Kernel& node) {
    const auto never = [](bool counts) { return when(counts, on_message(kAnySource, 7)); };
    co_await alt(node, when(true, after(node, 5)), never(false));
    co_await alt(node, never(false), never(false));
    co_return Status::ok;
}

Process waits_fairly_at_no_guard(Kernel& node) {
    std::uint32_t last = 0;
    co_await fair_alt(node, last, when(false, on_message(kAnySource, 7)));
    co_return Status::ok;
}

Process waits_at_an_empty_row(Kernel& node) {
    co_await alt(node, std::span<const MailGuard>{});
    co_return Status::ok;
}

TEST(ChecksDeathTest, WaitingForOneRequestTwiceIsABug) {
    EXPECT_DEATH(run(waits_twice), "a request was waited for twice");
}

TEST(ChecksDeathTest, WaitingForNothingIsABug) {
    EXPECT_DEATH(run(waits_for_no_request), "it waits for nothing");
    for (const Program program :
         {waits_at_no_guard, waits_fairly_at_no_guard, waits_at_an_empty_row})
        EXPECT_DEATH(run(program), "no guard of this alt can become ready");
}

Process looks_for_the_library(Kernel& node) {
    co_return probe(node, kAnySource, kProgramTagMax + 1) ? Status::ok : Status::failed;
}

TEST(ChecksDeathTest, AGuardForATagOfTheLibraryIsABug) {
    EXPECT_DEATH(run(looks_for_the_library), "it waits for a tag that is the library's");
}

template <bool kWas>
Process joins_nobody(Kernel& node) {
    ProcessId id;
    Status status = Status::ok;
    if (kWas && !node.spawn(nothing(node), id))
        status = Status::failed;
    if (kWas && status == Status::ok)
        status = co_await node.join(id);
    if (status == Status::ok)
        status = co_await node.join(id);
    co_return status;
}

TEST(ChecksDeathTest, JoiningAProcessThatNeverWasOrWasJoinedIsABug) {
    EXPECT_DEATH(run(joins_nobody<false>), "it joins a process that never was");
    EXPECT_DEATH(run(joins_nobody<true>), "or that has been joined");
}

// Messages ----------------------------------------------------------------------------------------

/// Node 0 sends `bytes` to node 1, which takes one packet more than there are if it is `greedy`.
template <std::size_t kBytes, bool kGreedy>
Process talks(Kernel& node) {
    if (node.id() == node_at(0)) {
        const std::array<std::byte, kBytes> data{};
        co_return co_await send(node, node_at(1), {}, data);
    }
    Message message = co_await receive_message(node);
    do
        co_await next(node, message);
    while (!message.finished());
    if (kGreedy)
        co_await next(node, message);
    co_return Status::ok;
}

TEST(ChecksDeathTest, APacketBehindTheLastOneIsABug) {
    run(talks<100, false>);
    run(talks<0, false>);
    EXPECT_DEATH((run(talks<100, true>)), "behind the last one of its message");
    EXPECT_DEATH((run(talks<0, true>)), "behind the last one of its message");
}

// The kernel's own --------------------------------------------------------------------------------

TEST(ChecksDeathTest, TheJobIsNotThereBeforeItHasCome) {
    Rig rig{kPair, nothing};
    rig.boot();
    EXPECT_DEATH(static_cast<void>(rig.kernel(0).job()), "the job was asked for before");
}

} // namespace checks_test
} // namespace mesh::test
