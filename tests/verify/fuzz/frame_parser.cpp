// Any bytes as a frame: read_head() and read_packet() never read beyond them, and what they accept
// is written again as the same bytes.
#include "require.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using namespace mesh;

void check_head(std::span<const std::byte> frame) {
    wire::LinkHeader header;
    const auto head = frame.first(std::min(frame.size(), wire::kHeadBytes));
    if (wire::read_head(head, frame.size(), header) != wire::Parse::ok)
        return;
    require(header.packet_bytes <= wire::kPacketBytesMax);
    require(wire::kHeadBytes + header.packet_bytes <= frame.size());
    std::array<std::byte, wire::kHeadBytes> again{};
    wire::write_head(header, {}, again);
    require(std::equal(again.begin() + wire::kCableBytes, again.end(),
                       head.begin() + wire::kCableBytes));
}

void check_packet(std::span<const std::byte> packet) {
    wire::PacketHeader header;
    if (wire::read_packet(packet, header) != wire::Parse::ok)
        return;
    require(wire::kPacketHeaderBytes + header.payload_bytes == packet.size());
    std::vector<std::byte> again(packet.begin(), packet.end());
    wire::write_packet_header(header, std::span{again}.first<wire::kPacketHeaderBytes>());
    wire::seal_packet(again);
    require(std::ranges::equal(again, packet));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // A copy of the exact size, so that one byte too far is seen.
    const std::vector<std::byte> frame(reinterpret_cast<const std::byte*>(data),
                                       reinterpret_cast<const std::byte*>(data) + size);
    check_head(frame);
    check_packet(frame);
    if (size > wire::kHeadBytes)
        check_packet(std::span{frame}.subspan(wire::kHeadBytes));
    return 0;
}
