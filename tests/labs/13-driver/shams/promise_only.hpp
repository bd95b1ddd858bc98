// EARNS: 0
// SAYS: node 0
class Driver {
public:
    static constexpr std::size_t window_bytes() { return kRingBytes - 64; }

    void start() {}
    void on_interrupt() {}
    bool happened() { return false; }

    bool is_ready() const { return true; }
    void transmit(wire::CobsEncoder) {}

    bool has_frame() const { return (uart.state & kReceiverEmpty) == 0; }
    std::byte take() { return std::byte{1}; }
};
