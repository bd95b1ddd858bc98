// The compact format of frames, for serial lines: the contents of the two headers, in as few bytes
// as they need. The sending end makes the front of a frame of the headers, the receiving end makes
// the headers of the front, to the byte; above the line nothing shows it.
//
//   byte 0       kind | packet follows (8) | port (4 bits, 15: the host's)
//   byte 1       which fields of the link header are not zero, and those, 7 bits a byte
//   if a packet: which fields of its header are not what is usual, and those in the same way
//   4 bytes      checksum: the CRC of the link header, that of the packet added (xor)
//   payload      as it is
//
// Cable header and lengths are not sent: the line says the one, the end of the frame the other. The
// checksums of the headers are made anew, so that one that does not fit shows in the link header's.
// An acknowledgement has 8 to 11 bytes (44 otherwise), a packet of a broadcast some 18 (80).
#pragma once

#include "wire/frame.hpp"

#include <array>
#include <cstddef>
#include <span>

namespace mesh::wire {

inline constexpr std::size_t kFrontBytesMax = 80;
/// Ports that the format can name, the host's apart.
inline constexpr unsigned kCompactPorts = 15;

/// The first bytes of a frame on the line.
struct Front {
    std::array<std::byte, kFrontBytesMax> bytes;
    std::size_t size = 0;

    std::span<const std::byte> all() const { return std::span{bytes}.first(size); }
};

/// Makes the front of a frame: `head` its first 44 bytes, `packet` the rest. Checksums that do not
/// fit still do not fit when it arrives. False: the format cannot say this frame, which is never so
/// with a frame that write_head() and seal_packet() made.
[[nodiscard]] bool write_front(std::span<const std::byte> head, std::span<const std::byte> packet,
                               Front& out);

/// A front as it was read.
struct FrontRead {
    std::size_t front_bytes = 0;  // 0: the bytes are none
    std::uint32_t checksum = 0;   // as it was sent
    std::size_t packet_bytes = 0; // 0: none follows
};

/// Makes 44 bytes of head, and of a packet its header, of the front that `bytes` begins with; the
/// frame has `frame_bytes` on the line, front and payload. The checksums are missing yet.
[[nodiscard]] FrontRead read_front(std::span<const std::byte> bytes, std::size_t frame_bytes,
                                   std::span<std::byte, kHeadBytes> head,
                                   std::span<std::byte, kPacketHeaderBytes> packet_header);

/// Puts in the checksums: the packet's as it is, and the link header's as it must have been when it
/// was sent, given the packet's. So damage to either shows when the head is read.
void restore_checksums(const FrontRead& front, std::span<std::byte> head,
                       std::span<std::byte> packet);

} // namespace mesh::wire
