// Channels with occam's semantics: one writer, one reader, and both wait until the value has moved.
//
// Channel<T> joins two processes of one node. ChannelOut<T> and ChannelIn<T> are the two ends of a
// channel between nodes: synchronous messages under a tag of their own, which say a call that no
// collective has. So no receive() of a program takes one, whatever tag it waits for. Behind each
// value the message has a word of its type, so that an end of another type is told.
//
// Ends without a type (`ChannelOut{reader, number}`) move bytes, or any value of the size that the
// other end has. Both ends of a channel are of one kind.
#pragma once

#include "core/base/order.hpp"
#include "hal/check.hpp"
#include "hal/notes.hpp"
#include "kernel/api/message.hpp"
#include "kernel/api/type_notes.hpp"
#include "kernel/node/kernel.hpp"
#include "wire/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mesh {

class Attempt;
struct WaitPlaces;

namespace detail {
enum class ChannelState : std::uint8_t { empty, offered, taken };

/// CHECK, in a simulation: the channel's memory has not been released (kernel/processes/arena.hpp).
/// `place`: where the program has called what uses it.
#if MESH_FILLS_FRAMES
inline void check_is_there(const ChannelState& state MESH_PLACE) {
    if (state > ChannelState::taken) [[unlikely]]
        check_failed(Misuse::channel_has_gone, place);
}
#else
constexpr void check_is_there(const ChannelState&) {}
#endif

/// The part of a channel that the waits of its users look at.
struct ChannelEnds {
    ChannelState state = ChannelState::empty;
    bool reading = false;    // a process reads, since read() was called
    std::uint8_t reader = 0; // that has slept here last
    std::uint8_t writer = 0;
};

/// A wait until a channel has come to where its writer, or its reader, wants it. A channel that
/// goes before that would be looked at for ever, so a simulation tells it.
class ChannelWait : public Waiting {
public:
    bool await_suspend(std::coroutine_handle<> caller);

protected:
    ChannelWait(Kernel& kernel, ChannelEnds& ends, ChannelState wanted MESH_PLACE)
        : Waiting(kernel.scheduler(), ask),
          ends_(ends),
          wanted_(wanted) {
#if MESH_FILLS_FRAMES
        place_ = place;
#endif
    }
    ~ChannelWait() = default;

private:
    friend class mesh::Attempt;
    friend struct mesh::WaitPlaces;

    /// Not inline: its address tells what a process waits for, also beyond a shared object.
    static bool ask(Waiting& self);
    /// It is given up (kernel/api/within.hpp): the channel is as it was before.
    void give_up() {
        if (wanted_ == ChannelState::taken)
            ends_.state = ChannelState::empty;
        else
            ends_.reading = false;
    }

    ChannelEnds& ends_;
    ChannelState wanted_;
#if MESH_FILLS_FRAMES
    const void* place_;
#endif
};
} // namespace detail

/// A channel inside a node. T is copied once. Must outlive both its users.
template <class T>
class Channel {
public:
    /// A channel of the node of `kernel`, empty.
    explicit Channel(Kernel& kernel) : kernel_(kernel) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// `co_await channel.write(value)`: completes when the reader has taken it. A second writer at
    /// the same time is a bug (CHECK), as is a second reader.
    MESH_NOTED_INLINE auto write(T value) {
        detail::check_is_there(ends_.state MESH_HERE);
        MESH_CHECK(ends_.state == State::empty, channel_two_writers);
        value_ = std::move(value);
        written_at_ = kernel_.now();
        ends_.state = State::offered;
        kernel_.scheduler().wake(ends_.reader);
        return Writing{*this MESH_HERE};
    }

    /// `T value = co_await channel.read()`.
    MESH_NOTED_INLINE auto read() {
        detail::check_is_there(ends_.state MESH_HERE);
        MESH_CHECK(!std::exchange(ends_.reading, true), channel_two_readers);
        return Reading{*this MESH_HERE};
    }

    /// A writer is waiting: read() would not wait.
    bool readable() const { return ends_.state == State::offered; }

private:
    using State = detail::ChannelState;

    class MESH_AWAITED Writing : public detail::ChannelWait {
    public:
        explicit Writing(Channel& channel MESH_PLACE)
            : ChannelWait(channel.kernel_, channel.ends_, State::taken MESH_THERE),
              channel_(channel) {}
        void await_resume() {
            channel_.ends_.state = State::empty;
            channel_.kernel_.advance_clock(channel_.taken_at_);
        }

    private:
        Channel& channel_;
    };
    class MESH_AWAITED Reading : public detail::ChannelWait {
    public:
        explicit Reading(Channel& channel MESH_PLACE)
            : ChannelWait(channel.kernel_, channel.ends_, State::offered MESH_THERE),
              channel_(channel) {}
        T await_resume() {
            channel_.ends_.reading = false;
            channel_.kernel_.advance_clock(channel_.written_at_);
            channel_.taken_at_ = channel_.kernel_.now();
            channel_.ends_.state = State::taken;
            channel_.kernel_.scheduler().wake(channel_.ends_.writer);
            return std::move(channel_.value_);
        }

    private:
        Channel& channel_;
    };

    detail::ChannelEnds ends_;
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
/// The label of messages of a channel. Its call is none: those begin at 2.
constexpr CallLabel channel_label(ChannelNumber number) {
    return CallLabel::of(channel_tag(number), 1);
}

/// Types that move as they lie in memory: no pointers or views, which mean nothing on another node.
template <class T>
concept Plain = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !std::ranges::view<T>;

/// Values that an end without a type carries as they are: numbers and structs of numbers.
template <class T>
concept Value = std::is_trivially_copyable_v<T> && !std::ranges::range<T>;

namespace detail {
/// A number of the type's name, made while compiling: the same at all nodes of a run.
template <class T>
consteval std::uint32_t type_word() {
    return word_of_name(__PRETTY_FUNCTION__);
}

/// A value as a typed channel carries it: its bytes, then the word of its type.
template <class T>
using TypedBytes = std::array<std::byte, sizeof(T) + sizeof(std::uint32_t)>;

template <class T>
TypedBytes<T> with_type(const T& value) {
    TypedBytes<T> bytes;
    wire::store(bytes, 0, value);
    wire::store(bytes, sizeof(T), type_word<T>());
    return bytes;
}

inline Sending send_on(Kernel& kernel, NodeId reader, ChannelNumber number,
                       std::span<const std::byte> data) {
    const CallLabel label = channel_label(number);
    const SendOptions options{.tag = label.tag, .call = label.call};
    return send(kernel, reader, options, data);
}
/// The same of a value, which must stay.
template <class T>
Sending send_value_on(Kernel& kernel, NodeId reader, ChannelNumber number, const T& value) {
    static_assert(!holds_pointer<T>(), MESH_NO_POINTERS);
    return send(kernel, reader, options_for<T>(channel_label(number)),
                std::as_bytes(std::span{&value, 1}));
}
/// The same of a value that it keeps.
template <class T>
Process send_on_kept(Kernel& kernel, NodeId reader, ChannelNumber number, T value) {
    const Status sent = co_await send_value_on(kernel, reader, number, value);
    co_return sent;
}

constexpr Match channel_match(NodeId writer, ChannelNumber number) {
    const CallLabel label = channel_label(number);
    return {.service = Service::message, .tag = label.tag, .source = writer, .call = label.call};
}

/// Receiving of a value whose size the message must have.
class MESH_AWAITED ReceivingWhole : public Receiving {
public:
    using Receiving::Receiving;
#if MESH_NOTES
    /// For a value of type `wanted`; in a simulation another one is told (CHECK).
    ReceivingWhole(Kernel& kernel, std::span<std::byte> buffer, const Match& offer,
                   const detail::TypeNote& wanted)
        : Receiving(kernel, buffer, offer),
          wanted_(&wanted) {}
    [[gnu::warn_unused_result]] MESH_NOTED_INLINE const Received& await_resume() {
        if (wanted_ != nullptr && whole().status == Status::ok)
            detail::check_type(type(), *wanted_, Misuse::channel_of_other_type, detail::here());
        return whole();
    }

private:
    const detail::TypeNote* wanted_ = nullptr;
#else
    [[gnu::warn_unused_result]] const Received& await_resume() { return whole(); }
#endif
};

template <Plain T>
Task<Received> receive_typed(Kernel& kernel, Match match, T& value) {
    TypedBytes<T> bytes;
    Received got = co_await ReceivingWhole(kernel, bytes, match);
    const bool other =
        got.status == Status::truncated ||
        (got.status == Status::ok && wire::load<std::uint32_t>(bytes, sizeof(T)) != type_word<T>());
    if (other)
        got.status = Status::bad_argument;
    if (got.status == Status::ok)
        value = wire::load<T>(bytes, 0);
    got.bytes = least<std::uint32_t>(got.bytes, sizeof(T));
    co_return got;
}

template <Plain T>
Task<T> read_typed(Kernel& kernel, Match match MESH_PLACE) {
    T value{};
    const Received got = co_await receive_typed(kernel, match, value);
    if (got.status == Status::bad_argument) [[unlikely]]
        check_failed(Misuse::channel_of_other_type MESH_THERE);
    if (got.status != Status::ok) [[unlikely]]
        check_failed(Misuse::channel_without_writer MESH_THERE);
    co_return value;
}
} // namespace detail

/// The type of an end that has none of its own.
struct AnyType {};

/// Writing end of a channel to another node: `ChannelOut<int> out{node, reader, ChannelNumber{3}}`.
template <class T = AnyType>
class ChannelOut {
    static_assert(Plain<T>, "a channel between nodes carries numbers, structs of them and arrays");
    static_assert(!detail::holds_pointer<T>(), MESH_NO_POINTERS);

public:
    /// Costs nothing until write(), and the other end need not be there. `kernel` must outlive it.
    ChannelOut(Kernel& kernel, NodeId reader, ChannelNumber number)
        : kernel_(&kernel),
          reader_(reader),
          number_(number) {}

    /// `Status s = co_await out.write(value)` completes when the reader has it. ok; unreachable:
    /// the reader is; bad_argument: there is no such node; no_memory: of the arena, which keeps
    /// the value meanwhile.
    Process write(const T& value) const {
        return detail::send_on_kept(*kernel_, reader_, number_, detail::with_type(value));
    }

private:
    Kernel* kernel_;
    NodeId reader_;
    ChannelNumber number_;
};

/// Reading end of a channel from another node, or from any (kAnySource).
template <class T = AnyType>
class ChannelIn {
    static_assert(Plain<T>, "a channel between nodes carries numbers, structs of them and arrays");

public:
    /// Costs nothing until read(), and the other end need not be there. `kernel` must outlive it.
    ChannelIn(Kernel& kernel, NodeId writer, ChannelNumber number)
        : kernel_(&kernel),
          writer_(writer),
          number_(number) {}

    /// The messages of this channel, for on().
    Match match() const { return detail::channel_match(writer_, number_); }
    /// `T value = co_await in.read()`. Precondition (CHECK): the writer comes to write, and writes
    /// the same type.
    MESH_NOTED_INLINE Task<T> read() const {
        return detail::read_typed<T>(*kernel_, match() MESH_HERE);
    }
    /// `Received r = co_await in.read(value)` says who wrote, or why there is no value.
    /// bad_argument: it was written as another type; unreachable: the writer is; no_memory.
    Task<Received> read(T& value) const { return detail::receive_typed(*kernel_, match(), value); }

private:
    Kernel* kernel_;
    NodeId writer_;
    ChannelNumber number_;
};

/// Writing end without a type: `Status s = co_await ChannelOut{reader, number}.write(kernel,
/// value)` completes when the reader has it.
template <>
class ChannelOut<AnyType> {
public:
    NodeId reader;
    ChannelNumber number;

    Sending write(Kernel& kernel, std::span<const std::byte> data) const {
        return detail::send_on(kernel, reader, number, data);
    }
    template <Value T>
    Sending write(Kernel& kernel, const T& value) const {
        return detail::send_value_on(kernel, reader, number, value);
    }
    /// A temporary value is kept until the reader has it.
    template <Value T>
    Process write(Kernel& kernel, const T&& value) const {
        return detail::send_on_kept(kernel, reader, number, value);
    }
};

/// Reading end without a type: `Received r = co_await ChannelIn{writer, number}.read(kernel,
/// value)`. bad_argument, for a value: it was written with another size.
template <>
class ChannelIn<AnyType> {
public:
    NodeId writer;
    ChannelNumber number;

    Match match() const { return detail::channel_match(writer, number); }
    Receiving read(Kernel& kernel, std::span<std::byte> buffer) const {
        return {kernel, buffer, match()};
    }
    template <Value T>
    detail::ReceivingWhole read(Kernel& kernel, T& value) const {
#if MESH_NOTES
        return {kernel, std::as_writable_bytes(std::span{&value, 1}), match(),
                detail::kTypeNote<T>};
#else
        return {kernel, std::as_writable_bytes(std::span{&value, 1}), match()};
#endif
    }
};

// Versions of clang-format put these arrows in two ways.
// clang-format off
ChannelOut(NodeId, ChannelNumber) -> ChannelOut<AnyType>;
ChannelIn(NodeId, ChannelNumber) -> ChannelIn<AnyType>;
// clang-format on

} // namespace mesh
