// The board put together: see board.hpp for the bytes that the processor and the DMA move.
#include "boards/mps2-an505/board.hpp"

#include "boards/cortex-m/cpu.hpp"
#include "boards/cortex-m/crash_record.hpp"
#include "boards/mps2-an505/receive_share.hpp"
#include "hal/check.hpp"
#include "wire/frame.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace mesh::board {

namespace {
constinit Board* the_only_board = nullptr;

constexpr std::uint32_t kHeadWords = wire::kHeadBytes / 4;
static_assert(wire::kHeadBytes % 4 == 0, "the packet must begin with a word of its own");

constexpr std::uint32_t words(std::size_t bytes) {
    return static_cast<std::uint32_t>((bytes + 3) / 4);
}
constexpr std::size_t window_share(unsigned ports) {
    return receive_window_bytes(regs::nic::kRxDataWords, ports);
}
static_assert(window_share(Board::kPorts) >= wire::kFrameBytesMax + kFcsBytes + 3,
              "the largest frame must fit the window of every port");
static_assert(Board::kPorts * (window_share(Board::kPorts) / kDataFrameBytesMin + 1) + 2 <=
                  regs::nic::kRxStatusWords,
              "the status FIFO must have an entry for every frame that may be in the data FIFO");

std::uint32_t load_word(const std::byte* from) {
    std::uint32_t word = 0;
    std::memcpy(&word, from, 4);
    return word;
}

// The processor itself moves heads, so these two loops move the words and do nothing else.
void head_to_fifo(const hal::Head& head) {
#pragma GCC unroll 16
    for (std::size_t at = 0; at < wire::kHeadBytes; at += 4)
        Lan9118::write_word(load_word(&head.bytes[at]));
}
void head_from_fifo(hal::Head& head) {
#pragma GCC unroll 16
    for (std::size_t at = 0; at < wire::kHeadBytes; at += 4) {
        const std::uint32_t word = Lan9118::read_word();
        std::memcpy(&head.bytes[at], &word, 4);
    }
}

void write_words(std::span<const std::byte> bytes) {
    for (; bytes.size() >= 4; bytes = bytes.subspan(4))
        Lan9118::write_word(load_word(bytes.data()));
    if (!bytes.empty()) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes.data(), bytes.size());
        Lan9118::write_word(word);
    }
}

/// `to.size()` must be a whole number of words.
void read_words(std::span<std::byte> to) {
    for (; !to.empty(); to = to.subspan(4)) {
        const std::uint32_t word = Lan9118::read_word();
        std::memcpy(to.data(), &word, 4);
    }
}

constexpr std::uint32_t without(std::uint32_t bytes, std::size_t part) {
    return bytes > part ? bytes - static_cast<std::uint32_t>(part) : 0;
}

Port load_port(const hal::Head& head) {
    return port_at(std::to_integer<unsigned>(head.bytes[wire::offset::kCablePort]));
}

bool has_channel(Port port) { return index(port) < Board::kPorts; }
} // namespace

Board& the_board() { return *the_only_board; }

Board::Board() {
    the_only_board = this;
    dma_.init();
    clock_.init();
    if (!nic_.init()) {
        wire::CrashRecord record{};
        record.cause = 0xF000'0000 + 16 + regs::kNicIrq;
        record.address = regs::kNic;
        halt(record);
    }
    identity_ = wire::from_mac(Lan9118::mac()).value_or(wire::Identity{});
    SysTick::init();
    interrupt_enable(regs::kNicIrq);
}

std::size_t Board::window_bytes(unsigned ports) const {
    return window_share(std::clamp(ports, 1u, kPorts));
}

std::uint32_t Board::dma_transfers(Port port) const {
    return has_channel(port) ? dma_.transfers(index(port)) : 0;
}

PortSet Board::ready_ports() {
    ready_ = !dma_.busy() && nic_.has_room(wire::kFrameBytesMax);
    return ready_ ? ~PortSet{0} : 0;
}

void Board::transmit(Port port, const hal::Head& head, std::span<const std::byte> packet) {
    MESH_CHECK(std::exchange(ready_, false), transmit_while_busy);
    const std::size_t frame_bytes = wire::kHeadBytes + packet.size();
    nic_.open_segment(wire::kHeadBytes, frame_bytes, true, packet.empty());
    head_to_fifo(head);
    if (packet.empty())
        return;
    nic_.open_segment(packet.size(), frame_bytes, false, true);
    if (has_channel(port))
        dma_.start_to_fifo(index(port), packet.data(), Lan9118::tx_fifo(), words(packet.size()));
    else
        write_words(packet);
}

hal::Received Board::receive() {
    if (dma_.busy())
        return {.state = hal::Received::State::busy};
    if (receiving_.state == hal::Received::State::busy)
        return finish_receive();
    if (nic_.frames_waiting() == 0)
        return {};
    return begin_receive();
}

hal::Received Board::begin_receive() {
    ready_ = false;
    const std::uint32_t length = nic_.take_length();
    const std::uint32_t all_words = words(length);
    const std::uint32_t head_words = std::min(all_words, kHeadWords);
    if (head_words == kHeadWords) {
        head_from_fifo(*head_);
    } else {
        head_->bytes = {};
        read_words(std::span{head_->bytes}.first(head_words * 4));
    }

    receiving_.state = hal::Received::State::busy;
    receiving_.frame_bytes = without(length, kFcsBytes);
    receiving_.port =
        receiving_.frame_bytes > wire::offset::kCablePort ? load_port(*head_) : kNoPort;
    const std::uint32_t packet_words = words(without(receiving_.frame_bytes, wire::kHeadBytes));
    constexpr std::uint32_t kPacketWordsMin = wire::kPacketHeaderBytes / 4;
    constexpr std::uint32_t kRoomWords = wire::kPacketBytesMax / 4;
    static_assert(wire::kPacketBytesMax % 4 == 0 && kRoomWords <= regs::dma::kTransferWordsMax);
    const std::uint32_t taken = std::min(packet_words, kRoomWords);
    words_to_discard_ = all_words - head_words - taken;

    // Bytes too few for a packet are those with which Ethernet fills up a short frame: the
    // processor reads them before a transfer would have begun.
    if (taken >= kPacketWordsMin && has_channel(receiving_.port)) {
        dma_.start_from_fifo(index(receiving_.port), Lan9118::rx_fifo(), buffer_, taken);
        if (dma_.busy())
            return receiving_;
    } else {
        read_words({buffer_, taken * std::size_t{4}});
    }
    return finish_receive();
}

hal::Received Board::finish_receive() {
    // By reads, not by the interface's fast-forward, which must not be used for fewer than four
    // words ([NIC] 3.13.1). More than the checksum is left of malformed frames only.
    for (; words_to_discard_ != 0; --words_to_discard_)
        (void)Lan9118::read_word();
    hal::Received done = receiving_;
    done.state = hal::Received::State::frame;
    receiving_.state = hal::Received::State::none;
    return done;
}

void Board::wait() {
    // An interrupt from here on stays pending and ends the sleep at once; none is missed.
    const InterruptGuard guard;
    if (!transfer_ended_ && clock_.arm_alarm() && nic_.arm_interrupt())
        wait_for_interrupt();
    transfer_ended_ = false;
}

void Board::hang() {
    // Off one by one: a pending interrupt would end every sleep, even when masked.
    stop_ticks();
    interrupt_disable(regs::kNicIrq);
    interrupt_disable(regs::kDualTimerIrq);
    for (unsigned number = 0; number < regs::kDmaControllers; ++number)
        interrupt_disable(regs::dma_irq(number));
    for (;;)
        wait_for_interrupt();
}

wire::Mac given_address() { return Lan9118::mac(); }

void send_last_frame(Port /*port*/, const hal::Head& head, std::span<const std::byte> packet) {
    Pl081::stop_all();
    Lan9118 nic; // without init(): it is running, only our view of its FIFOs is new
    Lan9118::abandon_transmission();
    const std::size_t frame_bytes = wire::kHeadBytes + packet.size();
    nic.open_segment(wire::kHeadBytes, frame_bytes, true, false);
    head_to_fifo(head);
    nic.open_segment(packet.size(), frame_bytes, false, true);
    write_words(packet);
}

} // namespace mesh::board
