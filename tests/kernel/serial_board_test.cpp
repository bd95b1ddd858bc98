// Two nodes joined by serial lines of boards/serial, whose chips are simulated here: transmitters
// with little room, receivers that lose what nobody takes, noise on the cable.
#include "boards/serial/serial_board.hpp"
#include "kernel/node.hpp"
#include "meshputer.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <random>
#include <vector>

namespace mesh::test {
namespace serial_board_test {

constexpr Network kPair{Topology::cube, 1};
constexpr unsigned kLines = 2; // one port, and the host
constexpr std::size_t kFifo = 16;
constexpr std::uint64_t kTurnUs = 100;

/// What a chip remembers; there is one of each number at a time.
struct ChipState {
    struct Uart {
        std::deque<std::byte> received;
        std::deque<std::byte> sending;
        bool listens = true;
        bool wants_room = false;
    };
    std::array<Uart, kLines> uarts;
    std::mt19937 random{1};
    std::uint64_t now_us = 0xFFFF'F000; // soon beyond 32 bits
    std::uint64_t overruns = 0;
    unsigned sleeps = 0;
    std::function<void(unsigned)> interrupt;

    /// Lets the interrupts come that are pending.
    void interrupts() {
        for (unsigned line = 0; line < kLines; ++line) {
            const Uart& uart = uarts[line];
            if ((uart.listens && !uart.received.empty()) ||
                (uart.wants_room && uart.sending.empty()))
                interrupt(line);
        }
    }
};

template <unsigned kNumber>
struct FakeChip {
    static constexpr unsigned kPorts = 1;
    static constexpr std::uint32_t kBitsPerSecond = 1'000'000;
    static constexpr std::uint32_t kRingBytes = 2048;
    struct Guard {
        Guard() {}
    };
    struct Timer {
        void wake_after(std::uint64_t) {}
        void start_ticks(std::uint32_t, void (*)(void*), void*) {}
        void stop_ticks() {}
        void on_interrupt() {}
    };

    static ChipState& state() {
        static ChipState the_state;
        return the_state;
    }
    static ChipState::Uart& uart(unsigned line) { return state().uarts.at(line); }

    static wire::Mac address() { return wire::to_mac({kPair, node_at(kNumber)}); }
    static void init(unsigned line) { uart(line) = {}; }
    static void listen(unsigned line, bool on) { uart(line).listens = on; }
    static unsigned waiting(unsigned line) {
        return uart(line).listens ? static_cast<unsigned>(uart(line).received.size()) : 0;
    }
    static std::byte read(unsigned line) {
        const std::byte byte = uart(line).received.front();
        uart(line).received.pop_front();
        return byte;
    }
    static unsigned room(unsigned line) {
        return uart(line).sending.empty() ? 1 + static_cast<unsigned>(state().random() % kFifo) : 0;
    }
    static void write(unsigned line, std::byte byte) { uart(line).sending.push_back(byte); }
    static void tell_room(unsigned line, bool on) { uart(line).wants_room = on; }
    static bool drained(unsigned line) { return uart(line).sending.empty(); }
    static std::uint32_t counter_us() { return static_cast<std::uint32_t>(state().now_us); }
    static void sleep() {
        ++state().sleeps;
        uart(kPorts).sending.clear(); // the host takes everything
        state().now_us += kTurnUs;
        state().interrupts();
    }
    static void silence() {}
};

constexpr unsigned kMessages = 30;

std::vector<std::byte> text(unsigned node, unsigned number) {
    std::vector<std::byte> bytes(1 + number * 97 % 3000);
    std::mt19937 random(node * 1000 + number);
    for (std::byte& one : bytes) // zeroes in a row, and none for long
        one = number % 3 == 0 ? std::byte{0} : static_cast<std::byte>(random() % (number + 1));
    return bytes;
}

Process sends(Kernel& node) {
    for (unsigned number = 0; number < kMessages; ++number) {
        const auto bytes = text(index(node.id()), number);
        const Status status = co_await send(node, node_at(1 - index(node.id())), {.tag = 1}, bytes);
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}

Process exchanges(Kernel& node) {
    ProcessId sender;
    if (!node.spawn(sends(node), sender))
        co_return Status::no_memory;
    for (unsigned number = 0; number < kMessages; ++number) {
        std::vector<std::byte> bytes(3000);
        const Received got = co_await receive(node, bytes, 1);
        bytes.resize(got.bytes);
        if (got.status != Status::ok || bytes != text(1 - index(node.id()), number))
            co_return Status::failed;
    }
    co_return co_await node.join(sender);
}

template <unsigned kNumber>
struct SerialNode {
    using Chip = FakeChip<kNumber>;

    SerialNode() : node(start(), memory(), exchanges) {}
    board::SerialBoard<Chip>& start() {
        Chip::state() = ChipState{};
        Chip::state().interrupt = [this](unsigned line) { board.on_line_interrupt(line); };
        board.start();
        return board;
    }
    Memory memory() {
        return {buffers, slots, links, processes, std::as_writable_bytes(std::span{arena}), {}};
    }
    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        std::vector<std::byte> room(wire::kPacketHeaderBytes + payload.size());
        const auto [link, packet] = host_message(room, tag, payload);
        hal::Head head;
        wire::write_head(link, {}, head.bytes);
        wire::Front front;
        ASSERT_TRUE(wire::write_front(head.bytes, packet, front));
        wire::CobsEncoder encoder(front.all(), packet.subspan(wire::kPacketHeaderBytes));
        for (std::byte byte; encoder.next(byte);)
            Chip::uart(Chip::kPorts).received.push_back(byte);
        Chip::state().interrupts();
        work();
    }
    void work() {
        while (node.poll()) {
        }
    }
    std::uint32_t counted(Counter counter) { return node.kernel().counters()[counter]; }

    std::vector<PacketBuffer> buffers{40};
    std::vector<PortSlot> slots{40};
    std::vector<Link> links{1};
    std::array<ProcessSlot, 4> processes;
    std::vector<std::uint64_t> arena = std::vector<std::uint64_t>(2048);
    board::SerialBoard<Chip> board;
    Node<mesh::board::SerialBoard<Chip>> node;
};

/// Both nodes and the cable between them.
struct Pair {
    SerialNode<0> left;
    SerialNode<1> right;
    std::mt19937 random{3};
    double noise = 0; // of each byte, to be lost, changed, or have another one before it

    Pair() {
        left.node.boot();
        right.node.boot();
        for (unsigned turn = 0; turn < 100; ++turn)
            pass();
        wire::Job job;
        job.op = wire::Op::app;
        left.tell(wire::HostTag::job, wire::bytes_of(job));
        right.tell(wire::HostTag::job, wire::bytes_of(job));
    }

    void carry(ChipState& from, ChipState& to) {
        auto& sending = from.uarts[0].sending;
        auto& received = to.uarts[0].received;
        for (std::size_t bytes = random() % kFifo; bytes != 0 && !sending.empty(); --bytes) {
            std::byte byte = sending.front();
            sending.pop_front();
            const bool harmed = noise > 0 && std::generate_canonical<double, 32>(random) < noise;
            const std::size_t how = harmed ? 1 + random() % 3 : 0;
            if (how == 1)
                continue;
            if (how == 2)
                byte = static_cast<std::byte>(random());
            if (how == 3)
                put(to, received, static_cast<std::byte>(random()));
            put(to, received, byte);
        }
    }
    static void put(ChipState& state, std::deque<std::byte>& received, std::byte byte) {
        if (received.size() == kFifo)
            ++state.overruns;
        else
            received.push_back(byte);
    }
    void pass() {
        carry(FakeChip<0>::state(), FakeChip<1>::state());
        carry(FakeChip<1>::state(), FakeChip<0>::state());
        for (ChipState* state : {&FakeChip<0>::state(), &FakeChip<1>::state()}) {
            state->uarts[FakeChip<0>::kPorts].sending.clear();
            state->now_us += kTurnUs;
            state->interrupts();
        }
        left.work();
        right.work();
    }
    /// Until both programs have ended, for two minutes at most.
    bool finish() {
        left.tell(wire::HostTag::start, {});
        right.tell(wire::HostTag::start, {});
        for (unsigned turn = 0; turn < 1'200'000; ++turn) {
            pass();
            if (ended(left.node) && ended(right.node))
                return true;
        }
        return false;
    }
    template <class N>
    static bool ended(N& node) {
        wire::NodeReport report;
        node.inside().fill_report(report);
        return report.done != 0 && static_cast<Status>(report.status) == Status::ok;
    }
};

TEST(SerialBoard, CarriesMessagesBothWaysAtOnceWithoutARepetition) {
    Pair pair;
    ASSERT_TRUE(pair.finish());
    EXPECT_EQ(pair.left.counted(Counter::retransmissions), 0u);
    EXPECT_EQ(pair.right.counted(Counter::retransmissions), 0u);
    EXPECT_EQ(FakeChip<0>::state().overruns + FakeChip<1>::state().overruns, 0u)
        << "the window is what the ring holds";
}

TEST(SerialBoard, CarriesThemOverANoisyCableAndCountsWhatItDrops) {
    Pair pair;
    pair.noise = 1e-3;
    ASSERT_TRUE(pair.finish());
    EXPECT_GT(pair.left.counted(Counter::drop_crc) + pair.left.counted(Counter::drop_malformed),
              0u);
    EXPECT_GT(pair.left.counted(Counter::retransmissions), 0u);
}

TEST(SerialBoard, TakesTheNextFrameAfterMoreNoiseThanItsRingHolds) {
    Pair pair;
    std::mt19937 random(5);
    for (const bool zeroes : {false, true})
        for (unsigned byte = 0; byte < 5000; ++byte) {
            FakeChip<0>::uart(0).received.push_back(
                static_cast<std::byte>(random() % 255 + (zeroes ? 0 : 1)));
            FakeChip<0>::state().interrupts();
            if (byte % 100 == 0)
                pair.left.work();
        }
    EXPECT_TRUE(pair.finish());
}

TEST(SerialBoard, WakesAtItsAlarmAndNotForBytesOfAFrame) {
    SerialNode<0> one;
    ChipState& state = FakeChip<0>::state();
    const std::uint64_t start = one.board.now_us();
    one.board.set_alarm_us(start + 10 * kTurnUs);
    for (unsigned byte = 0; byte < 8; ++byte)
        state.uarts[0].received.push_back(std::byte{9});
    one.board.wait();
    EXPECT_EQ(state.sleeps, 10u);
    EXPECT_GE(one.board.now_us(), start + 10 * kTurnUs);
}

} // namespace serial_board_test
} // namespace mesh::test
