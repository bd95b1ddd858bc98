// Nodes joined by serial lines of boards/serial, whose chips are simulated here: transmitters with
// little room, receivers that lose bytes that are not taken, noise on the cable, and one wire for
// both ways.
#include "boards/serial/serial_board.hpp"
#include "kernel/node/node.hpp"
#include "meshputer.hpp"
#include "tests/kernel/heap_memory.hpp"
#include "tests/kernel/host_message.hpp"
#include "wire/bytes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace mesh::test {
namespace serial_board_test {

constexpr Network kPair{Topology::cube, 1};
constexpr Network kSquare{Topology::cube, 2};
constexpr Network kCircle{Topology::uhc, 2};
constexpr unsigned kPortsMax = 2;
constexpr std::size_t kFifo = 16;
constexpr std::uint64_t kTurnUs = 100;

/// The state of a node's chip.
struct ChipState {
    struct Uart {
        std::deque<std::byte> received;
        std::deque<std::byte> sending;
        bool listens = true;
        bool wants_room = false;
        bool connected = true;
    };

    explicit ChipState(const wire::Identity& identity) : address(wire::to_mac(identity)) {
        running = this;
    }
    ChipState(const ChipState&) = delete;
    ChipState& operator=(const ChipState&) = delete;

    /// The chip of the node that runs.
    static inline ChipState* running = nullptr;

    wire::Mac address;
    std::array<Uart, kPortsMax + 1> uarts; // the last is the host's
    std::mt19937 random{1};
    std::uint64_t now_us = 0xFFFF'F000; // soon beyond 32 bits
    std::uint64_t overruns = 0;
    unsigned sleeps = 0;
    unsigned sleeps_max = ~0u; // one more is an error
    std::function<void(unsigned)> interrupt;
    std::function<void()> asleep; // what happens then, once

    /// Lets the interrupts come that are pending.
    void interrupts() {
        running = this;
        for (unsigned line = 0; line < uarts.size(); ++line) {
            const Uart& uart = uarts[line];
            if ((uart.listens && !uart.received.empty()) ||
                (uart.wants_room && uart.sending.empty()))
                interrupt(line);
        }
    }
};

struct FakeChip {
    static constexpr unsigned kPorts = kPortsMax;
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

    static ChipState& state() { return *ChipState::running; }
    static ChipState::Uart& uart(unsigned line) { return state().uarts.at(line); }

    static wire::Mac address() { return state().address; }
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
        if (++state().sleeps > state().sleeps_max)
            throw std::runtime_error("it sleeps");
        if (const auto what = std::exchange(state().asleep, nullptr))
            what();
        uart(kPorts).sending.clear(); // the host takes everything
        state().now_us += kTurnUs;
        state().interrupts();
    }
    static void silence() {}
};

/// A chip whose ports have one wire for both ways, and which sees whether a port is connected.
struct OneWireChip : FakeChip {
    static constexpr std::uint32_t kTurnaroundUs = 4 * kTurnUs;
    static bool connected(unsigned line) { return uart(line).connected; }
};

constexpr unsigned kMessages = 30;

std::vector<std::byte> text(unsigned node, unsigned number) {
    std::vector<std::byte> bytes(1 + number * 97 % 3000);
    std::mt19937 random(node * 1000 + number);
    for (std::byte& one : bytes) // zeroes in a row, and none for long
        one = number % 3 == 0 ? std::byte{0} : static_cast<std::byte>(random() % (number + 1));
    return bytes;
}

/// The node that is farthest away.
unsigned opposite(const Kernel& node) { return node.nodes() - 1 - index(node.id()); }

Process sends(Kernel& node) {
    for (unsigned number = 0; number < kMessages; ++number) {
        const auto bytes = text(index(node.id()), number);
        const Status status = co_await send(node, node_at(opposite(node)), {.tag = 1}, bytes);
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
        const Received got = co_await receive(node, bytes, kAnySource, 1);
        bytes.resize(got.bytes);
        if (got.status != Status::ok || bytes != text(opposite(node), number))
            co_return Status::failed;
    }
    co_return co_await node.join(sender);
}

template <class Chip>
struct SerialNode {
    explicit SerialNode(const wire::Identity& identity)
        : chip(identity),
          memory({.ports = port_count(identity.network),
                  .buffers = 40,
                  .processes = 4,
                  .nodes = node_count(identity.network),
                  .arena_bytes = 16384}),
          node(start(), memory, exchanges) {}
    board::SerialBoard<Chip>& start() {
        chip.interrupt = [this](unsigned line) { board.on_line_interrupt(line); };
        board.start();
        return board;
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
            chip.uarts[kPortsMax].received.push_back(byte);
        chip.interrupts();
        work();
    }
    void work() {
        ChipState::running = &chip;
        while (node.poll()) {
        }
    }
    void boot() {
        ChipState::running = &chip;
        node.boot();
    }
    bool ended() const {
        const wire::NodeReport told = report();
        return told.done != 0 && static_cast<Status>(told.status) == Status::ok;
    }
    wire::NodeReport report() const {
        wire::NodeReport report;
        node.inside().fill_report(report);
        return report;
    }
    std::uint32_t counted(Counter counter) { return node.kernel().counters()[counter]; }

    ChipState chip;
    HeapMemory memory;
    board::SerialBoard<Chip> board;
    Node<mesh::board::SerialBoard<Chip>> node;
};

/// Nodes, the cables between them and their host.
template <class Chip>
struct SerialMesh {
    static constexpr bool kOneWire = board::SharesWires<Chip>;
    const Network network;
    std::vector<std::unique_ptr<SerialNode<Chip>>> nodes;
    std::mt19937 random{3};
    double noise = 0; // of each byte, to be lost, changed, or have another one before it
    std::uint64_t collisions = 0;

    explicit SerialMesh(Network its_network) : network(its_network) {
        for (std::uint32_t id = 0; id < node_count(network); ++id)
            nodes.push_back(
                std::make_unique<SerialNode<Chip>>(wire::Identity{network, node_at(id)}));
        for (auto& one : nodes)
            one->boot();
        for (unsigned turn = 0; turn < 1000; ++turn)
            pass();
        wire::Job job;
        job.op = wire::Op::app;
        for (auto& one : nodes)
            one->tell(wire::HostTag::job, wire::bytes_of(job));
    }
    SerialMesh(const SerialMesh&) = delete;
    SerialMesh& operator=(const SerialMesh&) = delete;

    /// Moves some bytes from one end of a cable to the other.
    void carry(ChipState& from, ChipState& to, unsigned line) {
        auto& sending = from.uarts[line].sending;
        auto& received = to.uarts[line].received;
        for (std::size_t bytes = random() % kFifo; bytes != 0 && !sending.empty(); --bytes) {
            std::byte byte = sending.front();
            sending.pop_front();
            if (!from.uarts[line].connected)
                continue;
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
    /// An end that sends hears nothing; if both send, neither gets anything.
    void carry_by_one_wire(ChipState& one, ChipState& other, unsigned line) {
        auto& sending = one.uarts[line].sending;
        auto& answering = other.uarts[line].sending;
        if (sending.empty() || answering.empty()) {
            carry(one, other, line);
            carry(other, one, line);
            return;
        }
        ++collisions;
        for (auto* both : {&sending, &answering})
            both->erase(both->begin(), both->begin() + static_cast<std::ptrdiff_t>(
                                                           std::min(both->size(), kFifo / 2)));
    }
    void carry_all() {
        for (std::uint32_t id = 0; id < nodes.size(); ++id)
            for (unsigned line = 0; line < port_count(network); ++line) {
                const std::uint32_t other = index(neighbor(network, node_at(id), port_at(line)));
                if (!kOneWire)
                    carry(nodes[id]->chip, nodes[other]->chip, line);
                else if (id < other)
                    carry_by_one_wire(nodes[id]->chip, nodes[other]->chip, line);
            }
    }
    void pass() {
        carry_all();
        for (auto& one : nodes) {
            one->chip.uarts[kPortsMax].sending.clear();
            one->chip.now_us += kTurnUs;
            one->chip.interrupts();
        }
        for (auto& one : nodes)
            one->work();
    }
    /// Pulls all cables, or plugs them in.
    void connect(bool connected) {
        for (auto& one : nodes) {
            for (unsigned line = 0; line < port_count(network); ++line)
                one->chip.uarts[line].connected = connected;
            one->board.on_cable_interrupt();
        }
    }
    /// Until all programs have ended, for two minutes at most.
    bool finish() {
        for (auto& one : nodes)
            one->tell(wire::HostTag::start, {});
        for (unsigned turn = 0; turn < 1'200'000; ++turn) {
            pass();
            if (std::ranges::all_of(nodes, [](const auto& one) { return one->ended(); }))
                return true;
        }
        return false;
    }
    std::uint64_t total(Counter counter) {
        std::uint64_t sum = 0;
        for (auto& one : nodes)
            sum += one->counted(counter);
        return sum;
    }
    std::uint64_t overruns() const {
        std::uint64_t sum = 0;
        for (const auto& one : nodes)
            sum += one->chip.overruns;
        return sum;
    }
    unsigned dead_links() const {
        unsigned sum = 0;
        for (const auto& one : nodes)
            sum += static_cast<unsigned>(std::popcount(one->report().dead_ports));
        return sum;
    }
};

TEST(SerialBoard, CarriesMessagesBothWaysAtOnceWithoutARepetition) {
    SerialMesh<FakeChip> mesh{kPair};
    ASSERT_TRUE(mesh.finish());
    EXPECT_EQ(mesh.total(Counter::retransmissions), 0u);
    EXPECT_EQ(mesh.overruns(), 0u) << "the window is what the ring holds";
}

TEST(SerialBoard, CarriesThemOverANoisyCableAndCountsWhatItDrops) {
    SerialMesh<FakeChip> mesh{kPair};
    mesh.noise = 1e-3;
    ASSERT_TRUE(mesh.finish());
    EXPECT_GT(mesh.total(Counter::drop_crc) + mesh.total(Counter::drop_malformed), 0u);
    EXPECT_GT(mesh.total(Counter::retransmissions), 0u);
}

TEST(SerialBoard, CarriesThemWhereAnswersWaitForThePortsOfOthers) {
    SerialMesh<FakeChip> mesh{kCircle};
    ASSERT_TRUE(mesh.finish());
    EXPECT_EQ(mesh.total(Counter::links_dead), 0u);
}

TEST(SerialBoard, CarriesThemByOneWireForBothWaysThoughEndsBeginAtOnceNowAndThen) {
    for (const Network network : {kPair, kSquare, kCircle}) {
        SerialMesh<OneWireChip> mesh{network};
        EXPECT_TRUE(mesh.finish());
        EXPECT_EQ(mesh.total(Counter::links_dead), 0u);
        EXPECT_EQ(mesh.collisions != 0, network.topology == Topology::cube)
            << "links of the UHC carry one way at all times";
    }
}

TEST(SerialBoard, CarriesThemByOneWireThatIsNoisy) {
    SerialMesh<OneWireChip> mesh{kSquare};
    mesh.noise = 1e-3;
    ASSERT_TRUE(mesh.finish());
    EXPECT_GT(mesh.total(Counter::retransmissions), 0u);
}

TEST(SerialBoard, KnowsACableThatIsPulledAndOneThatIsPluggedInAtOnce) {
    SerialMesh<OneWireChip> mesh{kPair};
    const auto turns_until = [&mesh](unsigned dead) {
        unsigned turns = 0;
        for (; mesh.dead_links() != dead && turns < 1000; ++turns)
            mesh.pass();
        return turns;
    };
    mesh.connect(false);
    EXPECT_EQ(turns_until(2), 1u);
    for (unsigned turn = 0; turn < 10'000; ++turn)
        mesh.pass();
    mesh.connect(true);
    EXPECT_LT(turns_until(0) * kTurnUs, limits::kRtoMinUs);
    EXPECT_TRUE(mesh.finish());
}

TEST(SerialBoard, TakesTheNextFrameAfterMoreNoiseThanItsRingHolds) {
    SerialMesh<FakeChip> mesh{kPair};
    SerialNode<FakeChip>& left = *mesh.nodes[0];
    std::mt19937 random(5);
    for (const bool zeroes : {false, true})
        for (unsigned byte = 0; byte < 5000; ++byte) {
            left.chip.uarts[0].received.push_back(
                static_cast<std::byte>(random() % 255 + (zeroes ? 0 : 1)));
            left.chip.interrupts();
            if (byte % 100 == 0)
                left.work();
        }
    EXPECT_TRUE(mesh.finish());
}

TEST(SerialBoard, WakesAtItsAlarmAndNotForBytesOfAFrame) {
    SerialNode<FakeChip> one{{kPair, node_at(0)}};
    const std::uint64_t start = one.board.now_us();
    one.board.set_alarm_us(start + 10 * kTurnUs);
    for (unsigned byte = 0; byte < 8; ++byte)
        one.chip.uarts[0].received.push_back(std::byte{9});
    one.board.wait();
    EXPECT_EQ(one.chip.sleeps, 10u);
    EXPECT_GE(one.board.now_us(), start + 10 * kTurnUs);
}

// In lockstep no timer would wake it.
TEST(SerialBoard, ANodeSleepsOverNoFrameThatCameWhileItToldItsHostSomething) {
    SerialNode<FakeChip> one{{kPair, node_at(0)}};
    one.boot();
    for (unsigned part = 0; part < 10; ++part) { // what it has said leaves
        one.chip.uarts[0].sending.clear();
        one.chip.interrupts();
        one.work();
    }
    wire::Job job;
    job.op = wire::Op::app;
    job.lockstep = 1;
    one.tell(wire::HostTag::job, wire::bytes_of(job));
    const auto frame_comes = [&] {
        one.chip.uarts[0].received = {std::byte{9}, wire::kFrameEnd};
        one.chip.interrupts();
    };
    frame_comes(); // so that it will say again that it is idle
    one.chip.asleep = frame_comes;
    one.chip.sleeps_max = one.chip.sleeps + 50;
    const std::uint32_t before = one.counted(Counter::frames_received);
    for (unsigned turn = 0; turn < 3; ++turn)
        one.node.turn();
    EXPECT_EQ(one.counted(Counter::frames_received), before + 2);
    EXPECT_FALSE(one.chip.asleep) << "it has waited for its host port";
}

} // namespace serial_board_test
} // namespace mesh::test
