// Full load: every node sends COUNT packets of BYTES to the node farthest from it, by the kernel's
// own routing; so all nodes forward all the time, over all their ports.
// Words: BYTES COUNT.
#include "meshputer.hpp"

#include <charconv>

namespace {
constexpr unsigned kUnderWay = 16; // packets of one node that nobody has received yet, about

unsigned number(std::string_view word) {
    unsigned value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
}
} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    using mesh::Rule;
    if (node.arguments().size() != 2)
        co_return mesh::Status::bad_argument;
    const unsigned bytes = number(node.arguments()[0]);
    const unsigned count = number(node.arguments()[1]);
    const mesh::NodeId farthest = mesh::node_at(index(node.id()) ^ (node.nodes() - 1));
    unsigned sent = 0;
    for (unsigned received = 0; received < count; ++received) {
        while (sent < count && sent - received < kUnderWay) {
            mesh::OutgoingPacket packet = co_await node.allocate(Rule::unicast);
            packet.resize(bytes);
            packet.header().destination = farthest;
            node.inject(std::move(packet));
            ++sent;
        }
        (void)co_await node.receive({.service = mesh::Service::packet});
    }
    co_return mesh::Status::ok;
}
