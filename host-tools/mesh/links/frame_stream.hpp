// Frames on a stream socket: a big-endian length of four bytes and the frame, as QEMU's socket
// network has it. Two halves: the reader cuts bytes into frames, the queue holds what is to be
// sent.
//
// The reader takes any bytes in pieces of any size. Neither half keeps more than its bound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mesh::host {

inline constexpr std::size_t kLengthBytes = 4;

class FrameReader {
public:
    /// Takes the next whole frame off the front of `bytes`; it stays valid until the next call.
    /// Nothing if there is none: then `bytes` is used up, and the beginning of a frame is kept.
    std::optional<std::span<std::byte>> next(std::span<std::byte>& bytes);
    /// True if a length was read that no frame has. Nothing is read any more.
    bool broken() const { return broken_; }
    /// The last length that was read.
    std::size_t length() const { return length_; }
    /// True between the first and the last byte of a frame.
    bool inside() const { return !kept_.empty() && !given_; }

private:
    bool move(std::span<std::byte>& bytes, std::size_t until);
    bool read_length(std::span<const std::byte> bytes);

    std::vector<std::byte> kept_; // of a frame that came in parts, its length included
    std::size_t length_ = 0;
    bool given_ = false; // what is kept was the last frame that next() gave
    bool broken_ = false;
};

class SendQueue {
public:
    /// Appends a frame. False if too many bytes wait already: it is dropped.
    bool push(std::span<const std::byte> frame);
    /// All that is still to be sent.
    std::span<const std::byte> waiting() const { return std::span(bytes_).subspan(sent_); }
    bool empty() const { return sent_ == bytes_.size(); }
    /// So many bytes of waiting() are on their way.
    void pop(std::size_t bytes);
    void clear();
    /// The port in the cable header of most of the bytes that wait.
    unsigned busiest_port() const;
    /// Bytes of memory that it holds.
    std::size_t held_bytes() const { return bytes_.size(); }

private:
    std::size_t frame_bytes(std::size_t at) const;

    std::vector<std::byte> bytes_; // begins with a frame
    std::size_t sent_ = 0;
};

} // namespace mesh::host
