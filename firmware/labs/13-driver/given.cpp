// Lab 13: a driver for one serial port. Given: it stays as it is.
//
// A board of one port around your driver, and the claims of `make conform` on it, one a run. The
// questions are those that boards are asked in QEMU (hal/conform.hpp).
#include "given.hpp"
#include "hal/conform.hpp"

/// The most bytes that the driver may keep.
constexpr std::size_t kRingBytes = 4 * wire::kFrameBytesMax;

#include "answer.hpp"

Driver driver;

/// A board, as hal/concepts.hpp wants it.
class OnePort {
public:
    static constexpr unsigned kPorts = 1;

    wire::Identity identity() const { return {}; }
    std::size_t window_bytes(unsigned) const { return Driver::window_bytes(); }
    static constexpr hal::Capabilities capabilities() {
        return {.senders = 2, .bits_per_second = 1'000'000};
    }
    PortSet ready_ports() { return driver.is_ready() ? bit_of(port_at(0)) : 0; }
    void transmit(Port, const hal::Head& head, std::span<const std::byte> packet) {
        head_ = head.bytes;
        compute();
        driver.transmit(wire::CobsEncoder{head_, packet});
    }
    void lend(unsigned, hal::Head& head, hal::PacketRoom buffer) {
        head_out_ = &head;
        buffer_ = buffer.data();
    }
    hal::Received receive();

    std::uint64_t now_us() { return chip.now_us(); }
    void set_alarm_us(std::uint64_t time_us) { alarm_us_ = time_us; }
    void wait() {
        for (chip.spend(Chip::kWaitNs);;) {
            const Guard guard; // an interrupt from here on ends the sleep
            if (driver.happened()) {
                compute();
                return;
            }
            if (alarm_us_ <= now_us()) {
                alarm_us_ = ~std::uint64_t{0};
                return;
            }
            chip.sleep_until(alarm_us_);
        }
    }
    void hang() {}

private:
    /// As a kernel does between two calls: for up to 80 us, in steps that are no multiple of an
    /// access, so that in time interrupts come between any two of them.
    void compute() {
        turn_ = (turn_ + 7) % 71;
        chip.spend(turn_ * 1117);
    }

    std::array<std::byte, wire::kHeadBytes> head_{};
    hal::Head* head_out_ = nullptr;
    std::byte* buffer_ = nullptr;
    std::uint64_t alarm_us_ = ~std::uint64_t{0};
    std::uint64_t turn_ = 0;
};
static_assert(hal::Board<OnePort>);

/// Takes bytes until the end of a frame, and undoes the stuffing.
hal::Received OnePort::receive() {
    if (!driver.has_frame())
        return {};
    wire::CobsDecoder decoder;
    hal::Received got{.state = hal::Received::State::frame, .port = port_at(0)};
    for (std::size_t taken = 0; taken <= kRingBytes; ++taken) {
        std::byte byte{};
        const auto event = decoder.take(driver.take(), byte);
        if (event == wire::CobsDecoder::Event::end)
            return got;
        if (event == wire::CobsDecoder::Event::broken)
            break;
        if (event != wire::CobsDecoder::Event::byte)
            continue;
        if (got.frame_bytes < wire::kHeadBytes)
            head_out_->bytes[got.frame_bytes] = byte;
        else if (got.frame_bytes < wire::kFrameBytesMax)
            buffer_[got.frame_bytes - wire::kHeadBytes] = byte;
        ++got.frame_bytes;
    }
    got.frame_bytes = 0; // no frame that anybody sent
    return got;
}

constexpr Port kPort = port_at(0);
constexpr std::size_t kMost = wire::kPayloadBytesMax;
constexpr std::size_t kLargest = wire::kHeadBytes + wire::kPacketHeaderBytes + kMost;

OnePort board;
using Conform = conform::Questions<OnePort>;

/// The far end sends frame `number`, of so many bytes of payload; -1: without a packet.
void send_from_afar(std::uint32_t number, int payload_bytes) {
    std::array<std::byte, wire::kPacketBytesMax> room;
    std::span<const std::byte> packet;
    if (payload_bytes >= 0)
        packet = conform::make_packet(number, static_cast<std::size_t>(payload_bytes), room);
    hal::Head head;
    wire::write_head(conform::make_header(kPort, number, packet.size()), {}, head.bytes);
    wire::CobsEncoder encoder{head.bytes, packet};
    for (std::byte byte; encoder.next(byte);)
        chip.send(byte);
}

/// Whole frames that have come, at most `most`, in so long.
std::uint32_t frames_in(Conform& ask, std::uint32_t most, std::uint32_t ms) {
    const std::uint64_t until = board.now_us() + std::uint64_t{ms} * 1000;
    std::uint32_t good = 0;
    while (good < most && board.now_us() < until) {
        board.set_alarm_us(until);
        if (ask.poll() == Conform::Came::none)
            board.wait();
        good += ask.counts().good;
    }
    return good;
}

bool told(bool good) {
    if (!good)
        chip.tell(!driver.is_ready());
    return good;
}

/// Lengths that stuffing, a FIFO or a ring takes for another.
bool all_lengths(Conform& ask) {
    for (const std::uint32_t step : {1u, 37u}) {
        const auto seen = ask.lengths(kPort, 0, step == 1 ? 300 : kMost + 1, step);
        const std::size_t bytes =
            wire::kHeadBytes + (seen.at == 0 ? 0 : wire::kPacketHeaderBytes + seen.at - 1);
        if (seen.late)
            print("a frame of {} bytes did not come back within 5 s", bytes);
        else if (seen.wrong)
            print("a frame of {} bytes came back, and not as it had left", bytes);
        if (!told(!seen.late && !seen.wrong))
            return false;
    }
    return true;
}

/// Both directions at once.
bool flood(Conform& ask) {
    ask.flood(1000);
    const auto seen = ask.flooded(0);
    const bool good = seen.sent >= 2 && seen.back == seen.sent && seen.wrong == 0;
    if (!good)
        print("while frames came, {} left: {} are back, {} of them not as they had left", seen.sent,
              seen.back, seen.wrong);
    return told(good);
}

/// is_ready() while a packet is still being read, or not when it has been.
bool slow_line(Conform& ask) {
    constexpr std::uint32_t kFrames = 8, kOthers = 40;
    chip.send_back(false);
    chip.slow_down(4);
    for (std::uint32_t number = 0; number < kOthers; ++number)
        send_from_afar(number, -1); // wait() ends for these, too
    const auto seen = ask.send_many(kPort, kFrames);
    if (seen.late)
        print("frame {} could not be sent within 5 s: {}", seen.frames + 1,
              driver.is_ready() ? "is_ready() is true by now, and wait() did not end"
                                : "is_ready() stays false");
    if (!told(!seen.late))
        return false;
    ask.sleep_ms(1000);
    std::array<std::byte, wire::kFrameBytesMax> frame;
    for (std::uint32_t number = 0; number < kFrames; ++number) {
        std::size_t bytes = 0;
        wire::CobsDecoder decoder;
        auto event = wire::CobsDecoder::Event::none;
        while (event < wire::CobsDecoder::Event::end && !chip.kept().empty()) {
            std::byte byte{};
            event = decoder.take(chip.kept().pop(), byte);
            if (event == wire::CobsDecoder::Event::byte && bytes < frame.size())
                frame[bytes++] = byte;
        }
        const auto all = std::span<const std::byte>{frame}.first(bytes);
        const bool good = bytes >= wire::kHeadBytes &&
                          conform::is_frame(all.first(wire::kHeadBytes),
                                            all.subspan(wire::kHeadBytes), number, kMost);
        if (!good)
            print("on a slow line frame {} of {} left, and not as it was sent: {} of {} bytes",
                  number + 1, kFrames, bytes, kLargest);
        if (!told(good))
            return false;
    }
    return true;
}

/// window_bytes() that promises more than there is room for.
bool window(Conform& ask) {
    const std::size_t promised = Driver::window_bytes();
    std::uint32_t sent = 0;
    if (promised > kRingBytes) {
        print("window_bytes() promises {} bytes, and the ring has {}\n", promised, kRingBytes);
        return false;
    }
    if (promised < 2 * kLargest) {
        print("window_bytes() promises {} bytes, and the links want room for two frames of {}\n",
              promised, kLargest);
        return false;
    }
    for (std::size_t room = promised; room >= kLargest; room -= kLargest)
        send_from_afar(sent++, static_cast<int>(kMost));
    send_from_afar(sent++, -1); // and an acknowledgement
    ask.sleep_ms(700);
    const std::uint32_t good = frames_in(ask, sent, 300);
    if (good != sent)
        print("window_bytes() promises {} bytes: of {} frames that came meanwhile {} were there",
              promised, sent, good);
    return told(good == sent);
}

/// A receiver that is out of step for good.
bool noise(Conform& ask) {
    Random random{1};
    for (const std::size_t size : conform::kNoiseBytes) {
        // The longest one has no zero in it.
        for (std::size_t at = 0; at < size; ++at)
            chip.send(static_cast<std::byte>(size < kRingBytes ? random.below(256)
                                                               : 1 + random.below(255)));
        send_from_afar(1, 150); // may end the noise, and is lost with it then
        send_from_afar(2, static_cast<int>(kMost) - 24);
        const bool good = frames_in(ask, 2, 300) >= 1;
        if (!good)
            print("after {} bytes of noise two frames came, and none was taken", size);
        if (!told(good))
            return false;
        static_cast<void>(frames_in(ask, 1, 50));
    }
    for (unsigned at = 0; at < 300; ++at)
        chip.send(std::byte{0x55});
    {
        const Guard guard; // something more urgent has the processor
        chip.spend(3'100'000);
    }
    send_from_afar(1, 150);
    send_from_afar(2, 150);
    const bool good = frames_in(ask, 2, 300) >= 1;
    if (!good)
        print("while interrupts were held back 300 bytes came; then two frames, and none was "
              "taken");
    return told(good);
}

/// wait() that ends for each byte.
bool waits(Conform& ask) {
    const auto seen = ask.lengths(kPort, 400, 700, 3);
    const bool good = !seen.late && !seen.wrong;
    if (!good)
        print("a frame of {} bytes did not come back as it had left", seen.at);
    if (!told(good))
        return false;
    if (seen.waits <= conform::kWaitsOfFrame * seen.back)
        return true;
    print("wait() ended {} times for {} frames that left and came\n", seen.waits, seen.back);
    return false;
}

/// An interrupt that tells what nobody wants to know.
bool idle(Conform& ask) {
    const auto seen = ask.lengths(kPort, 100, 101, 1);
    for (unsigned round = 0; round < 20; ++round)
        static_cast<void>(ask.alarm(100));
    ask.sleep_ms(100);
    const std::uint64_t before = chip.busy_ns();
    const std::uint32_t handled = chip.handled();
    ask.sleep_ms(1000);
    const std::uint64_t percent = (chip.busy_ns() - before) / 10'000'000;
    if (percent <= 6 && !seen.late)
        return true;
    if (seen.late)
        print("a frame did not come back");
    else
        print("in a second without a byte the processor worked for {} % of the time, and the "
              "handler ran {} times",
              percent, chip.handled() - handled);
    return told(false);
}

constexpr std::array kClaims{all_lengths, flood, slow_line, window, noise, waits, idle};

/// A claim is about what crosses the line: a frame at least, out, in or both.
bool by_the_line(unsigned number) {
    constexpr std::uint32_t kLeastBytes = 100;
    constexpr unsigned kSlowLine = 3, kWindow = 4, kNoise = 5; // these are about one way
    const bool sent = chip.left() >= kLeastBytes || number == kWindow || number == kNoise;
    const bool came = chip.taken() >= kLeastBytes || number == kSlowLine;
    if (!sent || !came)
        print("{} bytes left by the transmitter, and {} were read from the receiver\n", chip.left(),
              chip.taken());
    return sent && came;
}

Process app_main(Kernel& node) {
    const unsigned number = word<unsigned>(node, 0, 1);
    if (node.id() != NodeId{0} || number == 0 || number > kClaims.size())
        co_return Status::ok;
    chip.set_handler([] { driver.on_interrupt(); });
    driver.start();
    static Conform ask{board};
    const bool good = kClaims[number - 1](ask) && by_the_line(number);
    co_return good ? Status::ok : Status::failed;
}
