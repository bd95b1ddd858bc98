// The names of the pcapng format (draft-ietf-opsawg-pcapng) that captures use, for the code that
// writes captures and the code that reads them. A file is a row of blocks: type, length, body,
// length again, in whole words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mesh::host::pcapng {

namespace block {
inline constexpr std::uint32_t kSection = 0x0A0D'0D0A;
inline constexpr std::uint32_t kInterface = 1;
inline constexpr std::uint32_t kStatistics = 5;
inline constexpr std::uint32_t kPacket = 6;     // "enhanced"
inline constexpr std::uint32_t kCustom = 0xBAD; // readers that do not know its number skip it
} // namespace block

/// A word that says which end of a number comes first.
inline constexpr std::uint32_t kByteOrder = 0x1A2B'3C4D;
inline constexpr std::uint16_t kEthernet = 1; // link type

/// Bytes before the body of a block, and of a whole one without any.
inline constexpr std::size_t kBlockHead = 8;
inline constexpr std::size_t kBlockFrame = 12;
/// Bytes of a packet block before the packet: interface, time (high, low), kept and whole length.
inline constexpr std::size_t kPacketFields = 20;
inline constexpr std::size_t kSectionFields = 16;
inline constexpr std::size_t kInterfaceFields = 8;
inline constexpr std::size_t kStatisticsFields = 12;
/// Private Enterprise Number of our Custom Blocks: 32473 is reserved for documentation (RFC 5612).
/// A block is one trace event: time (64 bits), node (32), what (8), process (8), 0 (16), bytes of a
/// text (32), the text.
inline constexpr std::uint32_t kOurNumber = 32473;
inline constexpr std::size_t kTraceEventFields = 24;

namespace option {
inline constexpr std::uint16_t kEnd = 0;
inline constexpr std::uint16_t kComment = 1;
inline constexpr std::uint16_t kName = 2;            // of an interface
inline constexpr std::uint16_t kDescription = 3;     // of an interface
inline constexpr std::uint16_t kApplication = 4;     // of a section
inline constexpr std::uint16_t kTimeResolution = 9;  // of an interface: 10^-value seconds
inline constexpr std::uint16_t kChecksumLength = 13; // of an interface
inline constexpr std::uint16_t kPacketFlags = 2;     // of a packet
inline constexpr std::uint16_t kPacketId = 5;        // of a packet
} // namespace option

/// Comments of a frame whose packet went the same way before.
namespace comment {
inline constexpr std::string_view kRetransmission = "retransmission"; // and its number
inline constexpr std::string_view kAfterRefusal = "again after a refusal";
} // namespace comment

/// Bits of option::kPacketFlags.
namespace flag {
inline constexpr std::uint32_t kInbound = 1;
inline constexpr std::uint32_t kOutbound = 2;
inline constexpr std::uint32_t kChecksumError = 1u << 24;
inline constexpr std::uint32_t kTooShort = 1u << 26;
inline constexpr std::uint32_t kWrong = kChecksumError | kTooShort;
} // namespace flag

/// The size when it is filled up to a whole word.
constexpr std::size_t padded(std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; }

} // namespace mesh::host::pcapng
