// A node's record of each other node: how far the messages from there have come and those to there
// have gone, and by which paths messages to it last got through.
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

/// The name of a message, which its packets bear: the life of its sender, and its number among the
/// offers to that receiver in that life. A word, 0 for none.
/// Example: the third offer of a node in its second life: life 2, number 3, so 0002'0003.
struct MessageName {
    std::uint16_t number = 0;
    std::uint16_t life = 0;

    /// As a word of a header.
    constexpr std::uint32_t word() const { return std::uint32_t{life} << 16 | number; }
    /// The name of which word() has made `word`.
    static constexpr MessageName of_word(std::uint32_t word) {
        return {static_cast<std::uint16_t>(word), static_cast<std::uint16_t>(word >> 16)};
    }
};

/// The number behind this one. Numbers go round, and 0 is none.
constexpr std::uint16_t number_after(std::uint16_t number) {
    return number == 0xFFFF ? std::uint16_t{1} : static_cast<std::uint16_t>(number + 1);
}
/// The inverse of number_after(). Precondition: `number` is not 0.
constexpr std::uint16_t number_before(std::uint16_t number) {
    return number == 1 ? std::uint16_t{0xFFFF} : static_cast<std::uint16_t>(number - 1);
}
/// An offer of this number was made after the last one.
constexpr bool is_behind(std::uint16_t number, std::uint16_t last) {
    return static_cast<std::int16_t>(number - last) > 0;
}
/// True if the receiver, whose last offer is `last`, has the offer of this number: it has all up to
/// `last`, in the order of is_behind(). But an offer that it was known to have (`was_there`) and
/// has not taken may have waited so long that its number seems to be behind `last`. It has gone
/// back to its sender only if it is behind by no more than all that a pool can send away. Example:
/// the last one is 0x9000, and 1 waits there since before the numbers went half round: 1 is 0x7001
/// behind.
constexpr bool is_there(std::uint16_t number, std::uint16_t last, bool was_there) {
    return static_cast<std::uint16_t>(number - last - 1) >= (was_there ? 0x4000u : 0x7FFFu);
}
static_assert(is_there(7, 7, false) && !is_there(8, 7, true) && is_there(1, 0x9000, true));

/// Calls from one node to another are rounds 1 to kRoundMask, and 1 again; 0 is none. One that was
/// sent before the last that was heard, and that took a longer way, is too late.
/// Example: after 125 round 2 is later, and 124 is not.
inline constexpr std::uint32_t kRoundMask = 0x7F;
/// The round behind this one.
constexpr std::uint8_t round_after(unsigned round) {
    return static_cast<std::uint8_t>(round % kRoundMask + 1);
}
/// True if a call of `round` was sent after that of round `heard` (0: none was heard).
constexpr bool is_later_round(unsigned round, unsigned heard) {
    const unsigned ahead = (round + kRoundMask - heard) % kRoundMask;
    return heard == 0 || (ahead != 0 && ahead <= kRoundMask / 2);
}

/// One node as another one knows it. All zero: nothing is known.
struct Peer {
    // Messages from there.
    std::uint16_t last; // number of the last offer taken in, in that life; 0: there was none
    std::uint16_t life; // of that node, which `last` and `heard` are about; 0: not known
    // Messages to there.
    std::uint16_t row;           // number of the last offer, or password
    std::uint16_t path_out : 5;  // of messages, and ...
    std::uint16_t path_back : 5; // ... of their answers: as in RoundTrip
    std::uint16_t crowded : 1; // it has room for others only, or did not want what is held for it:
                               // it hears of each further message by a hint
    // Messages from there.
    std::uint16_t more : 1;    // it holds messages for this node, as far as is known: to be called
    std::uint16_t unasked : 1; // and has had no pull since then
    std::uint16_t called : 1;  // it was called, and has not answered
    std::uint16_t waits : 1;   // it has asked for this node, and heard that it is there
    std::uint16_t unsure : 1;  // a process has left one of its messages: it may be taken or not
    std::uint16_t round : 7;   // of the last call to it; 0: there was none
    std::uint16_t lost : 1;    // that call was lost on its way; it may have heard the one before
    // Messages to there.
    std::uint16_t heard : 7; // round of its last call; 0: there was none
    std::uint16_t owes : 1;  // that call is to be answered by `nothing`
};
static_assert(sizeof(Peer) == 10);

/// A place for each of `nodes` nodes.
using Peers = std::span<Peer>;

} // namespace mesh
