// Programs that wait for ever. "circle": every node for a message with tag 3 of the next one;
// "nobody": node 1 for one with tag 7 of any node, in a process that its program joins;
// "sleeper": so it does beside a node 0 that sleeps again and again; "taking": node 1 sends a
// message that node 0 does not take; "parts": node 1 has processes that wait at channels.
#include "meshputer.hpp"

#include <string_view>

namespace {

mesh::Process wait_for(mesh::Kernel& node, mesh::NodeId from, mesh::Tag tag) {
    std::byte byte{};
    co_return (co_await mesh::receive(node, std::span(&byte, 1), from, tag)).status;
}

mesh::Process read(mesh::Kernel& node, mesh::Channel<int>& channel) {
    static_cast<void>(node);
    co_await channel.read();
    co_return mesh::Status::ok;
}

mesh::Process write(mesh::Kernel& node, mesh::Channel<int>& channel) {
    static_cast<void>(node);
    co_await channel.write(1);
    co_return mesh::Status::ok;
}

mesh::Process rest(mesh::Kernel& node) {
    for (;;)
        co_await node.sleep(1000);
}

mesh::Process parts(mesh::Kernel& node) {
    static mesh::Channel<int> in(node);
    static mesh::Channel<int> out(node);
    mesh::ProcessId reader;
    if (!node.spawn(read(node, in), reader) || !node.spawn(write(node, out)))
        co_return mesh::Status::no_memory;
    co_return co_await node.join(reader);
}

mesh::Process wait_alone(mesh::Kernel& node, std::string_view what) {
    const mesh::NodeId next = mesh::node_at((mesh::index(node.id()) + 1) % node.nodes());
    mesh::ProcessId waiting;
    mesh::Process process = wait_for(node, what == "circle" ? next : mesh::kAnySource,
                                     what == "circle" ? mesh::Tag{3} : mesh::Tag{7});
    if (!node.spawn(std::move(process), waiting))
        co_return mesh::Status::no_memory;
    co_return co_await node.join(waiting);
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const std::string_view what = node.arguments()[0];
    if (what == "taking" && node.id() == mesh::NodeId{1})
        co_return co_await mesh::send(node, mesh::NodeId{0}, {.tag = 5}, {});
    if (what == "sleeper" && node.id() == mesh::NodeId{0})
        co_return co_await rest(node);
    const mesh::NodeId who{what == "taking" ? 0u : 1u};
    if (what != "circle" && node.id() != who)
        co_return mesh::Status::ok;
    if (what == "parts")
        co_return co_await parts(node);
    co_return co_await wait_alone(node, what);
}
