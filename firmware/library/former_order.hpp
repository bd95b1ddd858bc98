// Calls in the order of arguments that they had at first: the other node, or the tag, before the
// rest.
//
// Programs that were written so mean the same as ever. Write new ones in the order of
// library/messages.hpp: the node, what moves, the other node, the tag. The types of nodes, tags and
// values tell the two apart; where what moves is itself a NodeId, a call is of the new order.
#pragma once

#include "library/guards.hpp"
#include "library/messages.hpp"

#include <concepts>
#include <span>
#include <type_traits>

namespace mesh {

namespace detail {
/// A value that no call could take for the other node.
template <class T>
concept NoNode = Plain<T> && !std::same_as<T, NodeId>;
} // namespace detail

/// Now receive(kernel, buffer, source, tag).
inline Receiving receive(Kernel& kernel, std::span<std::byte> buffer, Tag tag,
                         NodeId source = kAnySource) {
    return receive(kernel, buffer, source, tag);
}
/// Now receive_message(kernel, source, tag).
inline auto receive_message(Kernel& kernel, Tag tag, NodeId source = kAnySource) {
    return receive_message(kernel, source, tag);
}
/// Now sendrecv(kernel, data, to, buffer, from, tag).
inline Task<Received> sendrecv(Kernel& kernel, NodeId to, std::span<const std::byte> data,
                               NodeId from, std::span<std::byte> buffer, Tag tag = 0) {
    return sendrecv(kernel, data, to, buffer, from, tag);
}
/// Now message_match(source, tag).
inline Match message_match(Tag tag, NodeId source = kAnySource) {
    return message_match(source, tag);
}
/// Now on_message(source, tag).
inline MailGuard on_message(Tag tag, NodeId source = kAnySource) { return on_message(source, tag); }
/// Now probe(kernel, source, tag).
inline bool probe(const Kernel& kernel, Tag tag, NodeId source = kAnySource) {
    return probe(kernel, source, tag);
}
/// Now receive_within(kernel, buffer, ticks, source, tag).
inline Task<Received> receive_within(Kernel& kernel, wire::ModelTime ticks,
                                     std::span<std::byte> buffer, Tag tag = kAnyTag,
                                     NodeId source = kAnySource) {
    return receive_within(kernel, buffer, ticks, source, tag);
}
/// Now send_value(kernel, value, to, tag).
template <detail::NoNode T>
Task<Status> send_value(Kernel& kernel, NodeId to, const T& value, Tag tag = 0) {
    return send_value(kernel, value, to, tag);
}
/// The same for a temporary value.
template <detail::NoNode T>
Task<Status> send_value(Kernel& kernel, NodeId to, const T&& value, Tag tag = 0) {
    return detail::send_kept(kernel, value, to, tag);
}
/// Now receive_value(kernel, value, source, tag).
template <Plain T>
Task<Received> receive_value(Kernel& kernel, T& value, Tag tag, NodeId source = kAnySource) {
    return receive_value(kernel, value, source, tag);
}
/// Now sendrecv_value(kernel, mine, to, theirs, from, tag).
template <detail::NoNode T>
Task<Received> sendrecv_value(Kernel& kernel, NodeId to, const T& mine, NodeId from, T& theirs,
                              Tag tag = 0) {
    return sendrecv_value(kernel, mine, to, theirs, from, tag);
}
/// Now shared.write(value).
template <class T>
Task<Status> write(Kernel&, SharedChannel<T>& shared, std::type_identity_t<T> value) {
    return shared.write(value);
}

} // namespace mesh
