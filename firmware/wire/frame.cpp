// Builders and checked readers of frames. A reader validates once; after that its values are safe
// to use as lengths, though not as node numbers: those the routing rule checks.
#include "wire/frame.hpp"

#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

namespace mesh::wire {

namespace {
std::uint32_t link_crc(std::span<const std::byte> head) {
    return crc32(head.subspan(offset::kEtherType, offset::kLinkCrc - offset::kEtherType));
}

std::uint32_t packet_crc(std::span<const std::byte> packet) {
    return crc32(packet.subspan(kPacketHeaderBytes),
                 crc32(packet.first(packet_offset::kPacketCrc)));
}
} // namespace

void write_head(const LinkHeader& header, const Mac& sender, std::span<std::byte, kHeadBytes> out) {
    const Mac to{0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(header.port)};
    store(out, offset::kCableTo, to);
    store(out, offset::kCableFrom, sender);
    store(out, offset::kEtherType, kEtherType);
    store(out, offset::kKind, header.kind);
    store(out, offset::kPort, header.port);
    store(out, offset::kSequence, header.sequence);
    store(out, offset::kAcknowledged, header.acknowledged);
    store(out, offset::kRefused, header.refused);
    store(out, offset::kFreeBuffers, header.free_buffers);
    store(out, offset::kPacketBytes, header.packet_bytes);
    store(out, offset::kModelTime, header.model_time);
    store(out, offset::kHops, header.hops);
    store(out, offset::kFlags, header.flags);
    store(out, offset::kLinkCrc, link_crc(out));
}

Parse read_head(std::span<const std::byte> head, std::size_t frame_bytes, LinkHeader& out) {
    if (frame_bytes < kHeadBytes || head.size() < kHeadBytes)
        return Parse::too_short;
    if (load<std::uint16_t>(head, offset::kEtherType) != kEtherType)
        return Parse::not_ours;
    if (load<std::uint32_t>(head, offset::kLinkCrc) != link_crc(head))
        return Parse::bad_crc;
    const auto packet_bytes = load<std::uint16_t>(head, offset::kPacketBytes);
    if (packet_bytes > kPacketBytesMax || kHeadBytes + packet_bytes > frame_bytes)
        return Parse::bad_length;
    out.kind = load<Kind>(head, offset::kKind);
    out.port = load<Port>(head, offset::kPort);
    out.sequence = load<std::uint16_t>(head, offset::kSequence);
    out.acknowledged = load<std::uint16_t>(head, offset::kAcknowledged);
    out.refused = load<std::uint32_t>(head, offset::kRefused);
    out.free_buffers = load<std::uint16_t>(head, offset::kFreeBuffers);
    out.packet_bytes = packet_bytes;
    out.model_time = load<ModelTime>(head, offset::kModelTime);
    out.hops = load<std::uint16_t>(head, offset::kHops);
    out.flags = load<std::uint16_t>(head, offset::kFlags);
    return Parse::ok;
}

void write_packet_header(const PacketHeader& header, std::span<std::byte, kPacketHeaderBytes> out) {
    store(out, packet_offset::kRule, header.rule);
    store(out, packet_offset::kSubtree, header.subtree);
    store(out, packet_offset::kPayloadBytes, header.payload_bytes);
    store(out, packet_offset::kSource, header.source);
    store(out, packet_offset::kDestination, header.destination);
    store(out, packet_offset::kTag, header.tag);
    store(out, packet_offset::kService, header.service);
    store(out, packet_offset::kFlags, header.flags);
    store(out, packet_offset::kMessage, header.message);
    store(out, packet_offset::kPosition, header.position);
    store(out, packet_offset::kTotalBytes, header.total_bytes);
    store(out, packet_offset::kUnitBytes, header.unit_bytes);
}

void seal_packet(std::span<std::byte> packet) {
    store(packet, packet_offset::kPacketCrc, packet_crc(packet));
}

Parse read_packet(std::span<const std::byte> packet, PacketHeader& out, bool check) {
    if (packet.size() < kPacketHeaderBytes)
        return Parse::too_short;
    const auto payload_bytes = load<std::uint16_t>(packet, packet_offset::kPayloadBytes);
    if (kPacketHeaderBytes + payload_bytes != packet.size())
        return Parse::bad_length;
    if (check && load<std::uint32_t>(packet, packet_offset::kPacketCrc) != packet_crc(packet))
        return Parse::bad_crc;
    out.rule = load<Rule>(packet, packet_offset::kRule);
    out.subtree = load<std::uint8_t>(packet, packet_offset::kSubtree);
    out.payload_bytes = payload_bytes;
    out.source = load<NodeId>(packet, packet_offset::kSource);
    out.destination = load<NodeId>(packet, packet_offset::kDestination);
    out.tag = load<std::uint16_t>(packet, packet_offset::kTag);
    out.service = load<std::uint8_t>(packet, packet_offset::kService);
    out.flags = load<std::uint8_t>(packet, packet_offset::kFlags);
    out.message = load<std::uint32_t>(packet, packet_offset::kMessage);
    out.position = load<std::uint32_t>(packet, packet_offset::kPosition);
    out.total_bytes = load<std::uint32_t>(packet, packet_offset::kTotalBytes);
    out.unit_bytes = load<std::uint32_t>(packet, packet_offset::kUnitBytes);
    return Parse::ok;
}

} // namespace mesh::wire
