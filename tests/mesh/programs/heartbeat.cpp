// Node 0 waits for a message of the last node, which never comes: it is dead, or its program has
// ended. Node 1 has a heartbeat until node 0 tells it to stop. Word: whether that program ends.
#include "meshputer.hpp"

using namespace mesh;

constexpr Tag kData = 3, kStop = 4;

Process app_main(Kernel& node) {
    std::uint32_t value = 0;
    const bool ends = word<unsigned>(node, 0, 1) != 0;
    if (node.id() == NodeId{0}) {
        const Received received =
            co_await receive_value(node, value, node_at(node.nodes() - 1), kData);
        print("{}\n", received.status == Status::unreachable ? "unreachable" : "?");
        co_return co_await send_value(node, value, NodeId{1}, kStop);
    }
    if (node.id() == NodeId{1}) {
        Ticker ticker{node, 10 * wire::kTicksPerUnit};
        std::uint64_t beats = 0;
        while (!probe(node, NodeId{0}, kStop))
            beats += co_await ticker.next();
        print("{} beats\n", beats);
        const Received received = co_await receive_value(node, value, NodeId{0}, kStop);
        co_return received.status;
    }
    if (index(node.id()) == node.nodes() - 1 && !ends)
        co_await node.sleep(10'000'000 * wire::kTicksPerUnit);
    co_return Status::ok;
}
