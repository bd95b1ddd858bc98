// The whole port contract: the functions that the kernel needs of a board, as one concept of four
// parts, and those that a board may have besides. hal/null_board.hpp is the least that satisfies
// it.
//
// All calls come from the kernel, one at a time; interrupts only move bytes and wake the processor,
// but for the one of HasPreemption.
// Nothing above this file knows which board it runs on.
#pragma once

#include "core/base/types.hpp"
#include "hal/dma.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"
#include "wire/identity.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::hal {

/// Cable and link header as the wire has them: boards see bytes, the kernel sees fields. Aligned
/// for DMA and FIFO access. Not cleared: the code that makes one fills all of it.
union alignas(kDmaAlign) Head {
    Head() {} // NOLINT(modernize-use-equals-default): the defaults of `fields` need not be set
    std::array<std::byte, wire::kHeadBytes> bytes;
    wire::Head fields;
};

/// Room for the packet of a frame.
using PacketRoom = std::span<std::byte, wire::kPacketBytesMax>;

/// The abilities of the hardware. The same for the whole life of a board, and known when it is
/// compiled.
struct Capabilities {
    /// Frames that leave at the same time. 1: all ports share one transmitter. Else one for each
    /// port, in their order, and the last one for the host.
    unsigned senders = 1;
    /// Frames that come in at the same time, each into a buffer that was lent for it. 1: all ports
    /// share one receiver. Which port has which is the board's own business.
    unsigned receivers = 1;
    /// Frames that a cable has damaged never come in, so the kernel need not compute the checksum
    /// of every packet at every hop.
    bool frames_checked = false;
    /// Running free, a data frame carries as many packets as its buffer has room for (a train:
    /// wire/frame.hpp). All boards of a mesh have it, or none. It needs one sender for all ports:
    /// a packet may leave by several, with another train behind it by each. Worth it where a frame
    /// costs more than its bytes do.
    bool trains = false;
    /// The rate of one cable each way, in bits a second: half of its rate if it carries one way at
    /// a time. The kernel waits for an answer as long as frames take. 0: unlimited.
    std::uint32_t bits_per_second = 0;
};

/// Outcome of receive().
struct Received {
    enum class State : std::uint8_t { none, busy, frame } state = State::none;
    Port port = kNoPort;           // the cable it came in by (byte 5 of the cable header)
    std::uint8_t receiver = 0;     // the receiver whose buffer it is in
    std::uint32_t frame_bytes = 0; // as it was on the wire; may be shorter than a head
};

/// The node's identity, and how many bytes may be in flight towards it.
template <class B>
concept HasIdentity = requires(const B board, unsigned ports) {
    /// The identity of this node; kNoNode: it was given an address that no node has. `start` grows
    /// with each reset.
    { board.identity() } -> std::same_as<wire::Identity>;
    /// Bytes of frames that one neighbour may have unacknowledged towards this node when it has
    /// `ports` ports: the size of the receive memory, shared by all that fill it.
    { board.window_bytes(ports) } -> std::same_as<std::size_t>;
};

/// The ports. One DMA channel each where the hardware has them.
template <class B>
concept HasPorts = requires(B board, Port port, const Head& head, std::span<const std::byte> packet,
                            unsigned receiver, Head& head_out, PacketRoom buffer) {
    /// A constant expression.
    { B::capabilities() } -> std::same_as<Capabilities>;
    /// The ports by which transmit() may be called now, with the bit of kHostPort: no frame is
    /// leaving by them. Until a port is ready the packet of its last transmit() stays as it is.
    { board.ready_ports() } -> std::same_as<PortSet>;
    /// Starts sending one frame by `port` (or kHostPort), which is ready. `head` is copied
    /// before the call returns; `packet` (aligned to kDmaAlign, may be empty) is read by DMA until
    /// the port is ready again. A board with a data cache writes the packet back first. By a cable
    /// that carries one way at a time the frame leaves when it is this end's turn.
    { board.transmit(port, head, packet) } -> std::same_as<void>;
    /// The next frame of `receiver` goes here: its first 44 bytes to `head_out`, the rest to
    /// `buffer` (both aligned to kDmaAlign). They are the board's until receive() gives a frame of
    /// that receiver, then the caller's until it lends them, or others, again. A board with a data
    /// cache forgets what it has of the buffer.
    { board.lend(receiver, head_out, buffer) } -> std::same_as<void>;
    /// The next frame that has come in, if there is one. Bytes that its buffer has no room for are
    /// discarded and show in frame_bytes. `busy`: a frame has been begun and nothing else may
    /// happen until it is here; call again after the next wake-up.
    { board.receive() } -> std::same_as<Received>;
};

/// Real time, for link timers only; results never depend on it.
template <class B>
concept HasClock = requires(B board, std::uint64_t time_us) {
    { board.now_us() } -> std::same_as<std::uint64_t>; // since reset, monotonic
    /// Wakes wait() at `time_us` at the latest; kNever: no alarm. One alarm only; the last call
    /// counts.
    { board.set_alarm_us(time_us) } -> std::same_as<void>;
};

/// Sleeping and stopping.
template <class B>
concept HasPower = requires(B board) {
    /// Sleeps until a frame came in, a transfer ended, a cable was pulled or plugged in
    /// (TellsCables) or the alarm is due. Returns at once if one of these happened since the last
    /// call.
    { board.wait() } -> std::same_as<void>;
    /// Stops working without a sign, as broken firmware would (fault injection). Need not return;
    /// where it does, the node gets no further calls.
    { board.hang() } -> std::same_as<void>;
};

template <class B>
concept Board = HasIdentity<B> && HasPorts<B> && HasClock<B> && HasPower<B>;

/// A board may count the transfers that the DMA channel of a port has completed, both directions.
/// They go into the node's report, as proof that DMA moves the bytes.
template <class B>
concept CountsTransfers = requires(const B board, Port port) {
    { board.dma_transfers(port) } -> std::same_as<std::uint32_t>;
};

/// A board may know which cables lead to a running node: by a carrier, or a level that only an end
/// that is on keeps up. Then a link is dead as soon as its cable is pulled, and asks which node is
/// there as soon as it is plugged in. Without it a link finds that out by silence, after some 260
/// retransmission timeouts, and by asking again. In lockstep no link asks.
template <class B>
concept TellsCables = requires(const B board) {
    /// The ports of those cables.
    { board.connected_ports() } -> std::same_as<PortSet>;
};

/// The function that a board calls between two instructions of a program, with its `context`.
using TickWork = void (*)(void* context);

/// A board may let the links work while a process computes. Without it a node does nothing else
/// until its process waits.
template <class B>
concept HasPreemption = requires(B board, std::uint32_t period_us, TickWork work, void* context) {
    /// From now on `work(context)` is called about every `period_us` (1,000 to 800,000; earlier by
    /// a timer that cannot count so far), from an interrupt on a stack of its own, which interrupts
    /// the program and nothing but the program: all other interrupts go before it, and it never
    /// meets itself. `work` may call this, to change the period, and the next.
    { board.start_ticks(period_us, work, context) } -> std::same_as<void>;
    /// No more of these calls, so that the node can sleep without end.
    { board.stop_ticks() } -> std::same_as<void>;
};

} // namespace mesh::hal

namespace mesh {

/// Defined once by each board: reports `record` to the host and stops this node for good.
[[noreturn]] void halt(const wire::CrashRecord& record);

} // namespace mesh
