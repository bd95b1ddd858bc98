// A train of packets (wire/frame.hpp), taken apart into the frames that they would have been.
#pragma once

#include "wire/frame.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace mesh::host {

/// True for a frame with a sound head and packets behind its first. `frame` has a head at least.
bool is_train(std::span<const std::byte> frame);

class Train {
public:
    /// `frame` is a train, and outlives this.
    explicit Train(std::span<const std::byte> frame);

    /// The next packet in a frame of its own, whose cable header is the train's; it stays valid
    /// until the next call. Nothing behind the last, or behind a damaged head.
    std::optional<std::span<std::byte>> next();
    /// next() has come to a damaged head.
    bool broken() const { return broken_; }

private:
    std::span<const std::byte> rest_;
    wire::Head head_{};
    bool begun_ = false;
    bool broken_ = false;
    std::array<std::byte, wire::kFrameBytesMax> frame_{};
};

} // namespace mesh::host
