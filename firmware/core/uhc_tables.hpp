// The three small tables of the UHC's trees: 176 bytes of flash.
//
// bt3 is by construction a table over the 64 addresses of a six-dimensional section, and bt4 one
// over 64 and 256: everything else in this folder is computed. Addresses are in canonical form,
// those of a section whose parity is its node's. (huang-yang-tseng-2001, figure 4 and algorithm 2)
#pragma once

#include "core/bits.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// Numbers of `kBits` bits, packed.
template <unsigned kCount, unsigned kBits>
class PackedTable {
public:
    /// From one octal digit per number.
    static consteval PackedTable from_digits(const char (&digits)[kCount + 1]) {
        PackedTable table;
        for (unsigned entry = 0; entry < kCount; ++entry)
            table.put(entry, static_cast<unsigned>(digits[entry] - '0'));
        return table;
    }
    constexpr void put(unsigned entry, unsigned number) {
        std::uint8_t& held = bytes_[entry / kPerByte];
        const unsigned shift = entry % kPerByte * kBits;
        held = static_cast<std::uint8_t>((held & ~(low_bits(kBits) << shift)) | (number << shift));
    }
    constexpr unsigned operator[](unsigned entry) const {
        return (unsigned{bytes_[entry / kPerByte]} >> (entry % kPerByte * kBits)) & low_bits(kBits);
    }

private:
    static constexpr unsigned kPerByte = 8 / kBits;
    std::array<std::uint8_t, kCount / kPerByte> bytes_{};
};

/// Canonical address of a section: dimensions 2j and 2j+1 exchanged.
constexpr std::uint32_t pairs_swapped(std::uint32_t content) {
    return ((content & 0x5555'5555u) << 1) | ((content >> 1) & 0x5555'5555u);
}

/// Bits 0..2 of out-port numbers as the dimensions of those superdimensions.
constexpr std::uint32_t spread_pairs(unsigned ports) {
    return 3 * ((ports & 1u) | (ports & 2u) << 1 | (ports & 4u) << 2);
}

/// Address in a section -> out-ports that get the packet, bit j = out-port j of the section. It is
/// bt2 of six dimensions with 101111 moved from 101110 to 111111, which saves a one-port step; a
/// test compares it with that construction.
inline constexpr auto kBt3Children = PackedTable<64, 4>::from_digits(
    "7301701111101101703111103101101130113301110111003301301111101105");

/// The same for bt4, as a number: this many out-ports, from 0 up. Found by a search for trees that
/// finish in 8 and 10 one-port steps.
inline constexpr auto kBt4Children6 = PackedTable<64, 2>::from_digits(
    "3300202030101301302111103101101112000102110120102201201210103001");
inline constexpr auto kBt4Children8 = PackedTable<256, 4>::from_digits(
    "4300203030103100401012101400104012100420110101102100203010202200"
    "4022110030023001200210013011111032001031111011011014111020011011"
    "3021120021011010310230021010200122013010102011002012120130011010"
    "3102300210013002302011001301101120011202110111104002300211101001");

} // namespace mesh
