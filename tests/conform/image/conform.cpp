// The board by itself, without a kernel: over its HAL alone it sends, takes, sleeps and fails as
// the driver of `make conform` says (tests/conform/messages.hpp). It looks at every byte that comes
// back to it and at every time, and says what it found.
#include "board.hpp"
#include "boards/cortex-m/pool.hpp"
#include "boards/cortex-m/stack.hpp"
#include "chip.hpp"
#include "hal/check.hpp"
#include "hal/dma.hpp"
#include "tests/conform/messages.hpp"
#include "tests/target/bare_console.hpp"
#include "wire/host_messages.hpp"

#include <array>
#include <cstdio>

namespace {

using namespace mesh;
using conform::Command;
using conform::What;
using mesh::board::Board;

constexpr unsigned kPorts = Board::kPorts;
constexpr std::uint64_t kLateUs = 5'000'000;
constexpr std::uint64_t kNever = ~std::uint64_t{0};

Board* the_board = nullptr;

/// The frames that came in, and the frame that comes next.
struct Incoming {
    hal::Head head;
    alignas(hal::kDmaAlign) std::array<std::byte, wire::kPacketBytesMax> packet;
    hal::Received frame;
    std::uint32_t good = 0; // by ports, whole
    std::uint32_t bad = 0;

    void lend() { the_board->lend(0, head, packet); }
    /// True if a frame has come.
    bool look() {
        frame = the_board->receive();
        return frame.state == hal::Received::State::frame;
    }
    std::span<const std::byte> bytes() const {
        const auto size =
            frame.frame_bytes < wire::kHeadBytes ? 0 : frame.frame_bytes - wire::kHeadBytes;
        return std::span{packet}.first(std::min<std::size_t>(size, packet.size()));
    }
    bool is(std::uint32_t number, std::size_t payload_bytes) const {
        return frame.frame_bytes >= wire::kHeadBytes &&
               conform::is_frame(head.bytes, bytes(), number, payload_bytes);
    }
    /// Whole, whatever it is.
    bool is_whole() const {
        wire::LinkHeader link;
        wire::PacketHeader header;
        return frame.frame_bytes >= wire::kHeadBytes &&
               wire::read_head(head.bytes, frame.frame_bytes, link) == wire::Parse::ok &&
               (link.packet_bytes == 0 ||
                wire::read_packet(bytes().first(link.packet_bytes), header) == wire::Parse::ok);
    }
    void count() { ++(is_whole() ? good : bad); }
};
Incoming incoming;

/// The frame that leaves by one port; it stays as it is until the port is ready.
struct Outgoing {
    alignas(hal::kDmaAlign) std::array<std::byte, wire::kPacketBytesMax> packet;
    std::uint32_t sent = 0;
    std::uint32_t back = 0;
    std::uint32_t wrong = 0;
    std::size_t under_way = 0; // bytes of frames
};
constexpr unsigned kSenders = Board::capabilities().senders == 1 ? 1 : kPorts;
std::array<Outgoing, kPorts> outgoing;
std::uint32_t waits = 0;

bool is_ready(Port port) { return (the_board->ready_ports() & bit_of(port)) != 0; }

void wait() {
    the_board->wait();
    ++waits;
}

/// Sends frame `number` by the port, which is ready; -1: without a packet.
void send(Port port, std::uint32_t number, int payload_bytes) {
    // Ports that share a transmitter share the memory that it reads, too.
    auto& room = outgoing[kSenders == 1 ? 0 : index(port)].packet;
    std::span<const std::byte> packet;
    if (payload_bytes >= 0)
        packet = conform::make_packet(number, static_cast<std::size_t>(payload_bytes), room);
    hal::Head head;
    wire::write_head(conform::make_header(port, number, packet.size()),
                     wire::to_mac(the_board->identity()), head.bytes);
    the_board->transmit(port, head, packet);
}

/// Sends it, when it can. False: it never could.
bool send_in_time(Port port, std::uint32_t number, int payload_bytes) {
    const std::uint64_t until = the_board->now_us() + kLateUs;
    the_board->set_alarm_us(until);
    while (!is_ready(port) && the_board->now_us() < until)
        wait();
    if (is_ready(port))
        send(port, number, payload_bytes);
    return is_ready(port) || the_board->now_us() < until;
}

/// Waits for a frame by `port`; others are counted. False: none came in time.
bool await_frame(Port port) {
    const std::uint64_t until = the_board->now_us() + kLateUs;
    the_board->set_alarm_us(until);
    while (the_board->now_us() < until) {
        if (!incoming.look()) {
            wait();
            continue;
        }
        if (incoming.frame.port == port)
            return true;
        incoming.count();
        incoming.lend();
    }
    return false;
}

unsigned long plain(std::uint64_t number) { return static_cast<unsigned long>(number); }

void sizes() {
    namespace chip = board::chip;
    const auto identity = the_board->identity();
    std::printf("identity %u %d %lu %u\n", static_cast<unsigned>(identity.network.topology),
                identity.network.dim, plain(index(identity.node)), kPorts);
    std::printf("memory %u %u %u %lu %lu %lu\n", chip::kPathLinksMax, chip::kProcesses,
                chip::kMessageReceivers, plain(chip::kArenaBytes), plain(chip::kWorkspaceBytes),
                plain(board::kBuffers));
    for (unsigned ports = 1; ports <= kPorts; ++ports)
        std::printf("window %lu\n", plain(the_board->window_bytes(ports)));
    std::printf("stack %lu\n", plain(board::stack_bytes_used()));
}

void print(std::uint32_t bytes) {
    for (std::uint32_t at = 1; at < bytes; ++at)
        std::putchar(static_cast<int>('a' + at % 26));
    std::putchar('\n');
}

/// Frames one after the other, each of which must come back by the port that it left by.
void lengths(const Command& command, std::uint32_t first, std::uint32_t last, std::uint32_t step) {
    const Port port = port_at(command.port);
    std::uint32_t number = 0;
    waits = 0;
    for (std::uint32_t bytes = first; bytes <= last; bytes += step, ++number) {
        const int payload = static_cast<int>(bytes) - 1; // the shortest has no packet
        if (!send_in_time(port, number, payload) || !await_frame(port)) {
            std::printf("late %lu\n", plain(bytes));
            return;
        }
        const bool same = payload < 0 ? incoming.is_whole() && incoming.bytes().empty()
                                      : incoming.is(number, static_cast<std::size_t>(payload));
        incoming.lend();
        if (!same) {
            std::printf("wrong %lu\n", plain(bytes));
            return;
        }
    }
    std::printf("back %lu waits %lu\n", plain(number), plain(waits));
}

/// Payload of frame `number` by a port in a flood: all sizes.
std::size_t flood_bytes(unsigned port, std::uint32_t number) {
    return (number * 311u + port * 97u) % (wire::kPayloadBytesMax + 1);
}

std::size_t flood_frame_bytes(unsigned port, std::uint32_t number) {
    return wire::kHeadBytes + wire::kPacketHeaderBytes + flood_bytes(port, number);
}

void take_flood() {
    const unsigned port = index(incoming.frame.port);
    if (port >= kPorts)
        return;
    Outgoing& one = outgoing[port];
    one.under_way -= flood_frame_bytes(port, one.back);
    one.wrong += incoming.is(one.back, flood_bytes(port, one.back)) ? 0 : 1;
    ++one.back;
}

/// The bytes that may be under way by each port are those of its window.
void send_flood(unsigned port, bool& worked) {
    Outgoing& one = outgoing[port];
    const std::size_t bytes = flood_frame_bytes(port, one.sent);
    if (one.under_way + bytes > the_board->window_bytes(kPorts) || !is_ready(port_at(port)))
        return;
    send(port_at(port), one.sent, static_cast<int>(flood_bytes(port, one.sent)));
    one.under_way += bytes;
    ++one.sent;
    worked = true;
}

/// By all ports as fast as they take it.
void flood(std::uint32_t ms) {
    const std::uint64_t end = the_board->now_us() + std::uint64_t{ms} * 1000;
    const std::uint64_t late = end + kLateUs;
    for (Outgoing& one : outgoing)
        one.sent = one.back = one.wrong = 0, one.under_way = 0;
    bool all_back = false;
    while (!all_back && the_board->now_us() < late) {
        bool worked = false;
        all_back = the_board->now_us() >= end;
        for (unsigned port = 0; port < kPorts; ++port) {
            all_back = all_back && outgoing[port].back == outgoing[port].sent;
            if (the_board->now_us() < end)
                send_flood(port, worked);
        }
        while (incoming.look()) {
            take_flood();
            incoming.lend();
            worked = true;
        }
        the_board->set_alarm_us(the_board->now_us() < end ? end : late);
        if (!worked && !all_back)
            the_board->wait();
    }
    for (unsigned port = 0; port < kPorts; ++port)
        std::printf("port %u sent %lu back %lu wrong %lu\n", port, plain(outgoing[port].sent),
                    plain(outgoing[port].back), plain(outgoing[port].wrong));
}

/// Frames of the largest kind, whose memory is filled anew as soon as the port says that it may be.
void send_many(const Command& command) {
    std::uint32_t busy = 0;
    for (std::uint32_t number = 0; number < command.first; ++number) {
        const Port port = port_at(command.port);
        if (!is_ready(port))
            ++busy;
        if (!send_in_time(port, number, wire::kPayloadBytesMax)) {
            std::printf("late %lu\n", plain(number));
            return;
        }
    }
    std::printf("sent %lu busy %lu\n", plain(command.first), plain(busy));
}

void sleep_ms(std::uint32_t ms) {
    const std::uint64_t until = the_board->now_us() + std::uint64_t{ms} * 1000;
    the_board->set_alarm_us(until);
    while (the_board->now_us() < until)
        the_board->wait();
    std::puts("awake");
}

void counts() {
    std::printf("good %lu bad %lu\n", plain(incoming.good), plain(incoming.bad));
    incoming.good = incoming.bad = 0;
}

void alarm(std::uint32_t us) {
    const std::uint64_t start = the_board->now_us();
    the_board->set_alarm_us(start + us);
    unsigned wakes = 0;
    while (the_board->now_us() < start + us) {
        the_board->wait();
        ++wakes;
    }
    std::printf("slept %lu wakes %u\n", plain(the_board->now_us() - start), wakes);
    the_board->set_alarm_us(kNever);
}

[[gnu::noinline]] unsigned recurse(unsigned depth) {
    volatile unsigned eater[64] = {};
    eater[depth % 64] = depth;
    return depth == 0 ? 0 : recurse(depth - 1) + eater[depth % 64];
}

/// With a frame to the host still on its way, where the board takes its time with one.
void halt_in_mid_frame() {
    std::array<char, 900> text;
    text.fill('x');
    bare::send_text(*the_board, text);
    check_failed(CheckId::program_exited);
}

void execute(const Command& command) {
    switch (command.what) {
    case What::sizes: sizes(); break;
    case What::print: print(command.first); break;
    case What::lengths: lengths(command, command.first, command.last, command.step); break;
    case What::flood: flood(command.first); break;
    case What::send: send_many(command); break;
    case What::sleep: sleep_ms(command.first); break;
    case What::counts: counts(); break;
    case What::alarm: alarm(command.first); break;
    case What::check: check_failed(CheckId::arena_bad_free); break;
    case What::halt: halt_in_mid_frame(); break;
    case What::recurse: std::printf("%u\n", recurse(command.first)); break;
    case What::hang: the_board->hang(); break;
    }
}

} // namespace

/// A frame for each line, or part of a long one.
void mesh::console_write(std::span<const char> text) { bare::write_lines(*the_board, text); }

void mesh::console_flush() {}

int main() {
    static Board board;
    the_board = &board;
    std::puts("ready");
    board.set_alarm_us(kNever);
    incoming.lend();
    for (;;) {
        if (!incoming.look()) {
            board.wait();
            continue;
        }
        if (incoming.frame.port != kHostPort) {
            incoming.count();
            incoming.lend();
            continue;
        }
        const auto command = wire::load<Command>(incoming.packet, wire::kPacketHeaderBytes);
        incoming.lend();
        execute(command);
    }
}
