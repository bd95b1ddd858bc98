#include "frame_stream.hpp"

#include "bounds.hpp"
#include "host_frame.hpp"
#include "wire/compact.hpp"
#include "wire/frame.hpp"
#include "wire/load.hpp"

#include <algorithm>
#include <array>

namespace mesh::host {

namespace {

/// Sent bytes stay in the queue's memory until there are so many.
constexpr std::size_t kCompactBytes = std::size_t{256} << 10;

constexpr std::size_t kLineFrameBytesMax = wire::kFrontBytesMax + wire::kPayloadBytesMax;

bool is_of_loader(std::span<const std::byte> frame) {
    return frame.size() >= wire::kHeadBytes &&
           wire::load<wire::Kind>(frame, wire::offset::kKind) == wire::Kind::load;
}

std::size_t length_at(std::span<const std::byte> bytes) {
    std::size_t length = 0;
    for (std::size_t at = 0; at < kLengthBytes; ++at)
        length = (length << 8) | std::to_integer<std::size_t>(bytes[at]);
    return length;
}

} // namespace

std::optional<std::span<std::byte>> FrameReader::next(std::span<std::byte>& bytes) {
    if (format_ == StreamFormat::serial)
        return next_serial(bytes);
    if (given_)
        kept_.clear();
    given_ = false;
    if (broken_) {
        bytes = {};
        return std::nullopt;
    }
    if (kept_.empty() && bytes.size() >= kLengthBytes) {
        if (!read_length(bytes))
            return next(bytes);
        if (bytes.size() - kLengthBytes >= length_) {
            const auto frame = bytes.subspan(kLengthBytes, length_);
            bytes = bytes.subspan(kLengthBytes + length_);
            return frame;
        }
    }
    if (!move(bytes, kLengthBytes))
        return std::nullopt;
    if (!read_length(kept_))
        return next(bytes);
    if (!move(bytes, kLengthBytes + length_))
        return std::nullopt;
    given_ = true;
    return std::span(kept_).subspan(kLengthBytes);
}

/// Moves bytes from the front of `bytes` behind the kept ones until there are `until` of them.
bool FrameReader::move(std::span<std::byte>& bytes, std::size_t until) {
    if (kept_.size() < until) {
        const auto part = bytes.first(std::min(until - kept_.size(), bytes.size()));
        kept_.insert(kept_.end(), part.begin(), part.end());
        bytes = bytes.subspan(part.size());
    }
    return kept_.size() >= until;
}

std::optional<std::span<std::byte>> FrameReader::next_serial(std::span<std::byte>& bytes) {
    while (!bytes.empty()) {
        const std::byte in = bytes.front();
        bytes = bytes.subspan(1);
        std::byte out{};
        switch (decoder_.take(in, out)) {
        case wire::CobsDecoder::Event::none: break;
        case wire::CobsDecoder::Event::byte:
            if (kept_.size() <= kLineFrameBytesMax) // what is longer is no frame
                kept_.push_back(out);
            break;
        case wire::CobsDecoder::Event::end:
            if (!kept_.empty())
                return frame_of_line(true);
            break;
        case wire::CobsDecoder::Event::broken: return frame_of_line(false);
        }
    }
    return std::nullopt;
}

/// The kept bytes of a serial line, as a frame in the format of all other code.
std::span<std::byte> FrameReader::frame_of_line(bool whole) {
    if (whole && wire::is_load_front(kept_.front()) && kept_.size() <= wire::kPacketBytesMax)
        frame_ = make_load_frame(std::span(kept_).subspan(1)); // damage shows in its checksum
    else if (!whole || !read_frame_of_node())
        frame_.assign(std::min(kept_.size(), wire::kHeadBytes - 1), std::byte{});
    kept_.clear();
    return frame_;
}

/// Unpacks the kept bytes of a line into frame_. False if they are no frame of a node.
bool FrameReader::read_frame_of_node() {
    frame_.assign(wire::kHeadBytes + wire::kPacketBytesMax, std::byte{});
    const auto head = std::span(frame_).first<wire::kHeadBytes>();
    const auto packet = std::span(frame_).subspan(wire::kHeadBytes);
    const wire::FrontRead front = wire::read_front(std::span(kept_), kept_.size(), head,
                                                   packet.first<wire::kPacketHeaderBytes>());
    if (front.front_bytes == 0)
        return false;
    std::copy(kept_.begin() + static_cast<std::ptrdiff_t>(front.front_bytes), kept_.end(),
              packet.begin() + wire::kPacketHeaderBytes);
    wire::restore_checksums(front, head, packet.first(front.packet_bytes));
    frame_.resize(wire::kHeadBytes + front.packet_bytes);
    return true;
}

bool FrameReader::read_length(std::span<const std::byte> bytes) {
    length_ = length_at(bytes);
    broken_ = length_ > bounds::kFrameBytesMax;
    return !broken_;
}

bool SendQueue::push(std::span<const std::byte> frame) {
    if (bytes_.size() - sent_ + kLengthBytes + frame.size() > bounds::kUnreadBytesMax)
        return false;
    const std::size_t before = bytes_.size();
    if (format_ == StreamFormat::ethernet)
        append(frame);
    else
        append_to_line(frame);
    const bool whole = frame.size() > wire::offset::kCablePort;
    frames_.push_back({bytes_.size() - before,
                       whole ? std::to_integer<unsigned>(frame[wire::offset::kCablePort]) : 0});
    return true;
}

void SendQueue::append(std::span<const std::byte> frame) {
    std::array<std::byte, kLengthBytes> length{};
    for (std::size_t at = 0; at < kLengthBytes; ++at)
        length[at] = static_cast<std::byte>(frame.size() >> (8 * (kLengthBytes - 1 - at)));
    bytes_.insert(bytes_.end(), length.begin(), length.end());
    bytes_.insert(bytes_.end(), frame.begin(), frame.end());
}

/// Appends a frame. If damage to its headers cannot be written in the compact format, only the
/// first byte goes out: the receiver counts that as damaged, as it would count the whole frame.
void SendQueue::append_to_line(std::span<const std::byte> frame) {
    const std::size_t before = bytes_.size();
    const std::size_t head_bytes = std::min(frame.size(), wire::kHeadBytes);
    const auto packet = frame.subspan(head_bytes);
    wire::Front front;
    wire::CobsEncoder encoder(frame.first(std::min<std::size_t>(frame.size(), 1)), {});
    if (is_of_loader(frame)) {
        front.bytes[front.size++] =
            wire::load_front(wire::load<Port>(frame, wire::offset::kCablePort));
        encoder = {front.all(), packet};
    } else if (head_bytes == wire::kHeadBytes &&
               wire::write_front(frame.first(head_bytes), packet, front)) {
        encoder = {front.all(), packet.subspan(std::min(packet.size(), wire::kPacketHeaderBytes))};
    }
    bytes_.push_back(wire::kFrameEnd); // ends any noise before it
    for (std::byte byte; encoder.next(byte);)
        bytes_.push_back(byte);
    while ((bytes_.size() - before) % fill_ != 0)
        bytes_.push_back(wire::kFrameEnd);
}

void SendQueue::pop(std::size_t bytes) {
    sent_ += bytes;
    for (begun_ += bytes; !frames_.empty() && begun_ >= frames_.front().bytes; frames_.pop_front())
        begun_ -= frames_.front().bytes;
    if (empty()) {
        clear();
    } else if (sent_ >= kCompactBytes && sent_ >= bytes_.size() / 2) {
        bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(sent_));
        sent_ = 0;
    }
}

void SendQueue::clear() {
    bytes_.clear();
    frames_.clear();
    sent_ = begun_ = 0;
    if (bytes_.capacity() > kCompactBytes)
        bytes_.shrink_to_fit();
}

unsigned SendQueue::busiest_port() const {
    std::array<std::size_t, 256> by_port{};
    for (const Waiting& frame : frames_)
        by_port[frame.port] += frame.bytes;
    return static_cast<unsigned>(std::max_element(by_port.begin(), by_port.end()) -
                                 by_port.begin());
}

} // namespace mesh::host
