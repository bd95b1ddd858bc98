// EARNS: 10
// SAYS: 0 bytes left by the transmitter
class Driver {
public:
    static constexpr std::size_t window_bytes() { return kRingBytes - 64; }

    void start() { uart.control = kHalfFull | kSilence; }
    void on_interrupt() {
        while ((uart.state & kReceiverEmpty) == 0) {
            ring_[last_++ % kRingBytes] = static_cast<std::byte>(std::uint32_t{uart.data});
            frames_ += ring_[(last_ - 1) % kRingBytes] == wire::kFrameEnd ? 1 : 0;
        }
    }
    bool happened() { return frames_ != 0; }

    bool is_ready() const { return true; }
    void transmit(wire::CobsEncoder frame) {
        for (std::byte byte; frame.next(byte);)
            chip.send(byte); // as if it had come back
    }

    bool has_frame() const { return frames_ != 0; }
    std::byte take() {
        const Guard guard;
        const std::byte byte = ring_[first_++ % kRingBytes];
        frames_ -= byte == wire::kFrameEnd ? 1 : 0;
        return byte;
    }

private:
    std::array<std::byte, kRingBytes> ring_{};
    std::size_t first_ = 0, last_ = 0;
    std::size_t frames_ = 0;
};
