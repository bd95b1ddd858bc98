// The name of a process means that one for long.
#include "rig.hpp"

#include <gtest/gtest.h>

namespace mesh::test {
namespace process_id_test {

Process ends(Kernel&) { co_return Status::ok; }

Process waits_for_one_of_long_ago(Kernel& node) {
    if (index(node.id()) != 0)
        co_return Status::ok;
    ProcessId old;
    if (!node.spawn(ends(node), old))
        co_return Status::failed;
    Status status = co_await node.join(old);
    for (unsigned later = 0; later < 256 && status == Status::ok; ++later) {
        ProcessId id;
        if (!node.spawn(ends(node), id) || id.slot != old.slot)
            co_return Status::failed;
        if (later < 255)
            status = co_await node.join(id);
        else
            status = co_await node.end_of(old); // the last one has not had its turn
    }
    co_return status;
}

TEST(ProcessId, ThatWasJoinedIsNotTakenForOneOfItsSlotLongAfter) {
    Rig rig{{Topology::cube, 1}, waits_for_one_of_long_ago, 32};
    rig.run({});
    EXPECT_EQ(rig.report(0).status, 0u);
}

} // namespace process_id_test
} // namespace mesh::test
