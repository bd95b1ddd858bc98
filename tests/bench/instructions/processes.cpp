// Instructions of what processes do inside a node: a communication of commstime, whose processes
// these are but for the last; a choice of alt() among sixteen channels, of which the last is ready,
// with the communication that makes it so; spawn() and join() of a process that ends at once.
#include "apps/commstime.cpp"
#include "tests/bench/instructions/counter.hpp"
#include "tests/target/lone_node.hpp"
#include "tests/target/suite.hpp"

#include <array>
#include <utility>

using namespace mesh;

namespace {

constexpr unsigned kWarm = 10, kRounds = 100;
constexpr unsigned kCommunications = 4; // of a round of commstime
constexpr unsigned kChannels = 16;
constexpr unsigned kLimit = 400; // of a communication

/// Instructions of all rounds that count.
struct Sums {
    std::uint32_t commstime = 0;
    std::uint32_t alternative = 0;
    std::uint32_t spawn = 0;
    bool ended = false;
};
Sums sums;
bench::Meter* meter = nullptr;

/// Lets the first rounds pass, then measures to the end.
void count_round(unsigned round, std::uint32_t& sum) {
    if (round == kWarm) {
        meter->clear();
        meter->resume();
    } else if (round == kWarm + kRounds) {
        meter->pause();
        sum = meter->instructions();
    }
}

Process count_numbers(Kernel&, Wire& in) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        std::ignore = co_await in.read();
        count_round(round, sums.commstime);
    }
    co_return Status::ok;
}

Process feed(Kernel&, Wire& out) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round)
        co_await out.write(round);
    co_return Status::ok;
}

template <std::size_t... kNumbers>
Process choose(Kernel& node, std::array<Wire*, kChannels> wires, std::index_sequence<kNumbers...>) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        const auto which = co_await alt(node, on(*wires[kNumbers])...);
        std::ignore = co_await wires[which]->read();
        count_round(round, sums.alternative);
    }
    co_return Status::ok;
}

Process ends_at_once(Kernel&) { co_return Status::ok; }

Process spawn_and_join(Kernel& node) {
    for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
        ProcessId id;
        if (!node.spawn(ends_at_once(node), id))
            co_return Status::no_memory;
        std::ignore = co_await node.join(id);
        count_round(round, sums.spawn);
    }
    co_return Status::ok;
}

Process program(Kernel& node) {
    constexpr unsigned kNumbers = kWarm + kRounds + 1;
    Wire to_delta{node};
    Wire to_successor{node};
    Wire to_prefix{node};
    Wire to_consumer{node};
    Status status = co_await par(node, prefix(node, to_prefix, to_delta, kNumbers),
                                 delta(node, to_delta, to_successor, to_consumer, kNumbers),
                                 successor(node, to_successor, to_prefix, kNumbers),
                                 count_numbers(node, to_consumer));
    std::array<Wire*, kChannels> wires{};
    for (Wire*& wire : wires)
        wire = node.make<Wire>(node);
    if (status == Status::ok && wires.back() != nullptr)
        status = co_await par(node, feed(node, *wires.back()),
                              choose(node, wires, std::make_index_sequence<kChannels>{}));
    if (status == Status::ok)
        status = co_await spawn_and_join(node);
    sums.ended = status == Status::ok;
    co_return status;
}

// The node ---------------------------------------------------------------------------------------

std::array<PacketBuffer, 48> buffers;
std::array<PortSlot, 48> slots;
std::array<Link, 1> links;
std::array<ProcessSlot, limits::kProcessesMax> processes;
std::array<Peer, 2> peers;
alignas(8) std::array<std::byte, 24576> arena_memory;

unsigned each(std::uint32_t sum, unsigned count) {
    return static_cast<unsigned>((sum + count / 2) / count);
}

} // namespace

int main() {
    target::Suite suite("instructions_processes");
    const bench::Counter counter;
    suite.claim("SysTick counts every instruction", counter.exact());
    static bench::Meter the_meter{counter};
    meter = &the_meter;
    static NodeCore node{{{Topology::cube, 1}, node_at(0)},
                         {buffers, slots, links, processes, peers, arena_memory, {}},
                         {4000},
                         {&target::discard, nullptr},
                         &program};
    target::begin(node);
    while (!sums.ended)
        node.run();
    const unsigned communication = each(sums.commstime, kRounds * kCommunications);
    printf("%-24s%8s%8s\n", "inside a node", "of", "instr.");
    printf("%-24s%8u%8u\n", "communication, processes", 4u, communication);
    printf("%-24s%8u%8u\n", "alt, channels", kChannels, each(sums.alternative, kRounds));
    printf("%-24s%8u%8u\n", "spawn and join", 1u, each(sums.spawn, kRounds));
    suite.claim("a communication keeps the limit", communication <= kLimit);
    return suite.end();
}
