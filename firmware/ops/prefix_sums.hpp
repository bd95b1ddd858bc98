// The operation of prefix sums in ASCEND order, on vectors of 32-bit words.
#pragma once

#include "collectives/ascend.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <cstdint>

namespace mesh {

/// A value is two vectors: the sums up to the node, and those of all nodes of its subcube.
inline std::size_t add_prefixes(const void*, const AscendOperands& pair,
                                std::span<std::byte> result) {
    using Word = std::uint32_t;
    const auto mine = pair.is_upper() ? pair.upper : pair.lower;
    const std::size_t half = mine.size() / 2;
    for (std::size_t at = 0; at < half; at += sizeof(Word)) {
        const Word below = wire::load<Word>(pair.lower, half + at);
        const Word prefix = wire::load<Word>(mine, at) + (pair.is_upper() ? below : 0);
        wire::store(result, at, prefix);
        wire::store(result, half + at, below + wire::load<Word>(pair.upper, half + at));
    }
    return 2 * half;
}

/// Makes a node's vector, which is the value of `block`, a value of add_prefixes().
inline void begin_prefixes(AscendBlock& block) {
    const std::size_t bytes = block.value().size();
    const auto both = block.resize(2 * bytes);
    std::copy_n(both.begin(), bytes, both.begin() + static_cast<std::ptrdiff_t>(bytes));
}

} // namespace mesh
