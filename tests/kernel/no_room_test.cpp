// An operation for which there was no room has had no effect, whatever a call returns.
#include "meshputer.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>

namespace mesh::test {
namespace no_room_test {

std::array<std::byte, 4> room{};

struct Story {
    Status shallow = Status::failed;
    Status deep = Status::failed;
    Status exchanged = Status::failed;
};
Story story;

Task<Received> deeper(Kernel& node, unsigned levels) {
    if (levels == 0)
        co_return Received{};
    const Received received = co_await deeper(node, levels - 1);
    co_return received;
}

Process goes_deep(Kernel& node) {
    const Received shallow = co_await deeper(node, 3);
    const Received deep = co_await deeper(node, 100'000);
    story.shallow = shallow.status;
    story.deep = deep.status;
    co_return Status::ok;
}

TEST(NoRoom, ACallThatGivesWhatItReceivedSaysSo) {
    story = {};
    Rig rig{{Topology::cube, 1}, goes_deep};
    rig.run({});
    EXPECT_EQ(story.shallow, Status::ok);
    EXPECT_EQ(story.deep, Status::no_memory);
}

Process waits_for_ever(Kernel& node) {
    co_await node.wait_until([] { return false; });
    co_return Status::ok;
}

Process exchanges_among_many(Kernel& node) {
    while (node.spawn(waits_for_ever(node))) {
    }
    const Received got = co_await sendrecv(node, room, node.id(), room, node.id());
    story.exchanged = got.status;
    co_return Status::ok;
}

TEST(NoRoom, AnExchangeForWhichNoProcessIsLeftSaysSo) {
    story = {};
    Rig rig{{Topology::cube, 1}, exchanges_among_many};
    rig.run({});
    EXPECT_EQ(story.exchanged, Status::no_memory);
}

} // namespace no_room_test
} // namespace mesh::test
