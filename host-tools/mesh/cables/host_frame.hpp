// Frames between the host tool and a node: built for every HostTag, and read from bytes that a
// broken node may have made.
#pragma once

#include "wire/bytes.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mesh::host {

/// The address of the host tool in cable headers.
inline constexpr wire::Mac kHostMac{0x02, 0xFF, 0, 0, 0, 0};

/// A message from a node, checked: lengths and checksums are right, the tag is one that nodes send.
struct HostMessage {
    wire::HostTag tag;
    std::span<const std::byte> payload; // inside the frame that was read
    // Of a message in several packets: where this one begins, and the bytes of all; else 0.
    std::uint32_t position = 0;
    std::uint32_t total_bytes = 0;
};

/// A frame of Kind::host for `to` with this payload.
std::vector<std::byte> make_host_frame(NodeId to, wire::HostTag tag,
                                       std::span<const std::byte> payload = {});

/// A frame of Kind::load, between the host and node 0's loader or two loaders: a LoadHeader, and a
/// block or nothing behind it.
std::vector<std::byte> make_load_frame(std::span<const std::byte> message);

/// A payload of two parts.
std::vector<std::byte> joined(std::span<const std::byte> first, std::span<const std::byte> second);

/// A frame that says model time has come to `time`.
std::vector<std::byte> make_grant(wire::ModelTime time);

/// Reads a frame that came from a node's host port; nothing if it is not whole and right.
std::optional<HostMessage> read_host_frame(std::span<const std::byte> frame);

/// The payload as a T, if it is long enough (bytes behind T are for the caller).
template <class T>
std::optional<T> payload_as(const HostMessage& message) {
    if (message.payload.size() < sizeof(T))
        return std::nullopt;
    return wire::load<T>(message.payload, 0);
}

} // namespace mesh::host
