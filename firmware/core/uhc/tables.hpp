// The tables of the UHC's trees bt3 and bt4: 192 bytes of flash.
//
// bt3 is by construction a table over the 64 addresses of a section of six dimensions, and bt4 one
// over the 64 of six and the 256 of eight: everything else in this folder is computed. Addresses
// are in canonical form, those of a section whose parity is its node's. (huang-yang-tseng-2001,
// figure 4 and algorithm 2)
#pragma once

#include "core/base/bits.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// Three tables of numbers below 8, three bits a number, one after the other.
class SectionTables {
public:
    /// First entries. bt3: address -> out-ports that get the packet, bit j = out-port j of the
    /// section. bt4: address -> how many get it, from out-port 0 up.
    static constexpr unsigned kBt3 = 0;
    static constexpr unsigned kBt4Of6 = 64;
    static constexpr unsigned kBt4Of8 = 128;
    static constexpr unsigned kEntries = 128 + 256;

    /// From one digit per entry.
    explicit consteval SectionTables(const char (&digits)[kEntries + 1]) {
        for (unsigned entry = 0; entry < kEntries; ++entry)
            for (unsigned bit = 0; bit < kBits; ++bit) {
                const unsigned place = kBits * entry + bit;
                const unsigned set = (static_cast<unsigned>(digits[entry]) >> bit) & 1u;
                bytes_[place / 8] =
                    static_cast<std::uint8_t>(bytes_[place / 8] | set << (place % 8));
            }
    }
    constexpr unsigned operator[](unsigned entry) const {
        const unsigned place = kBits * entry;
        const unsigned both = bytes_[place / 8] | unsigned{bytes_[place / 8 + 1]} << 8;
        return (both >> (place % 8)) & 7u;
    }

private:
    static constexpr unsigned kBits = 3;
    std::array<std::uint8_t, kEntries * kBits / 8 + 1>
        bytes_{}; // one more, so that two can be read
};

/// bt3 is bt2 of six dimensions with 101111 moved from 101110 to 111111, which saves a one-port
/// step; a test compares it with that construction. bt4 was found by a search for trees that finish
/// in 8 and 10 one-port steps.
inline constexpr SectionTables kSectionTables{
    "7301701111101101703111103101101130113301110111003301301111101105" // bt3
    "3300202030101301302111103101101112000102110120102201201210103001" // bt4 of six
    "4300203030103100401012101400104012100420110101102100203010202200" // bt4 of eight
    "4022110030023001200210013011111032001031111011011014111020011011"
    "3021120021011010310230021010200122013010102011002012120130011010"
    "3102300210013002302011001301101120011202110111104002300211101001"};

/// Canonical address of a section: dimensions 2j and 2j+1 exchanged.
constexpr std::uint32_t pairs_swapped(std::uint32_t content) {
    return ((content & 0x5555'5555u) << 1) | ((content >> 1) & 0x5555'5555u);
}

/// Bits 0..2 of out-port numbers as the dimensions of those superdimensions.
constexpr std::uint32_t spread_pairs(unsigned ports) {
    return 3 * ((ports & 1u) | (ports & 2u) << 1 | (ports & 4u) << 2);
}

} // namespace mesh
