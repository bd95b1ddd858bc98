// Builders and checked readers of frames. A reader validates once; after that its values are safe
// to use as lengths, though not as node numbers: those the routing rule checks.
#include "wire/frame.hpp"

#include "wire/crc32.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace mesh::wire {

namespace {

// Headers are in memory as on the wire, so their fields lie where the offsets say.
static_assert(offsetof(Head, cable_to) == offset::kCableTo &&
              offsetof(Head, cable_from) == offset::kCableFrom &&
              offsetof(Head, link) == offset::kEtherType &&
              offsetof(Head, link_crc) == offset::kLinkCrc && sizeof(Head) == kHeadBytes);
static_assert(offset::kEtherType + offsetof(LinkHeader, kind) == offset::kKind &&
              offset::kEtherType + offsetof(LinkHeader, port) == offset::kPort &&
              offset::kEtherType + offsetof(LinkHeader, sequence) == offset::kSequence &&
              offset::kEtherType + offsetof(LinkHeader, acknowledged) == offset::kAcknowledged &&
              offset::kEtherType + offsetof(LinkHeader, refused) == offset::kRefused &&
              offset::kEtherType + offsetof(LinkHeader, free_buffers) == offset::kFreeBuffers &&
              offset::kEtherType + offsetof(LinkHeader, packet_bytes) == offset::kPacketBytes &&
              offset::kEtherType + offsetof(LinkHeader, model_time) == offset::kModelTime &&
              offset::kEtherType + offsetof(LinkHeader, hops) == offset::kHops &&
              offset::kEtherType + offsetof(LinkHeader, flags) == offset::kFlags);
static_assert(offsetof(PacketHeader, rule) == packet_offset::kRule &&
              offsetof(PacketHeader, subtree) == packet_offset::kSubtree &&
              offsetof(PacketHeader, payload_bytes) == packet_offset::kPayloadBytes &&
              offsetof(PacketHeader, source) == packet_offset::kSource &&
              offsetof(PacketHeader, destination) == packet_offset::kDestination &&
              offsetof(PacketHeader, tag) == packet_offset::kTag &&
              offsetof(PacketHeader, service) == packet_offset::kService &&
              offsetof(PacketHeader, flags) == packet_offset::kFlags &&
              offsetof(PacketHeader, message) == packet_offset::kMessage &&
              offsetof(PacketHeader, position) == packet_offset::kPosition &&
              offsetof(PacketHeader, total_bytes) == packet_offset::kTotalBytes &&
              sizeof(PacketHeader::total_bytes) + packet_offset::kTotalBytes ==
                  packet_offset::kUnitBytes &&
              sizeof(PacketHeader) == packet_offset::kPacketCrc);

constexpr std::size_t kLinkBytes = offset::kLinkCrc - offset::kEtherType;

std::uint32_t crc_of(const LinkHeader& link) { return crc32(bytes_of(link).first(kLinkBytes)); }

// By its words, since a span would go by the stack.
std::uint32_t packet_crc(const std::byte* packet, std::size_t bytes) {
    return crc32({packet + kPacketHeaderBytes, packet + bytes},
                 crc32({packet, packet_offset::kPacketCrc}));
}
} // namespace

void seal_head(Head& head, const Mac& sender) {
    head.cable_to = {0x02, 0, 0, 0, 0, static_cast<std::uint8_t>(head.link.port)};
    head.cable_from = sender;
    head.link.ether_type = kEtherType;
    head.link_crc = crc_of(head.link);
}

Parse check_head(const Head& head, std::size_t frame_bytes) {
    if (frame_bytes < kHeadBytes)
        return Parse::too_short;
    if (head.link.ether_type != kEtherType)
        return Parse::not_ours;
    if (head.link_crc != crc_of(head.link))
        return Parse::bad_crc;
    if (head.link.packet_bytes > kPacketBytesMax ||
        kHeadBytes + head.link.packet_bytes > frame_bytes)
        return Parse::bad_length;
    return Parse::ok;
}

void write_head(const LinkHeader& header, const Mac& sender, std::span<std::byte, kHeadBytes> out) {
    Head head{.cable_to = {}, .cable_from = {}, .link = header, .link_crc = 0};
    seal_head(head, sender);
    store(out, 0, head);
}

Parse read_head(std::span<const std::byte> head, std::size_t frame_bytes, LinkHeader& out) {
    if (head.size() < kHeadBytes)
        return Parse::too_short;
    const Head whole = load<Head>(head, 0);
    const Parse parse = check_head(whole, frame_bytes);
    if (parse == Parse::ok)
        out = whole.link;
    return parse;
}

std::size_t couple(std::span<std::byte, kPacketBytesMax> train, std::size_t train_bytes,
                   const Head& head, std::span<const std::byte> packet) {
    const std::size_t begin = whole_words(train_bytes);
    const auto coupling = bytes_of(head).subspan<offset::kEtherType>();
    std::memcpy(train.data() + begin, coupling.data(), kCouplingBytes);
    std::memcpy(train.data() + begin + kCouplingBytes, packet.data(), packet.size());
    return begin + kCouplingBytes + packet.size();
}

std::size_t uncouple(std::span<const std::byte>& rest, Head& head,
                     std::span<std::byte, kPacketBytesMax> packet) {
    const auto coupling = std::as_writable_bytes(std::span{&head, 1}).subspan(offset::kEtherType);
    std::memcpy(coupling.data(), rest.data(), kCouplingBytes);
    const std::size_t left = rest.size() - kCouplingBytes;
    const std::size_t bytes = std::min({std::size_t{head.link.packet_bytes}, left, packet.size()});
    std::memcpy(packet.data(), rest.data() + kCouplingBytes, bytes);
    rest = rest.subspan(kCouplingBytes + std::min(whole_words(bytes), left));
    return kHeadBytes + left;
}

void seal_packet(std::span<std::byte> packet) {
    store(packet, packet_offset::kPacketCrc, packet_crc(packet.data(), packet.size()));
}

[[gnu::noinline]] Parse check_packet(std::span<const std::byte> packet, bool check_sum) {
    if (packet.size() < kPacketHeaderBytes)
        return Parse::too_short;
    const auto payload_bytes = load<std::uint16_t>(packet, packet_offset::kPayloadBytes);
    if (kPacketHeaderBytes + payload_bytes != packet.size())
        return Parse::bad_length;
    if (check_sum && load<std::uint32_t>(packet, packet_offset::kPacketCrc) !=
                         packet_crc(packet.data(), packet.size()))
        return Parse::bad_crc;
    return Parse::ok;
}

Parse read_packet(std::span<const std::byte> packet, PacketHeader& out, bool check_sum) {
    const Parse parse = check_packet(packet, check_sum);
    if (parse == Parse::ok)
        out = load<PacketHeader>(packet, 0);
    return parse;
}

} // namespace mesh::wire
