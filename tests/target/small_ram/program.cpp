// Node 0 broadcasts as much as the workspace holds; every node sends all of it to the next one as a
// message, and looks whether what it gets itself is the same.
#include "collectives/broadcast.hpp"
#include "kernel/api/message.hpp"

#include <algorithm>

using namespace mesh;

namespace {
std::byte expected_at(std::size_t position) { return static_cast<std::byte>(position * 7 % 251); }
} // namespace

Process app_main(Kernel& kernel) {
    const auto all = kernel.workspace();
    const BroadcastPlan plan{
        .tree = Rule::sbt, .total_bytes = static_cast<std::uint32_t>(all.size()), .tag = 1};
    for (std::size_t at = 0; at < all.size(); ++at)
        all[at] = index(kernel.id()) == 0 ? expected_at(at) : std::byte{0};
    const Status cast = co_await broadcast(kernel, plan, all);
    if (cast != Status::ok)
        co_return cast;
    const std::uint32_t me = index(kernel.id());
    const NodeId next = node_at((me + 1) % kernel.nodes());
    const NodeId before = node_at((me + kernel.nodes() - 1) % kernel.nodes());
    // The bytes that come are those that are there.
    ProcessId sender;
    if (!kernel.spawn(send(kernel, next, {.tag = 2}, all), sender))
        co_return Status::no_memory;
    const Received got = co_await receive(kernel, all, before, 2);
    const Status sent = co_await kernel.join(sender);
    for (std::size_t at = 0; at < all.size(); ++at)
        if (all[at] != expected_at(at))
            co_return Status::failed;
    co_return got.status != Status::ok ? got.status : sent;
}
