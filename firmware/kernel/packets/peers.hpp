// A node's record of each other node: the last message taken in from there, whether one of its
// offers was sent away for want of room, and by which paths messages to it last got through.
//
// There is a place for every node of the network, so no record is ever pushed out, and the answer
// of a node about a message is never a guess.
#pragma once

#include "core/base/types.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// The paths of a message: of its packets, and of the answers to them. kShortest (of packets: as
/// SendOptions::route says), or the number of a disjoint path, plus 1.
struct RoundTrip {
    static constexpr std::uint8_t kShortest = 0;
    static constexpr std::uint8_t kNone = 0xFF; // no path is known

    std::uint8_t out = kShortest;
    std::uint8_t back = kShortest;
};

/// One node as another one knows it. All zero: nothing has come from there yet.
struct Peer {
    std::uint32_t last;          // number of the last message taken in; 0: none
    std::uint16_t tag;           // of the offer that was sent away
    std::uint16_t path_out : 5;  // of messages to it, and ...
    std::uint16_t path_back : 5; // ... of their answers: as in RoundTrip
    std::uint16_t unsure : 1;    // a process has left one of its messages: it may be taken or not
    std::uint16_t away : 1;      // an offer of it was sent away and waits to be called
    std::uint16_t called : 1;    // it was called, and has not offered again yet
    std::uint16_t early : 1;     // an offer came before the message that goes before it
    std::uint16_t crowded : 1;   // it had no room for a message of this node
    std::uint16_t waits : 1;     // it has asked for this node, and heard that it is there
};
static_assert(sizeof(Peer) == 8);

/// A message of this number was sent after the last one. Numbers go round.
constexpr bool is_behind(std::uint32_t number, std::uint32_t last) {
    return static_cast<std::int32_t>(number - last) > 0;
}

/// A place for each of `nodes` nodes.
using Peers = std::span<Peer>;

} // namespace mesh
