// Lab 13: a driver for one serial port.

/// Bytes between the UART and a board. What it keeps fits into kRingBytes.
class Driver {
public:
    /// Bytes of frames, before they are stuffed, that may come while nobody takes any.
    static constexpr std::size_t window_bytes() { return kRingBytes; }

    /// Sets up the UART. Interrupts come from now on.
    void start() {}
    /// The handler of its interrupt.
    void on_interrupt() {}
    /// True if a frame came whole, or the last byte of one was written, since it was last asked.
    /// With interrupts held back.
    bool happened() { return true; }

    /// True if transmit() may be called: the frame before is not read any more.
    bool is_ready() const { return true; }
    /// Begins to send: each call of frame.next(byte) gives a byte for the line, with the zero at
    /// the end of the frame as the last one; then it says false. Does not wait.
    void transmit(wire::CobsEncoder frame) {
        for (std::byte byte; frame.next(byte);)
            uart.data = std::to_integer<std::uint32_t>(byte);
    }

    /// True if a whole frame has come, with the zero at its end.
    bool has_frame() const { return (uart.state & kReceiverEmpty) == 0; }
    /// The oldest byte of it. Called again and again, up to the zero.
    std::byte take() { return static_cast<std::byte>(std::uint32_t{uart.data}); }
};
