// A board whose cables are serial lines: one for each port, and the last one for the host.
//
// Every line sends for itself, from the packet where it lies. What comes in waits in the ring of
// its line, and is taken into the one buffer that the kernel lends, line by line in turn.
// Interrupts move bytes between ring or packet and line; wait() returns when a frame is whole, not
// for bytes. A chip may know cables that are pulled (ChipTellsCables), and may have wires that
// carry one way at a time (boards/serial/turns.hpp).
#pragma once

#include "boards/serial/line.hpp"
#include "hal/concepts.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh::board {

/// The wake-up of a chip.
template <class T>
concept SerialTimer = requires(T timer, std::uint64_t time_us, std::uint32_t period_us,
                               hal::TickWork work, void* context) {
    /// The alarm: an interrupt in `time_us`, which ends sleep().
    { timer.wake_after(time_us) } -> std::same_as<void>;
    /// See hal::HasPreemption. A timer that does nothing here is allowed: a program that
    /// computes then makes its neighbours wait.
    { timer.start_ticks(period_us, work, context) } -> std::same_as<void>;
    { timer.stop_ticks() } -> std::same_as<void>;
    /// The handler of its interrupt.
    { timer.on_interrupt() } -> std::same_as<void>;
};

/// The functions of a chip: its lines by number (0 to kPorts - 1 those of the ports, kPorts the
/// host's), a counter, one wake-up. boards/BOARD/chip.hpp has them for the hardware.
template <class C>
concept SerialChip = requires(unsigned line, std::byte byte, bool on) {
    requires SerialTimer<typename C::Timer>;
    requires(C::kPorts > 0 && C::kPorts <= wire::kCompactPorts);
    /// The rate of one line.
    requires(C::kBitsPerSecond > 0);
    /// Bytes that each line can keep until they are taken: a power of two.
    requires(C::kRingBytes >= 2048);
    /// Holds interrupts back while it lives; nests.
    typename C::Guard;
    /// The identity as it was given.
    { C::address() } -> std::same_as<wire::Mac>;
    /// Sets up a line, with the interrupt that says that bytes have come.
    { C::init(line) } -> std::same_as<void>;
    /// That interrupt on or off.
    { C::listen(line, on) } -> std::same_as<void>;
    /// The number of bytes that can be read now; 0 while not listening.
    { C::waiting(line) } -> std::same_as<unsigned>;
    { C::read(line) } -> std::same_as<std::byte>;
    /// The number of bytes that can be written now.
    { C::room(line) } -> std::same_as<unsigned>;
    { C::write(line, byte) } -> std::same_as<void>;
    /// The interrupt that says that there is room, on or off.
    { C::tell_room(line, on) } -> std::same_as<void>;
    /// True if all bytes that were written have left.
    { C::drained(line) } -> std::same_as<bool>;
    /// Counts microseconds, in 32 bits.
    { C::counter_us() } -> std::same_as<std::uint32_t>;
    /// Sleeps until an interrupt is pending, also one that a Guard holds back.
    { C::sleep() } -> std::same_as<void>;
    /// Stops all interrupts for good: none may wake the processor any more.
    { C::silence() } -> std::same_as<void>;
};

/// A chip that knows whether a port's line is connected: by the level that an idle UART holds, or
/// by a line of its own (DCD). A change is an interrupt that ends the sleep and calls
/// on_cable_interrupt().
template <class C>
concept ChipTellsCables = requires(unsigned line) {
    { C::connected(line) } -> std::same_as<bool>;
};

template <SerialChip Chip>
class SerialBoard {
public:
    static constexpr unsigned kPorts = Chip::kPorts;
    static constexpr unsigned kLines = kPorts + 1;

    static unsigned line_of(Port port) { return std::min(index(port), kPorts); }

    SerialBoard()
        : identity_(wire::from_mac(Chip::address()).value_or(wire::Identity{})),
          lots_(index(identity_.node)) {}
    SerialBoard(const SerialBoard&) = delete;
    SerialBoard& operator=(const SerialBoard&) = delete;

    /// From now on interrupts come. Before anything else.
    void start() {
        for (unsigned line = 0; line < kLines; ++line)
            Chip::init(line);
    }

    wire::Identity identity() const { return identity_; }
    /// Every port has a ring of its own, which an acknowledgement must fit beside. On the line a
    /// frame has fewer bytes than the kernel counts for it.
    std::size_t window_bytes(unsigned /*ports*/) const {
        return Chip::kRingBytes - kLineAckBytesMax - kStuffingBytesMax;
    }

    /// A frame whose checksum does not fit shows as one whose head does not. No trains: lines read
    /// a packet of several ports from its one buffer at the same time, and a line's time goes to
    /// bytes, of which a packet has fewer behind a compact head of its own than coupled.
    static constexpr hal::Capabilities capabilities() {
        return {.senders = kLines,
                .receivers = 1,
                .frames_checked = true,
                .bits_per_second = Chip::kBitsPerSecond / (SharesWires<Chip> ? 2 : 1)};
    }
    template <ChipTellsCables Told = Chip>
    PortSet connected_ports() const;
    PortSet ready_ports();
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet);
    void lend(unsigned /*receiver*/, hal::Head& head, hal::PacketRoom buffer) {
        head_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive();

    std::uint64_t now_us();
    void set_alarm_us(std::uint64_t time_us) { alarm_us_ = time_us; }
    void wait();
    void hang() {
        timer_.stop_ticks();
        Chip::silence();
        for (;;)
            Chip::sleep();
    }

    void start_ticks(std::uint32_t period_us, hal::TickWork work, void* context) {
        timer_.start_ticks(period_us, work, context);
    }
    void stop_ticks() { timer_.stop_ticks(); }

    // Interrupt handlers.
    void on_line_interrupt(unsigned line) {
        const bool came = lines_[line].take_all(line);
        const bool left = lines_[line].send_some(line);
        happened_ = happened_ || came || left;
    }
    void on_cable_interrupt() { happened_ = true; }
    void end_wait() { happened_ = true; }
    void on_timer_interrupt() { timer_.on_interrupt(); }

private:
    using Guard = typename Chip::Guard;
    using OneLine = Line<Chip>;
    static constexpr std::size_t kStuffingBytesMax = Chip::kRingBytes / wire::kCobsBlockMax + 4;
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};
    /// The time for bytes that lie in a transmitter when all are written, generously.
    static constexpr std::uint64_t kDrainUs = 64 * 10 * 1'000'000ull / Chip::kBitsPerSecond;

    bool look();
    bool arm();

    std::array<OneLine, kLines> lines_;
    typename Chip::Timer timer_;
    wire::Identity identity_;
    hal::Head* head_ = nullptr; // of the next frame
    std::byte* buffer_ = nullptr;
    unsigned turn_ = 0; // line that is looked at first
    std::uint64_t alarm_us_ = kNever;
    std::uint64_t last_us_ = 0;
    std::uint32_t lots_;             // of Turns
    volatile bool happened_ = false; // a frame came in or left, or a cable did, since wait()
};

template <SerialChip Chip>
template <ChipTellsCables Told>
PortSet SerialBoard<Chip>::connected_ports() const {
    PortSet connected = 0;
    for (unsigned line = 0; line < kPorts; ++line)
        connected |= Chip::connected(line) ? bit_of(port_at(line)) : 0;
    return connected;
}

template <SerialChip Chip>
PortSet SerialBoard<Chip>::ready_ports() {
    PortSet ready = 0;
    const Guard guard;
    for (unsigned line = 0; line < kLines; ++line) {
        lines_[line].look(line);
        if (lines_[line].state() == OneLine::State::idle)
            ready |= bit_of(line == kPorts ? kHostPort : port_at(line));
    }
    return ready;
}

template <SerialChip Chip>
void SerialBoard<Chip>::transmit(Port port, const hal::Head& head,
                                 std::span<const std::byte> packet) {
    const unsigned line = line_of(port);
    lines_[line].begin(head, packet, line == kPorts ? nullptr : &lots_);
    const Guard guard;
    lines_[line].look(line);
}

template <SerialChip Chip>
hal::Received SerialBoard<Chip>::receive() {
    for (unsigned tried = 0; tried < kLines; ++tried) {
        const unsigned line = turn_;
        turn_ = turn_ + 1 == kLines ? 0 : turn_ + 1;
        if (!lines_[line].has_frame())
            continue;
        hal::Received got =
            lines_[line].take_frame(*head_, hal::PacketRoom{buffer_, wire::kPacketBytesMax});
        got.port = line == kPorts ? kHostPort : port_at(line);
        const Guard guard;
        lines_[line].free_room(line);
        return got;
    }
    return {};
}

/// While nobody asks for the time and no alarm is set, the counter's 32 bits may wrap unseen; then
/// there is nothing that waits for a time and could miss it.
template <SerialChip Chip>
std::uint64_t SerialBoard<Chip>::now_us() {
    const Guard guard;
    last_us_ += Chip::counter_us() - static_cast<std::uint32_t>(last_us_);
    return last_us_;
}

/// Checks for events without an interrupt. True if the last byte of a frame has left since.
template <SerialChip Chip>
bool SerialBoard<Chip>::look() {
    bool left = false;
    for (unsigned line = 0; line < kLines; ++line) {
        const bool busy = lines_[line].state() != OneLine::State::idle;
        lines_[line].look(line);
        left = left || (busy && lines_[line].state() == OneLine::State::idle);
    }
    return left;
}

/// Ensures that an interrupt wakes the processor in time. False: it is time already.
template <SerialChip Chip>
bool SerialBoard<Chip>::arm() {
    std::uint64_t sleep_us = kNever;
    for (const OneLine& one : lines_)
        if (one.state() == OneLine::State::draining)
            sleep_us = std::min(sleep_us, kDrainUs);
        else if (one.state() == OneLine::State::waiting)
            sleep_us = std::min<std::uint64_t>(sleep_us, one.due_in_us());
    if (alarm_us_ != kNever) {
        const std::uint64_t now = now_us();
        if (alarm_us_ <= now) {
            alarm_us_ = kNever;
            return false;
        }
        sleep_us = std::min(sleep_us, alarm_us_ - now);
    }
    if (sleep_us != kNever)
        timer_.wake_after(sleep_us);
    return true;
}

template <SerialChip Chip>
void SerialBoard<Chip>::wait() {
    for (;;) {
        // An interrupt from here on stays pending and ends the sleep at once.
        const Guard guard;
        const bool happened = happened_;
        happened_ = false;
        if (happened || look() || !arm())
            return;
        Chip::sleep();
    }
}

} // namespace mesh::board
