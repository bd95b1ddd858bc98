// Messages between the loaders of a mesh, and from the host tool to the loader of node 0.
//
// A load is a tree and, behind it, an image. Both go down that tree in blocks, none of which has
// bytes of both. The tree comes from the host tool, so that loaders know no network: it has a byte
// for each node, in the order in which a walk from node 0 first meets them (a node, then the whole
// tree below its first child, and so on). The place in that order is what a node is known by; its
// parent tells it. The parent is at the port by which a load comes. A node passes nothing on before
// it has the whole tree.
//
// A node that sends a block, or the word to start, sends it again until it is answered; an answer
// says all that there is to say, so that lost ones do not matter.
//
// Each message is the packet of a frame of Kind::load, and has no other header.
#pragma once

#include "wire/bytes.hpp"
#include "wire/compact.hpp"
#include "wire/crc32.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::wire {

enum class LoadTag : std::uint8_t {
    // down
    block = 1, // the load from `position` on; empty: a question for an answer
    start,     // empty: to all that have the load
    // up, empty
    have,    // `position`: so many bytes from the beginning; waited for: a node that has not all
    started, // waited for: a node that does not know yet that it is to start
    refused, // the node at `place` does not keep the image: `position` is the version that it has,
             // or why
};

/// A byte of the tree: how many links a node is below node 0, and the port (at both ends) of the
/// last one.
constexpr std::byte load_branch(unsigned depth, unsigned port) {
    return static_cast<std::byte>(depth << 4 | port);
}
constexpr unsigned load_depth(std::byte branch) { return std::to_integer<unsigned>(branch >> 4); }
constexpr unsigned load_port(std::byte branch) { return std::to_integer<unsigned>(branch) & 15u; }

/// The most nodes of a load: those of the star of 7 symbols.
inline constexpr std::uint32_t kLoadNodesMax = 5040;
inline constexpr std::uint16_t kNoPlace = 0xFFFF;

/// The last version; what LoadTag::refused says beyond it is why.
inline constexpr std::uint32_t kLoadVersionMax = 0xFFFF'FFF0;
inline constexpr std::uint32_t kLoadNoRoom = 0xFFFF'FFFE; // no flash, or too little
inline constexpr std::uint32_t kLoadFailed = 0xFFFF'FFFF; // the flash has not what was written

/// The description of a load: its image, and whether nodes are to keep it.
struct Load {
    std::uint32_t crc = 0;       // CRC-32 of tree and image
    std::uint32_t image_crc = 0; // of the image alone, as flash knows it
    std::uint32_t image_bytes = 0;
    /// Nodes that have flash keep the image there, and boot it from then on; 0: they keep nothing.
    std::uint32_t version = 0;
    std::uint16_t older = 0; // 1: nodes keep it also in place of a later version
    std::uint16_t nodes = 0; // bytes of the tree

    bool operator==(const Load&) const = default;
};

/// The header of a message; a block may follow.
struct LoadHeader {
    std::uint32_t checksum = 0; // CRC-32 of all behind it
    LoadTag tag = LoadTag::have;
    std::uint8_t depth = 0;         // up: of the tree from here on
    std::uint16_t place = kNoPlace; // down: the receiver's; up: of a node that is waited for
    std::uint32_t position = 0;     // in the load
    Load load{};                    // up: all 0 if the sender knows of none
};
static_assert(sizeof(LoadHeader) == 32);

/// Bytes of all blocks but the last one of the tree, and of the image.
inline constexpr std::size_t kLoadBlockBytes = 1024;
inline constexpr std::size_t kLoadMessageBytesMax = sizeof(LoadHeader) + kLoadBlockBytes;
static_assert(kLoadMessageBytesMax <= kPacketBytesMax);
/// A message is sent again after so long without an answer that says that something has come.
inline constexpr std::uint32_t kLoadAgainUs = 200'000;
inline constexpr std::uint32_t kStartAgainUs = 50'000;
/// A node whose parent has said nothing for so long takes another load, also by another port.
inline constexpr std::uint32_t kLoadOrphanUs = 1'000'000;
/// A node that has an image in flash boots it after so long without a word from a parent: since its
/// reset, or since the last word.
inline constexpr std::uint32_t kLoadBootUs = 1'000'000;
inline constexpr std::uint32_t kLoadGivesUpUs = 10'000'000;

/// On a serial line such a frame has this in place of a front (compact.hpp), then the packet as it
/// is. No front begins so: no other kind is 0 there.
constexpr std::byte load_front(Port port) {
    const unsigned number = port == kHostPort ? kCompactPorts : index(port);
    return static_cast<std::byte>(number << 4);
}
constexpr bool is_load_front(std::byte first) { return (first & std::byte{0x0F}) == std::byte{}; }

inline std::uint32_t load_checksum(const LoadHeader& header, std::span<const std::byte> block) {
    return crc32(block, crc32(bytes_of(header).subspan(sizeof header.checksum)));
}

/// The block at `position` of a load, or of so much of it as there is; none at its end.
inline std::span<const std::byte> load_block(std::span<const std::byte> load, std::uint32_t nodes,
                                             std::uint32_t position) {
    const std::size_t end = position < nodes ? nodes : load.size();
    return load.subspan(position, std::min<std::size_t>(end - position, kLoadBlockBytes));
}

} // namespace mesh::wire
