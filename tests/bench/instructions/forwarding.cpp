// Instructions of a forwarded packet: a node of the 4-cube with the kernel, the board and the
// flags of the real image, whose neighbours are this file.
//
// The interface's PHY is set to loop back while a frame goes in, so that the node's own driver and
// DMA take it out again; what the node sends ends in a cable without an end. `kernel` leaves out
// all that happens inside the board's calls, `whole` nothing but sleeping and waking.
//
// Traffic: `alone`, one packet at a time, each to the end, so that the node comes to rest before
// the next one; `both ways`, packets cross in both directions and carry the acknowledgements;
// `sbt`, alone again, where each packet goes to the node's only child and to a process of the node
// itself; `trains`, both ways in frames of eight packets.
//
// The neighbours ask for acknowledgements as links do, by the same class, and acknowledge when the
// node asks. So where nothing goes the other way an acknowledgement is a frame of its own for many
// packets: all of both directions are counted, and shared by the packets (column `acks`: those that
// the node sends). The node's clock shows how long the instructions counted so far take, so the
// traffic is as dense as the node can bear, and its alarms go off as often as they do then.
#include "board.hpp"
#include "chip.hpp"
#include "kernel/node/node.hpp"
#include "meshputer.hpp"
#include "tests/bench/instructions/counter.hpp"
#include "tests/kernel/host_message.hpp"
#include "tests/target/suite.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

using namespace mesh;

namespace {

constexpr Network kNetwork{Topology::cube, 4};
constexpr NodeId kSelf = node_at(0b0110);
constexpr unsigned kPorts = 4;
constexpr std::size_t kBuffers = 48;
constexpr unsigned kPackets = 200;

constexpr unsigned kInTrain = 8;
static_assert(kPackets % kInTrain == 0);

enum class Traffic : std::uint8_t { alone, both_ways, sbt, trains };

unsigned packets_in_frame(Traffic traffic) { return traffic == Traffic::trains ? kInTrain : 1; }

// ---- the board
// -----------------------------------------------------------------------------------

/// Stops the meter while it lives.
class Pause {
public:
    [[gnu::always_inline]] Pause(bench::Meter& meter, bool on) : meter_(on ? &meter : nullptr) {
        if (meter_ != nullptr)
            meter_->pause();
    }
    [[gnu::always_inline]] ~Pause() {
        if (meter_ != nullptr)
            meter_->resume();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

private:
    bench::Meter* meter_;
};

/// The node's output, for its neighbours and for the claims.
struct Seen {
    std::array<std::uint16_t, kPorts> packets{}; // sent by each port
    PortSet asks = 0;                   // ports at which the node waits for an acknowledgement
    std::uint32_t acknowledgements = 0; // frames of its own
    std::uint32_t answers = 0;          // those that it got
    std::uint32_t moved = 0;            // packets that did not leave from the buffer they came into
    const std::byte* received_into = nullptr;
};
Seen seen;

/// The real board, with an identity of ours and a meter.
template <bool kWhole>
class MeteredBoard {
public:
    MeteredBoard(board::Board& inner, bench::Meter& meter) : inner_(inner), meter_(meter) {}

    wire::Identity identity() const { return {kNetwork, kSelf}; }
    std::size_t window_bytes(unsigned ports) const { return inner_.window_bytes(ports); }
    static constexpr hal::Capabilities capabilities() { return board::Board::capabilities(); }
    PortSet ready_ports() {
        const Pause pause(meter_, !kWhole);
        return inner_.ready_ports();
    }
    void transmit(Port port, const hal::Head& head, std::span<const std::byte> packet) {
        note(port, head, packet);
        const Pause pause(meter_, !kWhole);
        inner_.transmit(port, head, packet);
    }
    void lend(unsigned receiver, hal::Head& head, hal::PacketRoom buffer) {
        lent_ = buffer.data();
        const Pause pause(meter_, !kWhole);
        inner_.lend(receiver, head, buffer);
    }
    hal::Received receive() {
        seen.received_into = lent_;
        const Pause pause(meter_, !kWhole);
        return inner_.receive();
    }
    std::uint32_t dma_transfers(Port port) const { return inner_.dma_transfers(port); }
    std::uint64_t now_us() {
        {
            const Pause pause(meter_, !kWhole);
            static_cast<void>(inner_.now_us()); // counted: it costs as much as on the real board
        }
        const Pause pause(meter_, true);
        return (counted_before_ + meter_.instructions()) / (board::chip::kProcessorHz / 1'000'000);
    }
    /// The meter begins anew, the clock goes on.
    void clear_meter() {
        counted_before_ += meter_.instructions();
        meter_.clear();
    }
    void set_alarm_us(std::uint64_t time_us) { inner_.set_alarm_us(time_us); }
    void wait() { inner_.wait(); }
    [[noreturn]] void hang() { inner_.hang(); }

private:
    void note(Port port, const hal::Head& head, std::span<const std::byte> packet) {
        const Pause pause(meter_, true);
        if (index(port) >= kPorts)
            return;
        if (packet.empty()) {
            ++seen.acknowledgements;
            return;
        }
        note_packet(port, head.fields.link);
        seen.moved += packet.data() == seen.received_into ? 0 : 1;
        wire::Head next = head.fields;
        auto rest = packet.last(wire::bytes_behind(next.link, wire::kHeadBytes + packet.size()));
        while (wire::is_coupled(rest.size())) {
            static_cast<void>(wire::uncouple(rest, next, uncoupled_));
            note_packet(port, next.link);
            ++seen.moved;
        }
    }
    static void note_packet(Port port, const wire::LinkHeader& link) {
        ++seen.packets[index(port)];
        if ((link.flags & wire::link_flag::kAsks) != 0)
            seen.asks |= bit_of(port);
    }

    board::Board& inner_;
    bench::Meter& meter_;
    const std::byte* lent_ = nullptr;
    std::uint64_t counted_before_ = 0;
    std::array<std::byte, wire::kPacketBytesMax> uncoupled_;
};
static_assert(hal::Board<MeteredBoard<true>> && hal::Board<MeteredBoard<false>>);

// ---- the neighbours
// ------------------------------------------------------------------------------

namespace reg = board::regs::nic;
constexpr std::uint32_t kPhyLoopback = 1u << 14; // LAN9118 data sheet, 5.5.1, PHY register 0

void mac_write(std::uint32_t number, std::uint32_t value) {
    auto& nic = board::regs::at<board::regs::Nic>(board::regs::kNic);
    nic.mac_csr_data = value;
    nic.mac_csr_cmd = reg::kMacCsrBusy | number;
}

void set_phy(std::uint32_t value) {
    mac_write(reg::kMacMiiData, value);
    mac_write(reg::kMacMiiAccess, reg::kPhyAddress | reg::kMiiWrite | reg::kMiiBusy);
}

/// Puts a frame into the receive FIFO of the node.
void give(const wire::LinkHeader& header, std::span<const std::byte> packet) {
    hal::Head head;
    wire::write_head(header, {}, head.bytes);
    set_phy(kPhyLoopback);
    board::Lan9118 nic;
    const std::size_t frame_bytes = head.bytes.size() + packet.size();
    nic.open_segment(head.bytes.size(), frame_bytes, true, packet.empty());
    for (std::size_t at = 0; at < head.bytes.size(); at += 4)
        board::Lan9118::write_word(wire::load<std::uint32_t>(head.bytes, at));
    if (!packet.empty()) {
        nic.open_segment(packet.size(), frame_bytes, false, true);
        for (std::size_t at = 0; at < packet.size(); at += 4)
            board::Lan9118::write_word(wire::load<std::uint32_t>(packet, at));
    }
    set_phy(0);
    (void)board::regs::at<board::regs::Nic>(board::regs::kNic)
        .tx_status; // the driver's are its own
}

struct Way {
    Port in, out;
    wire::PacketHeader header;
};

/// Every packet of a traffic is one of these two in turn.
std::array<Way, 2> ways_of(Traffic traffic) {
    const NodeId low = Hypercube{4}.neighbor(kSelf, port_at(0));
    const NodeId high = Hypercube{4}.neighbor(kSelf, port_at(3));
    const Way up{port_at(0), port_at(3), {.source = low, .destination = high}};
    const Way down{port_at(3), port_at(0), {.source = high, .destination = low}};
    const Way tree{port_at(2), port_at(3), {.rule = Rule::sbt, .source = node_at(0)}};
    if (traffic == Traffic::sbt)
        return {tree, tree};
    return {up, traffic == Traffic::alone ? up : down};
}

/// The program of the node: takes each packet that comes and lets go of it.
Process sink(Kernel& kernel) {
    for (;;)
        (void)co_await kernel.receive({});
}

// ---- a run
// ---------------------------------------------------------------------------------------

struct Memories {
    std::array<PacketBuffer, kBuffers> buffers;
    std::array<PortSlot, kBuffers * kPorts> slots;
    alignas(8) std::array<std::byte, 8192> arena;
};
[[gnu::section(".noinit")]] Memories memories;
std::array<Link, kPorts> links;
std::array<ProcessSlot, limits::kProcessesMax> processes;
std::array<Peer, 256> peers;

/// Sums over kPackets packets.
struct Result {
    std::uint32_t instructions = 0;
    std::uint32_t forwarded = 0;
    std::uint32_t acknowledgements = 0;
    std::uint32_t answers = 0;
    std::uint32_t moved = 0;
    std::uint32_t dma_transfers = 0;
    std::uint32_t repeated = 0;

    bool clean() const { return forwarded == kPackets && repeated == 0; }
};

template <bool kWhole>
class Run {
public:
    Run(board::Board& inner, const bench::Counter& counter)
        : meter_(counter),
          board_(inner, meter_),
          node_(board_,
                {memories.buffers, memories.slots, links, processes, peers, memories.arena, {}},
                &sink) {
        static_cast<void>(tree_rules(kNetwork.topology)); // links them
        node_.boot();
        for (unsigned port = 0; port < kPorts; ++port) {
            const NodeId other = neighbor<CubeRules>(kNetwork, kSelf, port_at(port));
            give({.kind = wire::Kind::hello_answer,
                  .port = port_at(port),
                  .sequence = static_cast<std::uint16_t>(kNetwork.dim),
                  .refused = index(other)},
                 {});
        }
        tell(wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
        tell(wire::HostTag::start, {});
        settle();
    }

    bool ready() { return node_.kernel().counters()[Counter::drop_malformed] == 0; }

    Result forward(Traffic traffic, std::size_t payload_bytes) {
        const std::array<Way, 2> ways = ways_of(traffic);
        for (unsigned number = 0; number < 2; ++number)
            fill(packets_[number], ways[number].header, payload_bytes);
        for (unsigned number = 0; number < 2; ++number) // what comes first may cost more
            step(ways[number], packets_[number], traffic, payload_bytes);
        board_.clear_meter();
        seen.acknowledgements = seen.answers = seen.moved = 0;
        const Result before = counted();
        for (unsigned number = 0; number < kPackets / packets_in_frame(traffic); ++number)
            step(ways[number % 2], packets_[number % 2], traffic, payload_bytes);
        Result result = counted();
        result.instructions = meter_.instructions();
        result.forwarded -= before.forwarded;
        result.dma_transfers -= before.dma_transfers;
        for (unsigned port = 0; port < kPorts; ++port)
            acknowledge(port_at(port));
        settle();
        return result;
    }

private:
    using PacketBytes = std::array<std::byte, wire::kPacketBytesMax>;

    static void fill(PacketBytes& bytes, wire::PacketHeader header, std::size_t payload_bytes) {
        header.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
        const auto packet = std::span{bytes}.first(wire::kPacketHeaderBytes + payload_bytes);
        for (std::size_t at = 0; at < packet.size(); ++at)
            packet[at] = static_cast<std::byte>(at * 31);
        wire::write_packet_header(header, packet.first<wire::kPacketHeaderBytes>());
        wire::seal_packet(packet);
    }

    /// The packets of one frame go through the node.
    void step(const Way& way, const PacketBytes& bytes, Traffic traffic,
              std::size_t payload_bytes) {
        const auto packet = std::span{bytes}.first(wire::kPacketHeaderBytes + payload_bytes);
        const wire::LinkHeader first = header_for(way, packet.size());
        std::ranges::copy(packet, train_.begin());
        std::size_t train_bytes = packet.size();
        for (unsigned number = 1; number < packets_in_frame(traffic); ++number) {
            hal::Head head;
            wire::write_head(header_for(way, packet.size()), {}, head.bytes);
            train_bytes = wire::couple(train_, train_bytes, head.fields, packet);
        }
        give(first, std::span{train_}.first(train_bytes));
        poll();
        if (traffic == Traffic::both_ways || traffic == Traffic::trains)
            return; // what comes the other way acknowledges all
        if ((seen.asks & bit_of(way.out)) != 0) {
            acknowledge(way.out);
            poll();
        }
        poll(); // nothing came: the node acknowledges what it is asked about
    }

    wire::LinkHeader header_for(const Way& way, std::size_t packet_bytes) {
        return {.kind = wire::Kind::data,
                .port = way.in,
                .sequence = given_[index(way.in)]++,
                .acknowledged = seen.packets[index(way.in)],
                .free_buffers = kBuffers,
                .packet_bytes = static_cast<std::uint16_t>(packet_bytes),
                .hops = 1,
                .flags = asks(way.in, wire::kHeadBytes + packet_bytes) ? wire::link_flag::kAsks
                                                                       : std::uint16_t{0}};
    }

    bool asks(Port port, std::size_t frame_bytes) {
        return asking_[index(port)].asks(frame_bytes, board_.window_bytes(kPorts), false);
    }

    void acknowledge(Port port) {
        seen.asks &= ~bit_of(port);
        ++seen.answers;
        give({.kind = wire::Kind::ack,
              .port = port,
              .acknowledged = seen.packets[index(port)],
              .free_buffers = kBuffers},
             {});
    }

    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        const auto [link, packet] = test::host_message(packets_[0], tag, payload);
        give(link, packet);
    }

    void poll() {
        meter_.resume();
        node_.poll();
        meter_.pause();
    }

    void settle() {
        while (node_.poll())
            ;
    }

    Result counted() {
        Counters& counters = node_.kernel().counters();
        Result result;
        result.forwarded = counters[Counter::packets_forwarded];
        result.repeated = counters[Counter::retransmissions];
        result.acknowledgements = seen.acknowledgements;
        result.answers = seen.answers;
        result.moved = seen.moved;
        for (unsigned port = 0; port < kPorts; ++port)
            result.dma_transfers += board_.dma_transfers(port_at(port));
        return result;
    }

    bench::Meter meter_;
    MeteredBoard<kWhole> board_;
    Node<MeteredBoard<kWhole>> node_;
    std::array<std::uint16_t, kPorts> given_{}; // data frames given by each port
    std::array<Asking, kPorts> asking_;
    alignas(4) std::array<PacketBytes, 2> packets_;
    alignas(4) PacketBytes train_;
};

struct Case {
    const char* name;
    Traffic traffic;
    std::size_t payload_bytes;
    Result kernel;
    Result whole;
};

/// The cost of checking a packet, and of checking or making the link headers of its frames.
std::uint32_t crc_instructions(const bench::Counter& counter, const Case& one) {
    static const std::array<std::byte, wire::kPacketBytesMax> bytes{};
    const auto cost = [&](std::size_t count) {
        return counter.call(&wire::detail::crc32<wire::detail::kCrcTables>, bytes.data(),
                            bytes.data() + count, 0u);
    };
    const std::uint32_t heads = 2 * kPackets + one.whole.acknowledgements + one.whole.answers;
    const std::uint32_t head = cost(wire::offset::kLinkCrc - wire::offset::kEtherType);
    const std::uint32_t packet = cost(wire::packet_offset::kPacketCrc) + cost(one.payload_bytes);
    return heads * head / kPackets + packet;
}

/// With the whole node, or with its kernel alone.
template <bool kWhole>
void run_all(std::span<Case> cases, const bench::Counter& counter, board::Board& inner,
             target::Suite& suite) {
    links = {};
    seen = {};
    Run<kWhole> run(inner, counter);
    for (Case& one : cases)
        (kWhole ? one.whole : one.kernel) = run.forward(one.traffic, one.payload_bytes);
    suite.claim("the node understood all its neighbours said", run.ready());
}

void print_hundredths(std::uint32_t sum, unsigned width) {
    const std::uint32_t hundredths = (100 * sum + kPackets / 2) / kPackets;
    printf("%*u.%02u", static_cast<int>(width) - 3, static_cast<unsigned>(hundredths / 100),
           static_cast<unsigned>(hundredths % 100));
}

void report(const Case& one, const bench::Counter& counter, target::Suite& suite) {
    const std::uint32_t crc = crc_instructions(counter, one);
    const std::uint32_t kernel = one.kernel.instructions / kPackets;
    const std::uint32_t whole = one.whole.instructions / kPackets;
    printf("%-10s%8u%8u%8u%8u%7u%%", one.name, static_cast<unsigned>(one.payload_bytes),
           static_cast<unsigned>(whole), static_cast<unsigned>(kernel), static_cast<unsigned>(crc),
           static_cast<unsigned>(100 * crc / whole));
    print_hundredths(one.whole.acknowledgements, 7);
    print_hundredths(one.whole.dma_transfers, 7);
    print_hundredths(one.whole.moved, 7);
    printf("\n");
    for (const Result* result : {&one.kernel, &one.whole}) {
        suite.claim("every packet goes on once", result->clean());
        suite.claim("the CPU copies no payload but of packets behind the first of a train",
                    result->moved == kPackets - kPackets / packets_in_frame(one.traffic));
        suite.claim("DMA takes every frame in and out",
                    result->dma_transfers == 2 * kPackets / packets_in_frame(one.traffic));
    }
    suite.claim("the checksum is a part of the kernel's share, that a part of the whole",
                crc < kernel && kernel < whole);
}

} // namespace

int main() {
    static board::Board board;
    target::Suite suite("instructions_forwarding");
    const bench::Counter counter;
    suite.claim("SysTick counts every instruction", counter.exact());
    static std::array<Case, 7> cases{{{"alone", Traffic::alone, 64, {}, {}},
                                      {"alone", Traffic::alone, 1024, {}, {}},
                                      {"both ways", Traffic::both_ways, 64, {}, {}},
                                      {"both ways", Traffic::both_ways, 1024, {}, {}},
                                      {"sbt", Traffic::sbt, 64, {}, {}},
                                      {"sbt", Traffic::sbt, 1024, {}, {}},
                                      {"trains", Traffic::trains, 64, {}, {}}}};
    run_all<false>(cases, counter, board, suite);
    run_all<true>(cases, counter, board, suite);
    printf("%-10s%8s%8s%8s%8s%8s%7s%7s%7s\n", "traffic", "payload", "whole", "kernel", "crc",
           "share", "acks", "dma", "copies");
    for (const Case& one : cases)
        report(one, counter, suite);
    return suite.end();
}
