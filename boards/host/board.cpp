#include "boards/host/board.hpp"

#include <algorithm>

namespace mesh::board {

void HostBoard::deliver(std::span<const std::byte> frame) {
    if (empty()) {
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

hal::Received HostBoard::receive() {
    if (empty())
        return {};
    const std::size_t bytes = lengths_[next_++];
    const auto frame = std::span<const std::byte>{received_}.subspan(next_byte_, bytes);
    next_byte_ += bytes;
    const std::size_t head_bytes = std::min(bytes, wire::kHeadBytes);
    std::copy_n(frame.begin(), head_bytes, head_->bytes.begin());
    const auto rest = frame.subspan(head_bytes);
    std::copy_n(rest.begin(), std::min(rest.size(), wire::kPacketBytesMax), buffer_);
    const Port port = bytes > wire::offset::kCablePort
                          ? static_cast<Port>(frame[wire::offset::kCablePort])
                          : kNoPort;
    return {.state = hal::Received::State::frame,
            .port = port,
            .frame_bytes = static_cast<std::uint32_t>(bytes)};
}

} // namespace mesh::board
