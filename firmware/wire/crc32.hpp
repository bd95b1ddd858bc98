// CRC-32 (IEEE 802.3, reflected, as zlib's crc32): the checksum of link headers and packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::wire {

namespace detail {
constexpr std::array<std::uint32_t, 256> make_crc_table() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t value = byte;
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1u) != 0 ? 0xEDB8'8320u : 0u);
        table[byte] = value;
    }
    return table;
}
inline constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();
} // namespace detail

/// CRC-32 of `bytes`, continuing from `seed` (the CRC of what came before; 0 to begin).
/// One table step a byte; 1 KiB of flash. Callable from an interrupt.
constexpr std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t seed = 0) {
    std::uint32_t value = ~seed;
    for (const std::byte byte : bytes)
        value = (value >> 8) ^
                detail::kCrcTable[(value ^ std::to_integer<std::uint32_t>(byte)) & 0xFFu];
    return ~value;
}

} // namespace mesh::wire
