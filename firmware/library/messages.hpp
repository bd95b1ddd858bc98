// Messages of bytes, and of values: numbers, structs of numbers and arrays of them, without a cast
// to bytes.
//
// The order of arguments is the same everywhere: the node, what moves, the other node, the tag.
// A program has the tags 0 to kProgramTagMax; those above are the library's, and no call of a
// program takes what comes under them, whatever tag it waits for.
#pragma once

#include "collectives/await.hpp"
#include "hal/check.hpp"
#include "kernel/api/channel.hpp"
#include "kernel/api/message.hpp"
#include "kernel/api/within.hpp"
#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh {

namespace detail {
template <Plain T>
std::span<const std::byte> bytes_from(const T& value) {
    static_assert(!holds_pointer<T>(), MESH_NO_POINTERS);
    return std::as_bytes(std::span{&value, 1});
}
template <Plain T>
std::span<std::byte> bytes_into(T& value) {
    static_assert(!holds_pointer<T>(), MESH_NO_POINTERS);
    return std::as_writable_bytes(std::span{&value, 1});
}

/// A message that must have the size of the value that it fills.
inline Received of_value(Received received, std::size_t bytes) {
    if (received.status == Status::ok && received.bytes != bytes)
        received.status = Status::bad_argument;
    return received;
}

/// send() of a value that it keeps.
template <Plain T>
Process send_kept(Kernel& kernel, T value, NodeId to, Tag tag) {
    const Status sent =
        co_await send(kernel, to, options_for<T>(CallLabel{tag}), bytes_from(value));
    co_return sent;
}

/// receive_value(). CHECK, in a simulation: what comes was sent as the type that it fills.
template <Plain T>
Task<Received> receive_whole(Kernel& kernel, T& value, NodeId source, Tag tag MESH_PLACE) {
    Receiving receiving = receive(kernel, bytes_into(value), source, tag);
    const Received whole = of_value(co_await receiving, sizeof(T));
    if (whole.status == Status::ok)
        check_taken_as<T>(receiving, Misuse::message_of_other_type MESH_THERE);
    co_return whole;
}
} // namespace detail

// Bytes -------------------------------------------------------------------------------------------

/// Sends `data`, which must stay until it completes; see send() of kernel/api/message.hpp.
inline Sending send(Kernel& kernel, std::span<const std::byte> data, NodeId to, Tag tag = 0) {
    return send(kernel, to, {.tag = tag}, data);
}

/// Sends `data` to `to` and receives from `from` at the same time, so that a ring of such calls
/// ends. Gives the result of receive(); if that is ok, with the status of the send. `label`: of a
/// call of a collective, of which it is a part.
inline Task<Received> sendrecv(Kernel& kernel, std::span<const std::byte> data, NodeId to,
                               std::span<std::byte> buffer, NodeId from, CallLabel label) {
    ProcessId sending{};
    const SendOptions options{.tag = label.tag, .call = label.call};
    if (!kernel.spawn(send(kernel, to, options, data), sending))
        co_return Received{.status = Status::no_memory};
    Received received = co_await receive(kernel, buffer, from, label);
    const Status sent = co_await kernel.join(sending);
    received.status = first_failure(received.status, sent);
    co_return received;
}

/// The same under a tag of the program's own.
inline Task<Received> sendrecv(Kernel& kernel, std::span<const std::byte> data, NodeId to,
                               std::span<std::byte> buffer, NodeId from, Tag tag = 0) {
    return sendrecv(kernel, data, to, buffer, from, CallLabel{tag});
}

/// Matches the messages that a receive() with these would take. A tag above kProgramTagMax that is
/// not kAnyTag is a bug (CHECK), here and in the calls below that have no status to say so.
inline Match message_match(NodeId source = kAnySource, Tag tag = kAnyTag) {
    MESH_CHECK(tag <= kProgramTagMax || tag == kAnyTag, tag_of_library);
    return {.service = Service::message, .tag = tag, .source = source};
}

/// For alt(): ready when such a message has come.
inline MailGuard on_message(NodeId source = kAnySource, Tag tag = kAnyTag) {
    return on(message_match(source, tag));
}

#if MESH_NOTES
[[gnu::always_inline]] inline bool probe(const Kernel& kernel, NodeId source, Tag tag);
#endif
/// True if a message that receive() would take has come: MPI's probe.
inline bool probe(const Kernel& kernel, NodeId source = kAnySource, Tag tag = kAnyTag) {
    detail::note_glance(detail::Glance::probe MESH_HERE);
    return kernel.has(message_match(source, tag));
}

/// receive() for `ticks` of model time, see within(). timed_out: no message has begun to come;
/// in_doubt: one has, and is lost: `source` says whose. Else the statuses of receive().
inline Task<Received> receive_within(Kernel& kernel, std::span<std::byte> buffer,
                                     wire::ModelTime ticks, NodeId source = kAnySource,
                                     Tag tag = kAnyTag) {
    const Received received = co_await within(kernel, ticks, receive(kernel, buffer, source, tag));
    co_return received;
}

// Values ------------------------------------------------------------------------------------------

/// Sends one value, which must stay until it completes; see send().
template <Plain T>
MESH_NOTED_INLINE Task<Status> send_value(Kernel& kernel, const T& value, NodeId to, Tag tag = 0) {
    detail::check_is_set(value MESH_HERE);
    return send(kernel, to, detail::options_for<T>(CallLabel{tag}), detail::bytes_from(value));
}
/// The same for a temporary value: the operation's frame, in the node's arena, keeps a copy of it
/// until the send completes. no_memory: there was no room for the frame.
template <Plain T>
MESH_NOTED_INLINE Task<Status> send_value(Kernel& kernel, const T&& value, NodeId to, Tag tag = 0) {
    detail::check_is_set(value MESH_HERE);
    return detail::send_kept(kernel, value, to, tag);
}
/// The same as a part of a collective's call, for code that makes one; see CallLabel.
template <Plain T>
Task<Status> send_value(Kernel& kernel, const T& value, NodeId to, CallLabel label) {
    const SendOptions options{.tag = label.tag, .call = label.call};
    const Status sent = co_await send(kernel, to, options, detail::bytes_from(value));
    co_return sent;
}

/// Receives one value; see receive(). bad_argument: the message was shorter than one. In a
/// simulation a value that was sent by send_value() as another type is told (CHECK); integers and
/// enums of one size may be taken for one another, and bytes for anything.
template <Plain T>
MESH_NOTED_INLINE Task<Received> receive_value(Kernel& kernel, T& value, NodeId source = kAnySource,
                                               Tag tag = kAnyTag) {
    return detail::receive_whole(kernel, value, source, tag MESH_HERE);
}
/// The same as a part of a collective's call, for code that makes one; see CallLabel.
template <Plain T>
Task<Received> receive_value(Kernel& kernel, T& value, NodeId source, CallLabel label) {
    const Received received = co_await receive(kernel, detail::bytes_into(value), source, label);
    co_return detail::of_value(received, sizeof(T));
}

/// Receives one value, or gives up after `ticks` of model time; see receive_within() above.
/// bad_argument: the message was shorter than one.
template <Plain T>
Task<Received> receive_within(Kernel& kernel, T& value, wire::ModelTime ticks,
                              NodeId source = kAnySource, Tag tag = kAnyTag) {
    const Received received =
        co_await receive_within(kernel, detail::bytes_into(value), ticks, source, tag);
    co_return detail::of_value(received, sizeof(T));
}

/// Sends `mine` to `to` and receives `theirs` from `from` at the same time; see sendrecv().
/// bad_argument: the message was shorter than one value.
template <Plain T>
Task<Received> sendrecv_value(Kernel& kernel, const T& mine, NodeId to, T& theirs, NodeId from,
                              Tag tag = 0) {
    return sendrecv(kernel, detail::bytes_from(mine), to, detail::bytes_into(theirs), from, tag);
}
/// The same as a part of a collective's call, for code that makes one; see CallLabel.
template <Plain T>
Task<Received> sendrecv_value(Kernel& kernel, const T& mine, NodeId to, T& theirs, NodeId from,
                              CallLabel label) {
    return sendrecv(kernel, detail::bytes_from(mine), to, detail::bytes_into(theirs), from, label);
}

} // namespace mesh
