#include "train.hpp"

#include "wire/bytes.hpp"

#include <algorithm>
#include <utility>

namespace mesh::host {

bool is_train(std::span<const std::byte> frame) {
    const auto link = wire::load<wire::LinkHeader>(frame, wire::offset::kEtherType);
    wire::LinkHeader sound;
    return wire::bytes_behind(link, frame.size()) != 0 &&
           wire::read_head(frame, frame.size(), sound) == wire::Parse::ok;
}

Train::Train(std::span<const std::byte> frame) : head_(wire::load<wire::Head>(frame, 0)) {
    rest_ = frame.last(wire::bytes_behind(head_.link, frame.size()));
    std::copy_n(frame.begin(), wire::kHeadBytes + head_.link.packet_bytes, frame_.begin());
}

std::optional<std::span<std::byte>> Train::next() {
    if (std::exchange(begun_, true)) {
        if (!wire::is_coupled(rest_.size()))
            return std::nullopt;
        const auto packet = std::span(frame_).subspan<wire::kHeadBytes>();
        const std::size_t bytes = wire::uncouple(rest_, head_, packet);
        if (wire::check_head(head_, bytes) != wire::Parse::ok) {
            rest_ = {};
            broken_ = true;
            return std::nullopt;
        }
        wire::store(frame_, 0, head_);
    }
    return std::span(frame_).first(wire::kHeadBytes + head_.link.packet_bytes);
}

} // namespace mesh::host
