// The commands of the driver of `make conform` to the image that it runs on a board.
//
// A command is a host frame with HostTag::job whose payload is a Command; answers are console text,
// a line each.
#pragma once

#include "wire/bytes.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::conform {

enum class What : std::uint32_t {
    sizes = 1, // says what the board has
    print,     // `first` bytes in one line
    lengths,   // by `port`, frames of `first`, + `step`, .. to `last` bytes of payload and one more
               // (0: no packet), each back before the next
    flood,     // by all ports at once for `first` milliseconds, all back in the end
    send,      // by `port` `first` frames of the largest kind, one after the other
    sleep,     // takes nothing for `first` milliseconds
    counts,    // says what has come by ports since the last time
    alarm,     // waits for `first` microseconds
    check,     // a check fails
    halt,      // the same while a frame to the host is leaving
    recurse,   // until the stack is full
    hang,
};

struct Command {
    What what;
    std::uint32_t port;
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t step;
};

/// Contents of payloads that byte stuffing meets at its edges: zeroes, none (in runs of all
/// lengths), the largest byte, anything.
inline constexpr unsigned kPatterns = 4;
constexpr std::byte pattern(unsigned which, std::uint32_t number, std::size_t at) {
    switch (which % kPatterns) {
    case 0: return {};
    case 1: return static_cast<std::byte>(1 + (at + number) % 255);
    case 2: return std::byte{0xFF};
    default: return static_cast<std::byte>((at * 167 + number * 13) >> 2);
    }
}

/// Frame number `number` by `port`, whose payload has so many bytes, as both sides make it.
inline std::span<const std::byte> make_packet(std::uint32_t number, std::size_t payload_bytes,
                                              std::span<std::byte, wire::kPacketBytesMax> room) {
    wire::PacketHeader header;
    header.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
    header.source = node_at(0);
    header.destination = node_at(1);
    header.message = number;
    header.total_bytes = static_cast<std::uint32_t>(payload_bytes);
    wire::write_packet_header(header, room.first<wire::kPacketHeaderBytes>());
    for (std::size_t at = 0; at < payload_bytes; ++at)
        room[wire::kPacketHeaderBytes + at] = pattern(number, number, at);
    const auto packet = room.first(wire::kPacketHeaderBytes + payload_bytes);
    wire::seal_packet(packet);
    return packet;
}

inline wire::LinkHeader make_header(Port port, std::uint32_t number, std::size_t packet_bytes) {
    wire::LinkHeader header;
    header.kind = packet_bytes == 0 ? wire::Kind::ack : wire::Kind::data;
    header.port = port;
    header.sequence = static_cast<std::uint16_t>(number);
    header.packet_bytes = static_cast<std::uint16_t>(packet_bytes);
    return header;
}

/// True if a frame is number `number`, to the byte; `head`: its first 44 bytes.
inline bool is_frame(std::span<const std::byte> head, std::span<const std::byte> packet,
                     std::uint32_t number, std::size_t payload_bytes) {
    wire::LinkHeader link;
    wire::PacketHeader header;
    if (wire::read_head(head, wire::kHeadBytes + packet.size(), link) != wire::Parse::ok ||
        link.sequence != static_cast<std::uint16_t>(number) || packet.size() != link.packet_bytes)
        return false;
    if (wire::read_packet(packet, header) != wire::Parse::ok || header.message != number ||
        header.payload_bytes != payload_bytes)
        return false;
    for (std::size_t at = 0; at < payload_bytes; ++at)
        if (packet[wire::kPacketHeaderBytes + at] != pattern(number, number, at))
            return false;
    return true;
}

} // namespace mesh::conform
