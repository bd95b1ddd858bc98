// Every limit of the kernel, with how it is derived. Change it here and nowhere else.
#pragma once

#include "core/base/order.hpp"
#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::limits {

/// Frames in flight on one link. An acknowledgement tells the fate of the last 32 frames, so two
/// windows' worth: whichever acknowledgement arrives, no frame's fate is lost.
inline constexpr unsigned kWindowFrames = 16;
static_assert(2 * kWindowFrames <= 32);

/// Retransmissions without any progress before the link is declared dead. With half of all round
/// trips lost (drop 20 % and corrupt 10 %, both ways) a living link is taken for dead once in 2^64
/// frames.
inline constexpr unsigned kRetriesMax = 64;

/// Free running: the retransmission timeout (RTO) after which a frame is sent again is four
/// measured round trips, within these bounds, and doubles up to kBackoffMax times that if it was in
/// vain. Nodes of one host share its cores, so a round trip can be anything, and the host raises
/// the lower bound where they are many (wire::Job::rto_min_ms): 5,040 nodes on two cores answer
/// after several seconds, and a timeout below that sends every frame again for ever. A dead link is
/// known after some 260 times the RTO: in 2.6 s, or 13 s if nothing has been measured yet.
inline constexpr std::uint32_t kRtoMinUs = 10'000;
inline constexpr std::uint32_t kRtoFirstUs = 50'000;
inline constexpr std::uint32_t kRtoMaxUs = 16'000'000;
inline constexpr std::uint32_t kBackoffMax = 4;
/// Microseconds that frames of the largest kind take on a cable of `bits_per_second` (0: no time).
constexpr std::uint32_t frames_us(unsigned frames, std::uint32_t bits_per_second) {
    constexpr std::uint64_t kBitsOfByte = 10; // as serial lines have them
    return bits_per_second == 0
               ? 0
               : static_cast<std::uint32_t>(frames * wire::kFrameBytesMax * kBitsOfByte *
                                            1'000'000 / bits_per_second);
}
/// A cable raises the lower bound as well: a frame may wait for one of the largest kind before it,
/// takes as long itself, and its answer the same.
constexpr std::uint32_t rto_min_us(std::uint32_t bits_per_second) {
    return greatest(kRtoMinUs, frames_us(4, bits_per_second));
}

/// Free running: data that its sender does not ask about is acknowledged after this share of the
/// least RTO, so that a round trip stays far below that.
inline constexpr std::uint32_t kAcknowledgeShare = 4;

/// Hello is repeated until the peer answers: after this time, and then after twice the pause
/// before, up to kPauseDoublings times. A packet that the peer had no buffer for is repeated in the
/// same way, in case the peer's word that it has some now was lost.
inline constexpr std::uint32_t kHelloUs = 250'000;
inline constexpr unsigned kPauseDoublings = 4;
/// In lockstep these pauses double so often: all of them together are some 2^49 ticks, so model
/// time has room for any number of such waits.
inline constexpr unsigned kProbeDoublings = 24;
/// A node that starts again beside a dead one gives up the link after so many hellos.
inline constexpr unsigned kHellosMax = 12;
/// Data of the host that does not come is asked for again after this time.
inline constexpr std::uint32_t kPullUs = 1'000'000;

/// Processes at a time on one node, joined or not, where the board gives room for so many.
inline constexpr unsigned kProcessesMax = 32;
/// Processes at a time that keep packets of messages while they wait for something else, where the
/// pool is made for so many. receive() is none of them: it copies at once what has come.
inline constexpr unsigned kReceiversMax = 16;
/// After so many questions in vain a pull is taken to be lost; after so many for each node of the
/// mesh all calls are (Intake).
inline constexpr unsigned kAsksInVain = 16;

/// Free running: times that each process may run before the links have their turn again. Frames
/// that came meanwhile wait in the receiver, and neighbours for their acknowledgements.
inline constexpr unsigned kTurnsMax = 32;

/// Microseconds after which a process that still runs has its first preemptive poll. Shorter than
/// the least RTO, so that its neighbours send nothing again. Nodes of one host wait for its cores
/// as well: where it has raised the RTO for that, ticks are as much rarer.
constexpr std::uint32_t tick_us(std::uint32_t rto_min_ms) {
    return greatest(std::uint32_t{8000}, 800 * rto_min_ms);
}
/// Then preemptive polls come so many times as often as ticks did.
inline constexpr std::uint8_t kPreemptivePollsOfTick = 8;
/// Packets that the links take in one preemptive poll. At 20 MHz these take half of the time to the
/// next one, so the process goes on in any case. A train is taken whole, up to 16 packets; later
/// polls then take as many less.
inline constexpr unsigned kFramesInPreemptivePoll = 4;

/// Words of `--app ... -- words`, and all their bytes together, on a board with such packets: they
/// come with the job.
inline constexpr unsigned kArgumentsMax = 16;
inline constexpr std::size_t kJobBytes = 64;
/// Bytes of all arguments together where packets have such a payload.
constexpr std::size_t argument_bytes_max(std::size_t payload_bytes_max) {
    return least<std::size_t>(256, payload_bytes_max - kJobBytes);
}
inline constexpr std::size_t kArgumentBytesMax = argument_bytes_max(wire::kPayloadBytesMax);

/// Offers of messages that wait for a process, as a share of the pool (1/kUnexpectedShare). Further
/// offers are sent away to wait at their sources, so that they cannot fill the pool; one of them
/// may stay until the processes have had their turn.
inline constexpr unsigned kUnexpectedShare = 4;
/// Offers that may wait in a node with so many buffers.
constexpr unsigned offers_max(unsigned buffers) { return buffers / kUnexpectedShare; }

/// Packets of a broadcast by which its root may run ahead of the slowest node, as a share of the
/// pool (1/kTreeWindowShare).
inline constexpr unsigned kTreeWindowShare = 4;
/// Before a node has begun a broadcast it may be sent the packets of an early window: a share of
/// that (1/kEarlyShare), and two at least. Broadcasts of so many tags (early_tags()) may send them:
/// what lies at a late node is a window then, however many of them are under way. Calls of other
/// tags begin at a gate.
inline constexpr unsigned kEarlyShare = 8;
/// Half of the early window, in packets: 1 at least.
constexpr unsigned early_half(unsigned buffers) {
    return greatest(1u, buffers / kTreeWindowShare / kEarlyShare / 2);
}
/// Tags whose broadcasts may send early packets, that of the library included.
constexpr unsigned early_tags(unsigned buffers) {
    return buffers / kTreeWindowShare / (2 * early_half(buffers));
}

/// Calls of collectives that a node may have under way at a time, under tags of their own: what
/// they send to a node that has begun none of them, or wait for in one that has begun them all,
/// fits in its pool. Of more than these no node can say that they end.
constexpr unsigned calls_at_a_time(unsigned buffers) { return buffers / 8; }

/// A reduction asks its children for operands before it can combine them only while no more calls
/// than this are under way at its node: there may be some 30 such operands.
constexpr unsigned calls_that_ask_ahead(unsigned buffers) { return greatest(1u, buffers / 32); }

/// Payload bytes of one message that may be under way before the receiver has consumed them.
inline constexpr std::uint32_t kMessageWindowPackets = 8;

/// A sender that hears nothing of its message asks whether its receiver is there: first after
/// kAskRtos times the least RTO of its links, so late that a healthy mesh on a busy machine has no
/// questions. If an ask has no answer after the same time again, when a link that died has been
/// found out, or twice that, the receiver is unreachable. Pauses between asks double, up to
/// kAskDoublings times, for as long as it waits. In lockstep it asks whenever the mesh is at rest,
/// kAsksMax times.
inline constexpr std::uint32_t kAskRtos = 300;
inline constexpr unsigned kAskDoublings = 5;
inline constexpr unsigned kAsksMax = 8;

/// Buffers that a node needs for forwarding to be free of deadlock (ARCHITECTURE.md): more than the
/// longest path of any rule in use has links and the longest way back of an answer, one for the
/// host port and one for each of the board's `receivers`, those that `processes` may have been
/// promised and hold, and the share of waiting messages on top, with one that has no room there.
constexpr unsigned pool_buffers_min(unsigned longest_path_links, unsigned way_back_links,
                                    unsigned processes, unsigned receivers = 1) {
    const unsigned transit = longest_path_links + way_back_links + 1 + 1 + receivers +
                             processes * (kMessageWindowPackets + 1);
    return transit * kUnexpectedShare / (kUnexpectedShare - 1) + 1;
}

/// Largest message.
inline constexpr std::uint32_t kMessageBytesMax = 1u << 20;
/// Memory that a node lends its program: a collective on one largest message works in three times
/// that, and tables of its bundles.
inline constexpr std::uint32_t kWorkspaceBytes = 3 * kMessageBytesMax + (64u << 10);

/// Free running: model time of sleeping processes runs at this rate.
inline constexpr wire::ModelTime kTicksPerUs = wire::kTicksPerUnit / 1000;

} // namespace mesh::limits
