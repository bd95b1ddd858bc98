// The whole port contract: what the kernel needs of a board, as one concept of four parts.
//
// All calls come from the kernel's thread; interrupts only move bytes and wake the processor.
// Nothing above this file knows which board it runs on.
#pragma once

#include "core/types.hpp"
#include "wire/frame.hpp"
#include "wire/host_messages.hpp"
#include "wire/identity.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mesh::hal {

/// Cable and link header as the wire has them; word-aligned for DMA and FIFO access. Not cleared:
/// who makes one fills all of it.
struct alignas(4) Head {
    std::array<std::byte, wire::kHeadBytes> bytes;
};

/// Outcome of receive().
struct Received {
    enum class State : std::uint8_t { none, busy, frame } state = State::none;
    Port port = kNoPort;           // the cable it came in by (byte 5 of the cable header)
    std::uint32_t frame_bytes = 0; // as it was on the wire; may be shorter than a head
};

/// Who am I, and how many bytes may be in flight towards me?
template <class B>
concept HasIdentity = requires(const B board, unsigned ports) {
    /// kNoNode: it was given an address that no node has. `start` grows with each reset.
    { board.identity() } -> std::same_as<wire::Identity>;
    /// Bytes of frames that one neighbour may have unacknowledged towards this node when it has
    /// `ports` ports: all ports, their acknowledgements and the host share the receive FIFO.
    { board.window_bytes(ports) } -> std::same_as<std::size_t>;
};

/// The ports. One DMA channel each where the hardware has them.
template <class B>
concept HasPorts = requires(B board, Port port, const Head& head, std::span<const std::byte> packet,
                            Head& head_out, std::span<std::byte> buffer) {
    /// True when transmit() may be called: no transfer of an earlier frame is running. While it is
    /// false the packet of the last transmit() must stay as it is.
    { board.transmit_ready() } -> std::same_as<bool>;
    /// Starts sending one frame by `port` (or kHostPort). `head` is copied before the call
    /// returns; `packet` (word-aligned, may be empty) is read by DMA until transmit_ready().
    { board.transmit(port, head, packet) } -> std::same_as<void>;
    /// Takes the next received frame, if there is one: its first 44 bytes to `head_out`, the rest
    /// by DMA to `buffer` (word-aligned; what does not fit is discarded and shows in frame_bytes).
    /// `busy`: the transfer is running; call again with the same arguments after the next wake-up.
    { board.receive(head_out, buffer) } -> std::same_as<Received>;
    /// Transfers that the DMA channel of `port` has completed, both directions.
    { board.dma_transfers(port) } -> std::same_as<std::uint32_t>;
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
    /// Sleeps until a frame came in, a transfer ended or the alarm is due. Returns at once if one
    /// of these happened since the last call.
    { board.wait() } -> std::same_as<void>;
    /// Stops working without a sign, as broken firmware would (fault injection). Need not return;
    /// where it does, the node gets no further calls.
    { board.hang() } -> std::same_as<void>;
};

template <class B>
concept Board = HasIdentity<B> && HasPorts<B> && HasClock<B> && HasPower<B>;

} // namespace mesh::hal

namespace mesh {

/// Defined once by each board: reports `record` to the host and stops this node for good.
[[noreturn]] void halt(const wire::FaultRecord& record);

} // namespace mesh
