// How the receive FIFO of the network interface is shared by everyone who may send to a node:
//   host    one chunk of data (the node asks for no second one) and one small frame
//   ports   equal shares; of each, one acknowledgement frame, and the rest is the data window
// The kernel counts a window in bytes of frames; the FIFO also holds a checksum for each, in whole
// words. That is worst for the smallest data frames, which sets the ratio. Frames beyond a share
// may find the FIFO full: retransmissions, which come again, more acknowledgements than one, which
// are cumulative, and after them a chunk of data, which the node asks for again.
#pragma once

#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::board {

/// Bytes that a FIFO stores besides a frame (Ethernet's checksum).
inline constexpr std::size_t kFcsBytes = 4;
inline constexpr std::size_t kDataFrameBytesMin = wire::kHeadBytes + wire::kPacketHeaderBytes;

/// The words of the FIFO that a frame takes.
constexpr std::uint32_t fifo_words(std::size_t frame_bytes) {
    return static_cast<std::uint32_t>((frame_bytes + kFcsBytes + 3) / 4);
}

/// Bytes of data frames that one of `ports` (1 or more) neighbours may have in flight towards a
/// node whose FIFO holds `words` words.
constexpr std::size_t receive_window_bytes(std::uint32_t words, unsigned ports) {
    constexpr std::uint32_t kHostWords =
        fifo_words(kDataFrameBytesMin + sizeof(wire::Chunk) + wire::kHostChunkBytesMax) +
        fifo_words(kDataFrameBytesMin);
    const std::uint32_t share = (words - kHostWords) / ports;
    const std::size_t fifo_bytes = (share - fifo_words(wire::kHeadBytes)) * std::size_t{4};
    return fifo_bytes * kDataFrameBytesMin / (kDataFrameBytesMin + kFcsBytes);
}

} // namespace mesh::board
