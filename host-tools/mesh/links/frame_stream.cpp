#include "frame_stream.hpp"

#include "bounds.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <array>

namespace mesh::host {

namespace {

/// Sent bytes stay in the queue's memory until there are so many.
constexpr std::size_t kCompactBytes = std::size_t{256} << 10;

std::size_t length_at(std::span<const std::byte> bytes) {
    std::size_t length = 0;
    for (std::size_t at = 0; at < kLengthBytes; ++at)
        length = (length << 8) | std::to_integer<std::size_t>(bytes[at]);
    return length;
}

} // namespace

std::optional<std::span<std::byte>> FrameReader::next(std::span<std::byte>& bytes) {
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

bool FrameReader::read_length(std::span<const std::byte> bytes) {
    length_ = length_at(bytes);
    broken_ = length_ > bounds::kFrameBytesMax;
    return !broken_;
}

bool SendQueue::push(std::span<const std::byte> frame) {
    if (bytes_.size() - sent_ + kLengthBytes + frame.size() > bounds::kUnreadBytesMax)
        return false;
    std::array<std::byte, kLengthBytes> length{};
    for (std::size_t at = 0; at < kLengthBytes; ++at)
        length[at] = static_cast<std::byte>(frame.size() >> (8 * (kLengthBytes - 1 - at)));
    bytes_.insert(bytes_.end(), length.begin(), length.end());
    bytes_.insert(bytes_.end(), frame.begin(), frame.end());
    return true;
}

void SendQueue::pop(std::size_t bytes) {
    sent_ += bytes;
    if (empty()) {
        clear();
        return;
    }
    if (sent_ < kCompactBytes || sent_ < bytes_.size() / 2)
        return;
    std::size_t whole = 0;
    while (whole + frame_bytes(whole) <= sent_)
        whole += frame_bytes(whole);
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(whole));
    sent_ -= whole;
}

void SendQueue::clear() {
    bytes_.clear();
    sent_ = 0;
    if (bytes_.capacity() > kCompactBytes)
        bytes_.shrink_to_fit();
}

unsigned SendQueue::busiest_port() const {
    std::array<std::size_t, 256> by_port{};
    for (std::size_t at = 0; at < bytes_.size(); at += frame_bytes(at))
        if (frame_bytes(at) > kLengthBytes + wire::offset::kCablePort)
            by_port[std::to_integer<std::size_t>(
                bytes_[at + kLengthBytes + wire::offset::kCablePort])] += frame_bytes(at);
    return static_cast<unsigned>(std::max_element(by_port.begin(), by_port.end()) -
                                 by_port.begin());
}

/// Bytes of the frame at `at`, its length included.
std::size_t SendQueue::frame_bytes(std::size_t at) const {
    return kLengthBytes + length_at(std::span(bytes_).subspan(at));
}

} // namespace mesh::host
