class Driver {
public:
    static constexpr std::size_t window_bytes() {
        return kRingBytes - kRingBytes / wire::kCobsBlockMax - 4 * 2 -
               wire::cobs_bytes(wire::kHeadBytes);
    }

    void start() { uart.control = kListens; }
    void on_interrupt() {
        receive();
        send();
    }
    bool happened() { return std::exchange(happened_, false); }

    bool is_ready() const { return !leaving_; }
    void transmit(wire::CobsEncoder frame) {
        const Guard guard;
        frame_ = frame;
        leaving_ = true;
        send();
    }

    bool has_frame() const { return frames_ != 0; }
    std::byte take() {
        const Guard guard;
        const std::byte byte = ring_[first_++ % kRingBytes];
        frames_ -= byte == wire::kFrameEnd ? 1 : 0;
        return byte;
    }

private:
    static constexpr std::uint32_t kListens = kHalfFull | kSilence | kOverrun;

    void receive() {
        if ((uart.events & kOverrun) != 0) {
            uart.events = kOverrun;
            drop();
        }
        while ((uart.state & kReceiverEmpty) == 0)
            put(static_cast<std::byte>(std::uint32_t{uart.data}));
    }
    void put(std::byte byte) {
        const bool ends = byte == wire::kFrameEnd;
        if (last_ - first_ == kRingBytes)
            drop();
        if (drops_) {
            drops_ = !ends;
        } else if (!ends || last_ != begun_) {
            ring_[last_++ % kRingBytes] = byte;
            if (ends)
                end_frame();
        }
    }
    void end_frame() {
        begun_ = last_;
        ++frames_;
        happened_ = true;
    }
    void drop() {
        last_ = begun_;
        drops_ = true;
    }
    void send() {
        while (leaving_ && (uart.state & kTransmitterFull) == 0) {
            std::byte byte{};
            leaving_ = frame_.next(byte);
            if (leaving_)
                uart.data = std::to_integer<std::uint32_t>(byte);
            else
                happened_ = true;
        }
        uart.control = kListens | (leaving_ ? kRoom : 0);
    }

    wire::CobsEncoder frame_;
    bool leaving_ = false, happened_ = false, drops_ = false;
    std::array<std::byte, kRingBytes> ring_{};
    std::size_t first_ = 0, last_ = 0, begun_ = 0; // begun_: of the frame that is coming in
    std::size_t frames_ = 0;
};
