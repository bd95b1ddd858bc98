// Channels with occam's semantics: one writer, one reader, and both wait until the value has moved.
//
// Channel<T> joins two processes of one node. ChannelOut and ChannelIn are the two ends of a
// channel between nodes: synchronous messages under a tag of their own.
#pragma once

#include "hal/check.hpp"
#include "kernel/api/message.hpp"
#include "kernel/node/kernel.hpp"

#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

namespace mesh {

namespace detail {
enum class ChannelState : std::uint8_t { empty, offered, taken };

/// A channel has come to where its writer, or its reader, wants it.
struct ChannelAt {
    const ChannelState& now;
    ChannelState wanted;
    bool operator()() const { return now == wanted; }
};
} // namespace detail

/// A channel inside a node. T is copied once. Must outlive both its users.
template <class T>
class Channel {
public:
    explicit Channel(Kernel& kernel) : kernel_(kernel) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// `co_await channel.write(value)`: completes when the reader has taken it. A second writer at
    /// the same time is a bug (CHECK), as is a second reader.
    auto write(T value) {
        MESH_CHECK(state_ == State::empty, channel_two_writers);
        value_ = std::move(value);
        written_at_ = kernel_.now();
        state_ = State::offered;
        return detail::wait(kernel_, detail::ChannelAt{state_, State::taken}, [this] {
            state_ = State::empty;
            kernel_.advance_clock(taken_at_);
        });
    }

    /// `T value = co_await channel.read()`.
    auto read() {
        MESH_CHECK(!std::exchange(reading_, true), channel_two_readers);
        return detail::wait(kernel_, detail::ChannelAt{state_, State::offered}, [this] {
            reading_ = false;
            kernel_.advance_clock(written_at_);
            taken_at_ = kernel_.now();
            state_ = State::taken;
            return std::move(value_);
        });
    }

    /// A writer is waiting: read() would not wait.
    bool readable() const { return state_ == State::offered; }

private:
    using State = detail::ChannelState;

    State state_ = State::empty;
    bool reading_ = false; // a process reads, since read() was called
    Kernel& kernel_;
    T value_{};
    wire::ModelTime written_at_ = 0;
    wire::ModelTime taken_at_ = 0;
};

/// Number of a channel between two nodes, 0 .. 0x7FFE; both ends use the same.
enum class ChannelNumber : std::uint16_t {};

/// Messages of channels have the upper half of the tags.
constexpr Tag channel_tag(ChannelNumber number) {
    return static_cast<Tag>(0x8000u | static_cast<unsigned>(number));
}

/// Values that a channel between nodes carries as they are: numbers and structs of numbers.
template <class T>
concept Value = std::is_trivially_copyable_v<T> && !std::ranges::range<T>;

namespace detail {
/// send() of a value that it keeps.
template <class T>
Process send_kept(Kernel& kernel, NodeId to, T value, Tag tag) {
    co_return co_await send(kernel, to, {.tag = tag}, std::as_bytes(std::span{&value, 1}));
}
} // namespace detail

/// Writing end: `Status s = co_await out.write(kernel, value)` completes when the reader has it.
struct ChannelOut {
    NodeId reader;
    ChannelNumber number;

    Sending write(Kernel& kernel, std::span<const std::byte> data) const {
        return send(kernel, reader, {.tag = channel_tag(number)}, data);
    }
    template <Value T>
    Sending write(Kernel& kernel, const T& value) const {
        return write(kernel, std::as_bytes(std::span{&value, 1}));
    }
    /// A temporary value is kept until the reader has it.
    template <Value T>
    Process write(Kernel& kernel, const T&& value) const {
        return detail::send_kept(kernel, reader, value, channel_tag(number));
    }
};

/// Reading end: `Received r = co_await in.read(kernel, value)`.
struct ChannelIn {
    NodeId writer;
    ChannelNumber number;

    Match match() const {
        return {.service = Service::message, .tag = channel_tag(number), .source = writer};
    }
    Receiving read(Kernel& kernel, std::span<std::byte> buffer) const {
        return receive(kernel, buffer, channel_tag(number), writer);
    }
    template <Value T>
    Receiving read(Kernel& kernel, T& value) const {
        return read(kernel, std::as_writable_bytes(std::span{&value, 1}));
    }
};

} // namespace mesh
