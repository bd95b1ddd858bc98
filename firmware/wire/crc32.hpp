// CRC-32 (IEEE 802.3, reflected, as zlib's crc32): the checksum of link headers and packets.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

static_assert(std::endian::native == std::endian::little, "the wire is little-endian, as we are");

namespace mesh::wire {

namespace detail {

/// Tables to step by: 1 KiB each. One in the flash of a microcontroller, or none where that is too
/// much; sixteen on a 64-bit machine, for a fifth of the time.
#ifdef MESH_CRC_TABLES
inline constexpr std::size_t kCrcTables = MESH_CRC_TABLES;
#else
inline constexpr std::size_t kCrcTables = sizeof(void*) == 8 ? 16 : 1;
#endif

/// The effect of a byte on the bits behind it.
constexpr std::uint32_t crc_bits(std::uint32_t byte) {
    for (int bit = 0; bit < 8; ++bit)
        byte = (byte >> 1) ^ ((byte & 1u) != 0 ? 0xEDB8'8320u : 0u);
    return byte;
}

/// Table k takes a byte over itself and k bytes of zero behind it.
template <std::size_t kTables>
constexpr std::array<std::array<std::uint32_t, 256>, kTables> make_crc_tables() {
    std::array<std::array<std::uint32_t, 256>, kTables> tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte)
        tables[0][byte] = crc_bits(byte);
    for (std::size_t k = 1; k < kTables; ++k)
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[k - 1][byte];
            tables[k][byte] = (before >> 8) ^ tables[0][before & 0xFFu];
        }
    return tables;
}
template <std::size_t kTables>
inline constexpr auto kCrcTable = make_crc_tables<kTables>();

/// Takes `value` over the bytes from `at` to `end`, `kStep` (4 or more) at a time; leaves `at`
/// where fewer than that are left.
template <std::size_t kTables, std::size_t kStep>
constexpr std::uint32_t crc_steps(const std::byte*& at, const std::byte* end, std::uint32_t value) {
    for (; static_cast<std::size_t>(end - at) >= kStep; at += kStep) {
        std::uint32_t next = 0;
#pragma GCC unroll 16
        for (std::size_t byte = 0; byte < kStep; ++byte) {
            const std::uint32_t carried = byte < 4 ? (value >> (8 * byte)) & 0xFFu : 0;
            next ^= kCrcTable<kTables>[kStep - 1 - byte]
                                      [std::to_integer<std::uint32_t>(at[byte]) ^ carried];
        }
        value = next;
    }
    return value;
}

/// The four bytes at `at`, the first one lowest; on the target one load.
constexpr std::uint32_t word_at(const std::byte* at) {
    std::uint32_t word = 0;
    if (std::is_constant_evaluated())
        for (std::size_t byte = 0; byte < 4; ++byte)
            word |= std::to_integer<std::uint32_t>(at[byte]) << (8 * byte);
    else
        std::memcpy(&word, at, 4);
    return word;
}

/// The same with one table, a word at a time: one load in place of four, and no loop between them.
constexpr std::uint32_t crc_words(const std::byte*& at, const std::byte* end, std::uint32_t value) {
    const std::byte* const words_end = at + (static_cast<std::size_t>(end - at) & ~std::size_t{3});
    if (at != words_end) // a loop that ends with its condition has one jump less
        do {
            value ^= word_at(at);
            at += 4;
#pragma GCC unroll 4
            for (int byte = 0; byte < 4; ++byte)
                value = kCrcTable<1>[0][value & 0xFFu] ^ (value >> 8);
        } while (at != words_end);
    return value;
}

template <std::size_t kTables>
constexpr std::uint32_t crc_of_byte(std::uint32_t byte) {
    if constexpr (kTables == 0)
        return crc_bits(byte);
    else
        return kCrcTable<kTables>[0][byte];
}

/// Of pointers: a span would go by the stack. Called, so that an image has one copy.
template <std::size_t kTables>
[[gnu::noinline]] constexpr std::uint32_t crc32(const std::byte* at, const std::byte* end,
                                                std::uint32_t seed) {
    std::uint32_t value = ~seed;
    if constexpr (kTables == 1)
        value = crc_words(at, end, value);
    if constexpr (kTables >= 16)
        value = crc_steps<kTables, 16>(at, end, value);
    if constexpr (kTables >= 4)
        value = crc_steps<kTables, 4>(at, end, value);
    for (; at != end; ++at)
        value = (value >> 8) ^
                crc_of_byte<kTables>((value ^ std::to_integer<std::uint32_t>(*at)) & 0xFFu);
    return ~value;
}

} // namespace detail

/// CRC-32 of `bytes`, continuing from `seed` (the CRC of what came before; 0 to begin).
/// On a microcontroller 4 instructions a byte and 1 KiB of flash. Callable from an
/// interrupt.
[[gnu::always_inline]] constexpr std::uint32_t crc32(std::span<const std::byte> bytes,
                                                     std::uint32_t seed = 0) {
    return detail::crc32<detail::kCrcTables>(bytes.data(), bytes.data() + bytes.size(), seed);
}

} // namespace mesh::wire
