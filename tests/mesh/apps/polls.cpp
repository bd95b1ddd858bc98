// Programs that wait otherwise than they should. "probe": node 1 looks for the message of node 0
// again and again; "ever": node 1 gives way for ever, and node 0 waits for it; "unwanted": node 1
// waits for node 0, which waits for a message of any node, and node 2 offers it one that it does
// not want.
#include "meshputer.hpp"

#include <string_view>

namespace {

mesh::Process probe_for(mesh::Kernel& node) {
    std::uint32_t value = 0;
    while (!mesh::probe(node, mesh::kAnySource, 5))
        co_await node.yield();
    const mesh::Received got = co_await mesh::receive_value(node, value, mesh::kAnySource, 5);
    mesh::print("got {}\n", value);
    co_return got.status;
}

mesh::Process give_way(mesh::Kernel& node) {
    for (;;)
        co_await node.yield();
}

mesh::Process wait_for(mesh::Kernel& node, mesh::NodeId from) {
    std::uint32_t value = 0;
    co_return (co_await mesh::receive_value(node, value, from, 2)).status;
}

mesh::Process wait_for_anybody(mesh::Kernel& node) {
    std::uint32_t value = 0;
    co_return (co_await mesh::receive_value(node, value, mesh::kAnySource, 9)).status;
}

mesh::Process send_to_1(mesh::Kernel& node, mesh::Tag tag) {
    co_return co_await mesh::send_value(node, 7u, mesh::NodeId{1}, tag);
}

mesh::Process nothing(mesh::Kernel&) { co_return mesh::Status::ok; }

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const std::string_view what = node.arguments()[0];
    const unsigned me = mesh::index(node.id());
    if (me == 1)
        return what == "probe"  ? probe_for(node)
               : what == "ever" ? give_way(node)
                                : wait_for(node, mesh::NodeId{0});
    if (what == "unwanted")
        return me == 2 ? send_to_1(node, 7) : me == 0 ? wait_for_anybody(node) : nothing(node);
    if (me != 0)
        return nothing(node);
    return what == "probe" ? send_to_1(node, 5) : wait_for(node, mesh::NodeId{1});
}
