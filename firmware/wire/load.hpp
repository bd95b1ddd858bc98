// Messages between the loaders of a mesh, and from the host tool to the loader of node 0.
//
// An image goes down a tree in blocks: a node has its parent at the port by which the first block
// came, and its children at the ports above that one (node 0: at all of them), so no node needs to
// know its number. A node that sends a block, or the word to start, sends it again until it is
// answered; an answer says all that there is to say, so that lost ones do not matter.
//
// Each message is the packet of a frame of Kind::load, and has no other header.
#pragma once

#include "wire/bytes.hpp"
#include "wire/compact.hpp"
#include "wire/crc32.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::wire {

enum class LoadTag : std::uint8_t {
    // down
    block = 1, // the image from `position` on; empty: a question for an answer
    start,     // empty: to all that have the image
    // up, empty
    have,    // `position`: so many bytes from the beginning; waited for: a node that has not all
    started, // waited for: a node that does not know yet that it is to start
    refused, // `node` does not keep the image: `position` is the version that it has, or why;
             // `version` and `older` are those of the image
};

/// The last version; what LoadTag::refused says beyond it is why.
inline constexpr std::uint32_t kLoadVersionMax = 0xFFFF'FFF0;
inline constexpr std::uint32_t kLoadNoRoom = 0xFFFF'FFFE; // no flash, or too little
inline constexpr std::uint32_t kLoadFailed = 0xFFFF'FFFF; // the flash has not what was written

/// The header of a message; a block may follow.
struct LoadHeader {
    std::uint32_t checksum = 0; // CRC-32 of all behind it
    LoadTag tag = LoadTag::have;
    std::uint8_t dim = 0;   // down: of the network; up: how deep the tree is from here
    std::uint8_t older = 0; // down: 1: nodes keep it also in place of a later version
    std::uint8_t zero = 0;
    NodeId node = kNoNode;         // down: the sender; up: one that is waited for, of this part
    std::uint32_t image_crc = 0;   // by which the image is known; up: 0, there is none yet
    std::uint32_t image_bytes = 0; // of all of it
    std::uint32_t position = 0;
    /// Down: nodes that have flash keep the image there, and boot it from then on; 0: they keep
    /// nothing.
    std::uint32_t version = 0;
};
static_assert(sizeof(LoadHeader) == 28);

/// Bytes of all blocks but the last one.
inline constexpr std::size_t kLoadBlockBytes = 1024;
inline constexpr std::size_t kLoadMessageBytesMax = sizeof(LoadHeader) + kLoadBlockBytes;
static_assert(kLoadMessageBytesMax <= kPacketBytesMax);
/// A message is sent again after so long without an answer that says that something has come.
inline constexpr std::uint32_t kLoadAgainUs = 200'000;
inline constexpr std::uint32_t kStartAgainUs = 50'000;
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

} // namespace mesh::wire
