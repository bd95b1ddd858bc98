// Lab 13: the chip, which is simulated. Given: it stays as it is.
//
// One UART, with a FIFO of 16 bytes each way, and a line of 1 Mbit/s to a far end that sends back
// all that it hears. README.md, 'The chip', is its manual. Time goes on with each access to a
// register, with each call of the board's wait(), with each interrupt, and while the processor
// sleeps. An interrupt comes between two accesses of the program, never in the midst of the
// handler, and not while a Guard lives.
#pragma once

#include "meshputer.hpp"
#include "wire/cobs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

using namespace mesh;

// Bits of `state`.
constexpr std::uint32_t kReceiverEmpty = 1u << 0;
constexpr std::uint32_t kTransmitterFull = 1u << 1;
constexpr std::uint32_t kTransmitterBusy = 1u << 2;
// Bits of `events` and of `control`.
constexpr std::uint32_t kHalfFull = 1u << 0;
constexpr std::uint32_t kSilence = 1u << 1;
constexpr std::uint32_t kRoom = 1u << 2;
constexpr std::uint32_t kOverrun = 1u << 3;

/// Some bytes, first in, first out.
template <std::size_t kMost>
class Bytes {
public:
    std::size_t size() const { return last_ - first_; }
    bool empty() const { return first_ == last_; }
    bool full() const { return size() == kMost; }
    /// Precondition: not full.
    void push(std::byte byte) { bytes_[last_++ % kMost] = byte; }
    std::byte pop() { return empty() ? std::byte{} : bytes_[first_++ % kMost]; }
    void clear() { first_ = last_; }

private:
    std::array<std::byte, kMost> bytes_{};
    std::size_t first_ = 0, last_ = 0;
};

class Chip {
public:
    static constexpr std::size_t kFifoBytes = 16;
    static constexpr std::uint64_t kByteNs = 10'000, kAccessNs = 250, kWaitNs = 500;
    static constexpr std::uint64_t kEntryNs = 250; // of an interrupt
    static constexpr std::uint64_t kSilentNs = 4 * kByteNs;
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    // --- The processor ---
    std::uint64_t now_us() const { return now_ / 1000; }
    void set_handler(void (*handler)()) { handler_ = handler; }
    void hold(bool on) {
        held_ = on ? held_ + 1 : held_ - 1;
        interrupt();
    }
    /// Computes for so long.
    void spend(std::uint64_t ns) {
        busy_ += ns;
        advance(now_ + ns);
        interrupt();
    }
    /// Sleeps until an interrupt is pending, or until then.
    void sleep_until(std::uint64_t time_us) {
        const std::uint64_t end = time_us > kNever / 1000 ? kNever : time_us * 1000;
        while (!pending() && now_ < end)
            advance(std::min(end, next_event()));
    }

    // --- The registers ---
    std::uint32_t read(unsigned number) {
        std::uint32_t value = 0;
        switch (number) {
        case 0:
            taken_ += received_.empty() ? 0 : 1;
            value = std::to_integer<std::uint32_t>(received_.pop());
            break;
        case 1: value = state(); break;
        case 2: value = control_; break;
        default: value = events(); break;
        }
        spend(kAccessNs);
        return value;
    }
    void write(unsigned number, std::uint32_t value) {
        if (number == 0)
            put(static_cast<std::byte>(value));
        else if (number == 2)
            control_ = value;
        else if (number == 3)
            overrun_ = overrun_ && (value & kOverrun) == 0;
        spend(kAccessNs);
    }

    // --- The far end ---
    /// What it hears it sends back, or keeps.
    void send_back(bool on) { sends_back_ = on; }
    /// It takes a byte in so many times the usual time.
    void slow_down(unsigned times) { slow_ = times; }
    /// It sends a byte, as soon as the line has room.
    void send(std::byte byte) {
        if (line_.empty())
            next_in_ = now_ + kByteNs;
        if (!line_.full())
            line_.push(byte);
    }
    Bytes<16 * 1024>& kept() { return kept_; }

    // --- What was seen ---
    std::uint64_t busy_ns() const { return busy_; }
    std::uint32_t handled() const { return handled_; }
    /// Bytes that the transmitter has put on the line, and that were read from the receiver.
    std::uint32_t left() const { return left_; }
    std::uint32_t taken() const { return taken_; }
    /// The facts behind a failure, as the end of a sentence. `sends`: a frame is to leave.
    void tell(bool sends) const {
        if (!received_.empty())
            print("; in the receiver's FIFO lie {} bytes", received_.size());
        if (overrun_)
            print("; the receiver has overrun, and takes nothing");
        if (thrown_ != 0)
            print("; {} bytes were written to a transmitter that was full", thrown_);
        if (sends && sending_.empty() && !leaving_)
            print("; the transmitter has nothing to send");
        print("\n");
    }

private:
    std::uint32_t state() const {
        return (received_.empty() ? kReceiverEmpty : 0) | (sending_.full() ? kTransmitterFull : 0) |
               (sending_.empty() && !leaving_ ? 0 : kTransmitterBusy);
    }
    std::uint32_t events() const {
        const bool silent = !received_.empty() && now_ >= last_in_ + kSilentNs;
        return (received_.size() >= kFifoBytes / 2 ? kHalfFull : 0) | (silent ? kSilence : 0) |
               (sending_.size() <= kFifoBytes / 2 ? kRoom : 0) | (overrun_ ? kOverrun : 0);
    }
    bool pending() const { return (events() & control_) != 0; }
    void interrupt() {
        if (handles_ || held_ != 0 || handler_ == nullptr || !pending())
            return;
        handles_ = true;
        ++handled_;
        spend(kEntryNs);
        handler_();
        handles_ = false;
    }

    std::uint64_t next_event() const {
        std::uint64_t next = kNever;
        if (leaving_)
            next = std::min(next, left_at_);
        if (!line_.empty())
            next = std::min(next, next_in_);
        if (!received_.empty() && now_ < last_in_ + kSilentNs)
            next = std::min(next, last_in_ + kSilentNs);
        return next;
    }
    void advance(std::uint64_t time) {
        for (std::uint64_t next = next_event(); next <= time && next != kNever;
             next = next_event()) {
            now_ = next;
            if (leaving_ && left_at_ == now_)
                leave();
            if (!line_.empty() && next_in_ == now_)
                come();
        }
        now_ = std::max(now_, time);
    }
    void put(std::byte byte) {
        if (sending_.full()) {
            ++thrown_;
            return;
        }
        sending_.push(byte);
        shift();
    }
    /// The next byte begins to leave.
    void shift() {
        if (leaving_ || sending_.empty())
            return;
        leaves_ = sending_.pop();
        leaving_ = true;
        left_at_ = now_ + kByteNs * slow_;
    }
    void leave() {
        leaving_ = false;
        ++left_;
        if (sends_back_)
            send(leaves_);
        else if (!kept_.full())
            kept_.push(leaves_);
        shift();
    }
    void come() {
        const std::byte byte = line_.pop();
        next_in_ += kByteNs;
        last_in_ = now_;
        overrun_ = overrun_ || received_.full();
        if (!overrun_)
            received_.push(byte);
    }

    std::uint64_t now_ = 0, busy_ = 0;
    void (*handler_)() = nullptr;
    bool handles_ = false;
    unsigned held_ = 0;
    std::uint32_t handled_ = 0, control_ = 0, left_ = 0, taken_ = 0;
    Bytes<kFifoBytes> received_, sending_;
    bool overrun_ = false;
    std::uint64_t last_in_ = 0;
    bool leaving_ = false;
    std::byte leaves_{};
    std::uint64_t left_at_ = 0;
    std::uint32_t thrown_ = 0;
    Bytes<32 * 1024> line_; // on its way to the node
    std::uint64_t next_in_ = 0;
    Bytes<16 * 1024> kept_; // by the far end
    bool sends_back_ = true;
    unsigned slow_ = 1;
};

inline Chip chip;

/// Looks like a register of a chip: `uart.control = kHalfFull;`, `std::uint32_t data = uart.data;`.
template <unsigned kNumber>
struct Register {
    operator std::uint32_t() const { return chip.read(kNumber); }
    const Register& operator=(std::uint32_t value) const {
        chip.write(kNumber, value);
        return *this;
    }
};
struct Uart {
    Register<0> data;
    Register<1> state;
    Register<2> control;
    Register<3> events;
};
inline constexpr Uart uart{};

/// Holds interrupts back while it lives; nests.
class Guard {
public:
    Guard() { chip.hold(true); }
    ~Guard() { chip.hold(false); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
};
