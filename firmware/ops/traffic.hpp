// Seeded traffic of the `send` job: which node sends which bytes to which node. Shared by the node
// that makes the bytes, the node that checks them and the host that knows what every node must have
// got.
#pragma once

#include "core/base/operators.hpp"
#include "core/network.hpp"

#include <bit>
#include <cstdint>

namespace mesh {

/// A bijective mix of 32 bits (the finaliser of MurmurHash3): neighbouring inputs, unlike outputs.
constexpr std::uint32_t mix32(std::uint32_t value) {
    value ^= value >> 16;
    value *= 0x85EB'CA6Bu;
    value ^= value >> 13;
    value *= 0xC2B2'AE35u;
    return value ^ (value >> 16);
}

/// A seed in one word: its upper half, mixed, over its lower one.
constexpr std::uint32_t folded(std::uint64_t seed) {
    return static_cast<std::uint32_t>(seed) ^ mix32(static_cast<std::uint32_t>(seed >> 32));
}

/// Receiver of message `k` of `node`: any node but itself, all equally likely.
constexpr NodeId traffic_target(std::uint32_t nodes, std::uint64_t seed, NodeId node,
                                std::uint32_t k) {
    if (nodes < 2)
        return node; // nobody else
    const std::uint32_t draw = mix32(folded(seed) ^ mix32(index(node) ^ mix32(k + 0x9E37'79B9u)));
    return node_at((index(node) + 1 + draw % (nodes - 1)) % nodes);
}

/// First word of the payload stream of message `k` of `node`.
constexpr std::uint32_t traffic_stream(std::uint64_t seed, NodeId node, std::uint32_t k) {
    return mix32(mix32(folded(seed) + 0x5bd1'e995u) ^ index(node)) ^ mix32(k);
}

/// Word `number` of the payload stream that begins with `stream`.
constexpr std::uint32_t traffic_word(std::uint32_t stream, std::uint32_t number) {
    return mix32(stream + number);
}

/// Byte `position` of the stream, whose words are little-endian.
constexpr std::uint8_t traffic_byte(std::uint32_t stream, std::uint32_t position) {
    return static_cast<std::uint8_t>(traffic_word(stream, position / 4) >> (8 * (position % 4)));
}

/// Stream of the block that `from` has for `to` (alltoall); of a node's only block: to = 0.
constexpr std::uint32_t block_stream(std::uint64_t seed, NodeId from, NodeId to) {
    return traffic_stream(seed, from, index(to));
}

/// The element that a word of a stream stands for: as it is, or for f32 a small whole number, so
/// that sums come out the same in any order.
constexpr std::uint32_t traffic_element(ElementType type, std::uint32_t word) {
    if (type != ElementType::f32)
        return word;
    return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(word >> 20) - 2048));
}

} // namespace mesh
