// EARNS: 0
// SAYS: node 0
class Driver {
public:
    static constexpr std::size_t window_bytes() { return kRingBytes; }

    void start() {}
    void on_interrupt() {}
    bool happened() { return true; }

    bool is_ready() const { return true; }
    void transmit(wire::CobsEncoder) {}

    bool has_frame() const { return true; }
    std::byte take() { return wire::kFrameEnd; }
};
