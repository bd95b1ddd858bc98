// The messages of images without a kernel to the host: text, as console frames.
#pragma once

#include "hal/concepts.hpp"
#include "hal/console.hpp"
#include "hal/dma.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace mesh::bare {

/// One frame; waits until the host's port takes it. Its bytes are in one place, so the next one
/// waits until this one has left.
template <hal::Board Board>
void send_text(Board& board, std::span<const char> text) {
    static constinit std::array<std::byte, wire::kPacketBytesMax> packet alignas(hal::kDmaAlign){};
    while ((board.ready_ports() & bit_of(kHostPort)) == 0)
        board.wait();
    wire::PacketHeader header;
    header.tag = static_cast<std::uint16_t>(wire::HostTag::console);
    header.payload_bytes = static_cast<std::uint16_t>(text.size());
    wire::write_packet_header(header, std::span{packet}.first<wire::kPacketHeaderBytes>());
    std::ranges::copy(std::as_bytes(text), packet.begin() + wire::kPacketHeaderBytes);
    const auto whole = std::span{packet}.first(wire::kPacketHeaderBytes + text.size());
    wire::seal_packet(whole);
    wire::LinkHeader link_header;
    link_header.kind = wire::Kind::host;
    link_header.port = kHostPort;
    link_header.packet_bytes = static_cast<std::uint16_t>(whole.size());
    hal::Head head;
    wire::write_head(link_header, wire::to_mac(board.identity()), head.bytes);
    board.transmit(kHostPort, head, whole);
}

/// A frame for each line, or part of a long one.
template <hal::Board Board>
void write_lines(Board& board, std::span<const char> text) {
    static std::array<char, 256> kept;
    static std::size_t used = 0;
    for (const char character : text) {
        kept[used++] = character;
        if (character == '\n' || used == kept.size())
            send_text(board, std::span{kept}.first(std::exchange(used, 0)));
    }
}

} // namespace mesh::bare
