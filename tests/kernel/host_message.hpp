// Messages of the host to a node, for tests that stand in for the host.
#pragma once

#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace mesh::test {

struct HostMessage {
    wire::LinkHeader link;       // of the frame
    std::span<std::byte> packet; // that it carries
};

/// Writes the packet to the begin of `room`.
inline HostMessage host_message(std::span<std::byte> room, wire::HostTag tag,
                                std::span<const std::byte> payload) {
    const auto packet = room.first(wire::kPacketHeaderBytes + payload.size());
    std::ranges::copy(payload, packet.begin() + wire::kPacketHeaderBytes);
    wire::write_packet_header({.payload_bytes = static_cast<std::uint16_t>(payload.size()),
                               .tag = static_cast<std::uint16_t>(tag)},
                              packet.first<wire::kPacketHeaderBytes>());
    wire::seal_packet(packet);
    return {{.kind = wire::Kind::host,
             .port = kHostPort,
             .packet_bytes = static_cast<std::uint16_t>(packet.size())},
            packet};
}

} // namespace mesh::test
