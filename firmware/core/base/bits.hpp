// Bit tricks that all rules share. Everything here is clz, rbit and shifts on a Cortex-M; popcount
// would be a library call there, so parity folds by xor instead. The short ones are always inlined:
// when optimising for size the compiler would call them, at four times their own length.
#pragma once

#include "core/base/expect.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace mesh {

/// The low `width` bits set. Range 0..31.
[[gnu::always_inline]] constexpr std::uint32_t low_bits(unsigned width) { return ~(~0u << width); }

/// The bits of `value` above its highest one-bit, as a mask of 32; all bits for 0. Range of
/// `value`: below 2^31.
[[gnu::always_inline]] constexpr std::uint32_t bits_above(std::uint32_t value) {
    return ~0u << std::bit_width(value);
}

/// Zeroes above the highest one-bit, of 32 places. Precondition: not 0, which spares a test.
[[gnu::always_inline]] constexpr unsigned leading_zeroes(std::uint32_t value) {
    MESH_EXPECT(value != 0);
    return static_cast<unsigned>(__builtin_clz(value));
}

/// Position of the highest one-bit. Precondition: not 0.
[[gnu::always_inline]] constexpr unsigned highest_bit(std::uint32_t value) {
    return 31u - leading_zeroes(value);
}

/// Position of the lowest one-bit. Precondition: not 0.
[[gnu::always_inline]] constexpr unsigned lowest_bit(std::uint32_t value) {
    MESH_EXPECT(value != 0);
    return static_cast<unsigned>(std::countr_zero(value));
}

/// The lowest one-bit alone; 0 for 0.
[[gnu::always_inline]] constexpr std::uint32_t lowest_one(std::uint32_t value) {
    return value & (0u - value);
}

/// Rotation of a word of `width` bits (1..31) to the right; `count` in 0..width.
[[gnu::always_inline]] constexpr std::uint32_t rotate_right(std::uint32_t value, unsigned count,
                                                            unsigned width) {
    return ((value >> count) | (value << (width - count))) & low_bits(width);
}

/// Rotation to the left; `count` in 0..width.
[[gnu::always_inline]] constexpr std::uint32_t rotate_left(std::uint32_t value, unsigned count,
                                                           unsigned width) {
    return rotate_right(value, width - count, width);
}

/// The 32 bits in the opposite order. One instruction on a Cortex-M, but for those of v6-M and of
/// the v8-M baseline.
[[gnu::always_inline]] constexpr std::uint32_t reverse_bits(std::uint32_t value) {
#if defined(__arm__) && __ARM_ARCH_ISA_THUMB >= 2
    if (!std::is_constant_evaluated()) {
        std::uint32_t reversed = 0;
        asm("rbit %0, %1" : "=r"(reversed) : "r"(value));
        return reversed;
    }
#endif
    value = ((value >> 1) & 0x5555'5555u) | ((value & 0x5555'5555u) << 1);
    value = ((value >> 2) & 0x3333'3333u) | ((value & 0x3333'3333u) << 2);
    value = ((value >> 4) & 0x0F0F'0F0Fu) | ((value & 0x0F0F'0F0Fu) << 4);
    value = ((value >> 8) & 0x00FF'00FFu) | ((value & 0x00FF'00FFu) << 8);
    return (value >> 16) | (value << 16);
}

/// True if the number of one-bits is odd.
/// Example (parity): 0110'1011 has five one-bits. Folding keeps the parity: 0110 ^ 1011 = 1101 has
/// three. Bit 13 (1101) of 0x6996 = 0110'1001'1001'0110 is 1: odd.
constexpr bool odd_weight(std::uint32_t value) {
    value ^= value >> 16;
    value ^= value >> 8;
    value ^= value >> 4;
    return ((0x6996u >> (value & 15u)) & 1u) != 0;
}

/// Word at `position` of the reflected Gray code.
/// Example (Gray code): positions 5 and 6 are 101 and 110. Position xor half of it: 101 ^ 010 = 111
/// and 110 ^ 011 = 101. The two words differ in bit 1 alone.
constexpr std::uint32_t gray(std::uint32_t position) { return position ^ (position >> 1); }

/// Inverse of gray().
constexpr std::uint32_t gray_position(std::uint32_t word) {
    for (unsigned shift = 16; shift != 0; shift /= 2)
        word ^= word >> shift;
    return word;
}

} // namespace mesh
