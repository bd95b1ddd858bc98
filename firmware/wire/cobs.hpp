// Frames on a line of bytes: consistent overhead byte stuffing (Cheshire and Baker, 1999).
//
// A frame travels as blocks: a code byte, then code - 1 bytes that are not zero, then a zero that
// is not sent, unless the code is 255 or the frame ends there. So no zero is inside, a zero ends
// each frame, and a receiver that has lost its place finds it again at the next zero. One byte more
// for 254.
//
// Example: 11 22 00 33 travels as 03 11 22 02 33 00.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::wire {

inline constexpr std::byte kFrameEnd{0};
inline constexpr std::size_t kCobsBlockMax = 254;
/// Bytes on the line of a frame of so many, the zero at its end included.
constexpr std::size_t cobs_bytes(std::size_t frame_bytes) {
    return frame_bytes + frame_bytes / kCobsBlockMax + 2;
}

/// Gives a frame, of two parts that stay where they are, a byte at a time.
class CobsEncoder {
public:
    /// An encoder of no bytes: next() gives only the zero at the end.
    CobsEncoder() : place_(1) {}
    CobsEncoder(std::span<const std::byte> front, std::span<const std::byte> rest)
        : front_(front),
          rest_(rest) {}

    /// The next byte for the line. False if the last one was the zero at the end.
    bool next(std::byte& out);

private:
    std::byte at(std::size_t place) const {
        return place < front_.size() ? front_[place] : rest_[place - front_.size()];
    }
    std::size_t size() const { return front_.size() + rest_.size(); }
    std::byte begin_block();

    std::span<const std::byte> front_;
    std::span<const std::byte> rest_;
    std::size_t place_ = 0;
    std::size_t block_ = 0; // bytes of the block that are still to come
    bool at_zero_ = false;  // the last block ended at a zero
    bool ended_ = false;
};

/// Takes the bytes of a line; any bytes are safe.
class CobsDecoder {
public:
    enum class Event : std::uint8_t {
        none,
        byte,  // `out` is the frame's next byte
        end,   // the frame is whole
        broken // it ended inside a block: something was lost
    };
    Event take(std::byte in, std::byte& out);

private:
    unsigned left_ = 0; // bytes of the block
    bool zero_follows_ = false;
};

} // namespace mesh::wire
