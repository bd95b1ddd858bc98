// Frames on a stream socket, as the far end has them. Two halves: the reader cuts bytes into
// frames, the queue holds what is to be sent. Two formats:
//   ethernet  a big-endian length of four bytes and the frame, as QEMU's socket network has it
//   serial    the bytes of a serial line: compact format and byte stuffing (wire/compact.hpp,
//   cobs.hpp)
//
// The reader takes any bytes in parts of any size. Neither half keeps more than its bound. Bytes of
// a serial line that are no frame come out as a frame that is shorter than any real one.
#pragma once

#include "wire/cobs.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace mesh::host {

inline constexpr std::size_t kLengthBytes = 4;

enum class StreamFormat : std::uint8_t { ethernet, serial };

class FrameReader {
public:
    explicit FrameReader(StreamFormat format = StreamFormat::ethernet) : format_(format) {}

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
    std::optional<std::span<std::byte>> next_serial(std::span<std::byte>& bytes);
    std::span<std::byte> frame_of_line(bool whole);
    bool read_frame_of_node();
    bool move(std::span<std::byte>& bytes, std::size_t until);
    bool read_length(std::span<const std::byte> bytes);

    StreamFormat format_;
    wire::CobsDecoder decoder_;
    std::vector<std::byte> frame_; // made of the kept bytes of a serial line
    std::vector<std::byte> kept_;  // of a frame that came in parts, its length included
    std::size_t length_ = 0;
    bool given_ = false; // what is kept was the last frame that next() gave
    bool broken_ = false;
};

class SendQueue {
public:
    /// `fill`: of a serial line, the number of bytes to a multiple of which a frame is filled up
    /// with zeroes, which mean nothing there.
    explicit SendQueue(StreamFormat format = StreamFormat::ethernet, std::size_t fill = 1)
        : format_(format),
          fill_(fill) {}

    /// Appends a frame. False if too many bytes wait already: it is dropped.
    bool push(std::span<const std::byte> frame);
    /// All that is still to be sent.
    std::span<const std::byte> waiting() const { return std::span(bytes_).subspan(sent_); }
    bool empty() const { return sent_ == bytes_.size(); }
    /// The first `bytes` bytes of waiting() have been sent.
    void pop(std::size_t bytes);
    void clear();
    /// The port in the cable header of most of the bytes that wait.
    unsigned busiest_port() const;
    /// Bytes of memory that it holds.
    std::size_t held_bytes() const { return bytes_.size(); }

private:
    struct Waiting {
        std::size_t bytes; // on the stream
        unsigned port;     // in its cable header
    };
    void append(std::span<const std::byte> frame);
    void append_to_line(std::span<const std::byte> frame);

    StreamFormat format_;
    std::size_t fill_;
    std::vector<std::byte> bytes_;
    std::deque<Waiting> frames_; // that are not all sent
    std::size_t sent_ = 0;       // of bytes_
    std::size_t begun_ = 0;      // bytes of the first frame that are sent
};

} // namespace mesh::host
