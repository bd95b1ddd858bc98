// A node without a board, to which only its host speaks, for suites on the target.
#pragma once

#include "kernel/node/node_core.hpp"
#include "tests/kernel/host_message.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace mesh::target {

/// The node's frames go nowhere.
inline void discard(void*, const wire::LinkHeader&, std::span<const std::byte>) {}

inline void give(NodeCore& node, PacketBuffer& room, wire::HostTag tag,
                 std::span<const std::byte> payload) {
    const auto [link, packet] = test::host_message(room.bytes, tag, payload);
    wire::Head head{.cable_to = {}, .cable_from = {}, .link = link, .link_crc = 0};
    wire::seal_head(head, {});
    static_cast<void>(node.on_frame(kHostPort, head, sizeof head + packet.size(), &room));
    node.run();
}

/// Boots the node and lets its program begin, as the host does with an app.
inline void begin(NodeCore& node) {
    PacketBuffer& room = *node.lend();
    node.boot();
    give(node, room, wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
    give(node, room, wire::HostTag::start, {});
}

} // namespace mesh::target
