// Programs that wait for ever. "circle": every node for a message with tag 3 of the next one;
// "nobody": node 1 for one with tag 7 of whoever sends it; "join": the same in a process of its
// own, which the program joins; "taking": node 1 sends one that node 0 does not take.
#include "meshputer.hpp"

#include <string_view>

namespace {

mesh::Process wait_for(mesh::Kernel& node, mesh::NodeId from, mesh::Tag tag) {
    std::byte byte{};
    co_return (co_await mesh::receive(node, std::span(&byte, 1), tag, from)).status;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const std::string_view what = node.arguments()[0];
    const mesh::NodeId next = mesh::node_at((mesh::index(node.id()) + 1) % node.nodes());
    mesh::ProcessId waiting;
    mesh::Process process = wait_for(node, what == "circle" ? next : mesh::kAnySource,
                                     what == "circle" ? mesh::Tag{3} : mesh::Tag{7});
    const bool sends = what == "taking" && node.id() == mesh::NodeId{1};
    if (sends)
        co_return co_await mesh::send(node, mesh::NodeId{0}, {.tag = 5}, {});
    const mesh::NodeId who{what == "taking" ? 0u : 1u};
    if (what != "circle" && node.id() != who)
        co_return mesh::Status::ok;
    if (!node.spawn(std::move(process), waiting))
        co_return mesh::Status::no_memory;
    co_return co_await node.join(waiting);
}
