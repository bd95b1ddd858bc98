// The contract of a board as a value that does nothing: no cable leads anywhere, and time stands
// still. A port to new hardware may begin as a copy of it; each comment says what code has to come
// there.
#pragma once

#include "hal/concepts.hpp"

namespace mesh::hal {

class NullBoard {
public:
    explicit NullBoard(const wire::Identity& identity) : identity_(identity) {}

    /// Read once at start-up, from wherever the board keeps it.
    wire::Identity identity() const { return identity_; }
    /// The receive memory divided by `ports`; one frame of the largest kind is the least.
    std::size_t window_bytes(unsigned /*ports*/) const { return wire::kFrameBytesMax; }

    /// One frame at a time each way, damaged ones among them, and faster than matters.
    static constexpr Capabilities capabilities() { return {}; }
    /// All ports whose transmitter is at rest.
    PortSet ready_ports() { return ~PortSet{0}; }
    /// Writes head and packet back, if there is a data cache, and starts the transmitter;
    /// ready_ports() is without the port until the last byte has left.
    void transmit(Port /*port*/, const Head& /*head*/, std::span<const std::byte> /*packet*/) {}
    /// Forgets what a data cache has of the memory, and points the receiver, or its DMA channel, at
    /// it. A channel that knows one place only fills a room of the board's own.
    void lend(unsigned /*receiver*/, Head& /*head*/, PacketRoom /*buffer*/) {}
    /// Gives the frames that have come in, one a call, in the order in which they ended; forgets
    /// once more what a data cache has read ahead of one.
    Received receive() { return {}; }

    /// A counter that runs freely, extended to 64 bits.
    std::uint64_t now_us() { return 0; }
    /// Keeps the time for wait(), which sets the hardware.
    void set_alarm_us(std::uint64_t /*time_us*/) {}

    /// Holds interrupts back, looks once more whether anything has happened, sleeps. A cable that
    /// is pulled or plugged in has happened, too, on a board that has connected_ports().
    void wait() {}
    /// Turns the interrupts off and sleeps for ever.
    void hang() {}

private:
    wire::Identity identity_;
};

static_assert(Board<NullBoard> && !CountsTransfers<NullBoard> && !TellsCables<NullBoard>);

} // namespace mesh::hal
