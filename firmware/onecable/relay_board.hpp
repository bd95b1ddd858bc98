// A board with a host port made of a board without one, in a mesh with one host cable: the kernel
// above and the board below know nothing of it. Frames of the kernel for the host leave by the
// ports, and frames of the host for this node come in by them (onecable/relay.hpp).
//
// The constructor returns when the node has its number. Frames of the neighbours' kernels that come
// before are lost, as at a node that is off.
#pragma once

#include "hal/concepts.hpp"
#include "kernel/base/limits.hpp"
#include "onecable/relay.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace mesh {

/// `B` has, beside the contract of a board, `kPorts`.
template <hal::Board B>
class RelayBoard {
public:
    static constexpr unsigned kPorts = B::kPorts;

    /// `restart`: resets the processor; does not return. For the others see Relay.
    RelayBoard(std::string_view made_for, Relay::Kept& kept, void (*restart)())
        : RelayBoard(made_for, kept, restart, Unnumbered{}) {
        await_number();
    }

    wire::Identity identity() const { return relay_.identity(); }
    /// The port by which all frames for the host leave.
    Port port_to_host() const { return relay_.up(); }
    /// One frame that is passed on between has its room beside those of a neighbour.
    std::size_t window_bytes(unsigned ports) const {
        const std::size_t window = board_.window_bytes(ports);
        return std::max(window - std::min(window, wire::kFrameBytesMax), wire::kFrameBytesMax);
    }

    static constexpr hal::Capabilities capabilities() { return kCan; }
    PortSet ready_ports();
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet) {
        if (port == kHostPort)
            relay_.send(packet);
        else
            board_.transmit(port, head, packet);
    }
    void lend(unsigned receiver, hal::Head& head, hal::PacketRoom buffer) {
        rooms_[receiver] = {&head, buffer.data()};
        board_.lend(receiver, head, buffer);
    }
    /// A message to this node comes in as by a host port. Frames to be passed on leave also while a
    /// process computes and the node does not wait().
    hal::Received receive() {
        const hal::Received got = receive_next(false);
        if (got.state == hal::Received::State::none)
            static_cast<void>(ready_ports());
        return got;
    }
    template <hal::TellsCables Inner = B>
    PortSet connected_ports() const {
        return board_.connected_ports();
    }
    template <hal::CountsTransfers Inner = B>
    std::uint32_t dma_transfers(Port port) const {
        return board_.dma_transfers(port);
    }

    std::uint64_t now_us() { return board_.now_us(); }
    void set_alarm_us(std::uint64_t time_us) { alarm_us_ = time_us; }
    /// Sends the frames that the relay has to pass on, then waits for the board.
    void wait() {
        static_cast<void>(ready_ports());
        board_.set_alarm_us(std::min(alarm_us_, relay_.next_deadline()));
        board_.wait();
    }
    void hang() { board_.hang(); }
    template <hal::HasPreemption Inner = B>
    void start_ticks(std::uint32_t period_us, hal::TickWork work, void* context) {
        board_.start_ticks(period_us, work, context);
    }
    template <hal::HasPreemption Inner = B>
    void stop_ticks() {
        board_.stop_ticks();
    }

protected:
    /// It may have no number yet: then nothing but receive_next() and wait() may be called.
    struct Unnumbered {};
    RelayBoard(std::string_view made_for, Relay::Kept& kept, void (*restart)(), Unnumbered)
        : restart_(restart),
          relay_(made_for, kPorts, limits::frames_us(1, kCan.bits_per_second), kept) {
        for (unsigned receiver = 0; receiver < kCan.receivers; ++receiver)
            lend(receiver, first_heads_[receiver], hal::PacketRoom{first_rooms_[receiver].bytes});
    }
    B& board() { return board_; }
    Relay& relay() { return relay_; }
    const Relay& relay() const { return relay_; }
    hal::Received receive_next(bool blocked);
    void await_number();
    void listen();

private:
    static constexpr hal::Capabilities kCan = B::capabilities();
    static constexpr std::uint32_t kAskUs = 500'000;

    /// Where the next frame of a receiver goes.
    struct Room {
        hal::Head* head;
        std::byte* buffer;
    };
    struct alignas(hal::kDmaAlign) FirstRoom {
        std::array<std::byte, wire::kPacketBytesMax> bytes;
    };

    bool take(bool blocked);
    bool is_for_kernel(hal::Received& got, bool blocked);

    B board_;
    void (*restart_)();
    Relay relay_;
    std::array<Room, kCan.receivers> rooms_{};
    std::array<hal::Head, kCan.receivers> first_heads_; // until the kernel lends its own
    std::array<FirstRoom, kCan.receivers> first_rooms_;
    std::uint64_t alarm_us_ = wire::kNever;
};

/// True: a frame goes to the kernel, unless that is `blocked`; then it is lost.
template <hal::Board B>
bool RelayBoard<B>::take(bool blocked) {
    if (blocked)
        relay_.note_drop();
    return !blocked;
}

/// True if the frame is one for the kernel, which is `blocked` before the node has its number and
/// while it waits to tell the host something: then no frame is taken. Bytes that are no frame at
/// all are the kernel's to count.
template <hal::Board B>
bool RelayBoard<B>::is_for_kernel(hal::Received& got, bool blocked) {
    const Room& room = rooms_[got.receiver];
    wire::LinkHeader link;
    if (wire::read_head(room.head->bytes, got.frame_bytes, link) != wire::Parse::ok ||
        link.kind != wire::Kind::host)
        return take(blocked);
    const Port port = std::exchange(got.port, kHostPort);
    const auto packet = std::span{room.buffer, link.packet_bytes};
    wire::PacketHeader header;
    if (wire::read_packet(packet, header) != wire::Parse::ok)
        return take(blocked);
    return relay_.on_frame(port, link, header, packet, !blocked) == Relay::Outcome::deliver;
}

/// The next frame for the kernel.
template <hal::Board B>
hal::Received RelayBoard<B>::receive_next(bool blocked) {
    for (;;) {
        hal::Received got = board_.receive();
        if (got.state != hal::Received::State::frame || is_for_kernel(got, blocked))
            return got;
        const Room& room = rooms_[got.receiver];
        board_.lend(got.receiver, *room.head, hal::PacketRoom{room.buffer, wire::kPacketBytesMax});
    }
}

/// Waits for as long as a neighbour may take to say which number this node has.
template <hal::Board B>
void RelayBoard<B>::listen() {
    const std::uint64_t until_us = now_us() + kAskUs;
    set_alarm_us(until_us);
    while (!relay_.numbered() && now_us() < until_us) {
        static_cast<void>(receive_next(true));
        wait();
    }
    set_alarm_us(wire::kNever);
}

/// A question, or its answer, may be lost: nobody repeats it but this node.
template <hal::Board B>
void RelayBoard<B>::await_number() {
    for (listen(); !relay_.numbered(); listen())
        relay_.ask_again();
}

/// Sends the frames to be passed on, and says by which ports the kernel may send. Frames for the
/// kernel that come while it is blocked are lost, and sent again; the frame that lets it go on
/// comes as well.
template <hal::Board B>
PortSet RelayBoard<B>::ready_ports() {
    if (!relay_.has_room())
        static_cast<void>(receive_next(true));
    for (;;) {
        const PortSet ready = board_.ready_ports();
        relay_.on_ready(ready);
        if (relay_.reset_due())
            restart_();
        wire::LinkHeader link;
        std::span<const std::byte> packet;
        if (!relay_.next_frame(ready, board_.now_us(), link, packet))
            return relay_.has_room() ? ready | bit_of(kHostPort) : ready & ~bit_of(kHostPort);
        hal::Head head;
        wire::write_head(link, wire::to_mac(relay_.identity()), head.bytes);
        board_.transmit(link.port, head, packet);
    }
}

} // namespace mesh
