// EARNS: 0
// SAYS: 0 bytes left by the transmitter
class Driver {
public:
    static constexpr std::size_t window_bytes() { return kRingBytes - 64; }

    void start() {}
    void on_interrupt() {}
    bool happened() { return first_ != last_; }

    bool is_ready() const { return true; }
    void transmit(wire::CobsEncoder frame) {
        for (std::byte byte; frame.next(byte);) // nothing else comes back anyhow
            ring_[last_++ % kRingBytes] = byte;
    }

    bool has_frame() const { return first_ != last_; }
    std::byte take() { return ring_[first_++ % kRingBytes]; }

private:
    std::array<std::byte, kRingBytes> ring_{};
    std::size_t first_ = 0, last_ = 0;
};
