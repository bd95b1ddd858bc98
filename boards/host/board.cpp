#include "boards/host/board.hpp"

#include <algorithm>
#include <utility>

namespace mesh::board {

void HostBoard::deliver(std::span<const std::byte> frame) {
    if (empty() && head_ != nullptr && !frame.empty()) {
        fill(frame);
        in_place_bytes_ = static_cast<std::uint32_t>(frame.size());
        return;
    }
    if (next_ == lengths_.size()) {
        received_.clear();
        lengths_.clear();
        next_ = next_byte_ = 0;
    }
    received_.insert(received_.end(), frame.begin(), frame.end());
    lengths_.push_back(static_cast<std::uint32_t>(frame.size()));
}

void HostBoard::transmit(Port /*port*/, const hal::Head& head, std::span<const std::byte> packet) {
    // One for all nodes of a thread: a frame is gone when the outlet returns.
    static thread_local std::array<std::byte, wire::kFrameBytesMax> sending;
    std::copy(head.bytes.begin(), head.bytes.end(), sending.begin());
    std::copy(packet.begin(), packet.end(), sending.begin() + wire::kHeadBytes);
    outlet_(std::span{sending}.first(wire::kHeadBytes + packet.size()));
}

/// Puts a frame into the room that the node has lent.
void HostBoard::fill(std::span<const std::byte> frame) {
    const std::size_t head_bytes = std::min(frame.size(), wire::kHeadBytes);
    std::copy_n(frame.begin(), head_bytes, head_->bytes.begin());
    const auto rest = frame.subspan(head_bytes);
    std::copy_n(rest.begin(), std::min(rest.size(), wire::kPacketBytesMax), buffer_);
}

hal::Received HostBoard::receive() {
    if (empty())
        return {};
    std::uint32_t bytes = std::exchange(in_place_bytes_, 0);
    if (bytes == 0) {
        bytes = lengths_[next_++];
        fill(std::span<const std::byte>{received_}.subspan(next_byte_, bytes));
        next_byte_ += bytes;
    }
    // The room is the node's until it lends some again, and a frame may come before it does.
    const hal::Head& head = *std::exchange(head_, nullptr);
    const Port port = bytes > wire::offset::kCablePort
                          ? static_cast<Port>(head.bytes[wire::offset::kCablePort])
                          : kNoPort;
    return {.state = hal::Received::State::frame, .port = port, .frame_bytes = bytes};
}

} // namespace mesh::board
