// The messages between the bare forwarder and its driver; see README.md for how a run goes.
//
// Each is the payload of an ordinary host frame (wire/frame.hpp) whose tag is a HostTag; the
// checksum fields are neither made nor read. Little-endian, whole words.
#pragma once

#include "core/base/types.hpp"

#include <array>
#include <cstdint>

namespace mesh::bare {

/// With HostTag::start: forward by this rule, and put frames of your own on the cables.
struct Start {
    std::uint32_t ports;        // 1..8
    std::uint32_t step;         // what comes in by port p goes out by (p + step) mod ports
    std::uint32_t start_ports;  // bit set: ports by which this node starts frames
    std::uint32_t frames;       // as many on each of them
    std::uint32_t packet_bytes; // behind the 44 bytes of the head; at most kPacketBytesMax
};

/// With HostTag::report: once after reset, then in answer to each HostTag::poll.
struct Report {
    std::uint32_t received;         // frames from cables, short ones included
    std::uint32_t forwarded;        // frames sent on
    std::uint32_t short_frames;     // dropped: no complete head
    std::uint32_t last_frame_bytes; // length of the last frame that came by a cable
    std::uint32_t sleeps;           // calls of wait()
    std::uint32_t transmit_errors;
    std::array<std::uint32_t, 8> dma_transfers;
};

} // namespace mesh::bare
