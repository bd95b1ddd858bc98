// Eight kernels in one Cortex-M, a 3-cube with cables in memory: random packets from all to all and
// broadcasts from all roots at once, in the smallest pools for which forwarding cannot deadlock.
#include "kernel/node/node_core.hpp"
#include "kernel/node/node_memory.hpp"
#include "meshputer.hpp"
#include "ops/traffic.hpp"
#include "tests/kernel/host_message.hpp"
#include "tests/target/suite.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <optional>

using namespace mesh;

namespace {

constexpr Network kCube{Topology::cube, 3};
constexpr std::uint32_t kNodes = 8;
constexpr unsigned kPorts = 3;
constexpr std::uint32_t kShots = 60; // packets that each node starts; every sixth is a broadcast
// Longest path (hp) + 1, the own two of the node, and the places of offers, and the overflow slot.
constexpr std::size_t kBuffers = 7 + 1 + 2 + 4;
static_assert(kBuffers == 7 + 1 + 2 + limits::offers_max(kBuffers) + 1);
constexpr std::size_t kPayload = 24;

constexpr NodeSizes kSizes{
    .ports = kPorts, .buffers = kBuffers, .processes = 4, .nodes = kNodes, .arena_bytes = 4096};
[[gnu::section(".noinit")]] std::array<NodeMemory<kSizes>, kNodes> memories;

/// The results that the program of each node leaves for the test.
struct Outcome {
    bool ended = false;
    unsigned got = 0;
    unsigned wrong = 0;
};
std::array<Outcome, kNodes> outcome;

bool is_broadcast(std::uint32_t number) { return number % 6 == 5; }

Rule rule_of(std::uint32_t number) {
    constexpr std::array<Rule, 3> kTrees{Rule::sbt, Rule::bs, Rule::hp};
    return is_broadcast(number) ? kTrees[number / 6 % 3] : Rule::unicast;
}

NodeId target_of(NodeId source, std::uint32_t number) {
    return traffic_target(kNodes, 1, source, number);
}

unsigned wanted(NodeId self) {
    unsigned count = 0;
    for (std::uint32_t source = 0; source < kNodes; ++source)
        for (std::uint32_t number = 0; number < kShots; ++number)
            if (node_at(source) != self &&
                (is_broadcast(number) || target_of(node_at(source), number) == self))
                ++count;
    return count;
}

std::byte payload_byte(NodeId source, std::uint32_t number, std::size_t at) {
    return static_cast<std::byte>(
        traffic_byte(traffic_stream(1, source, number), static_cast<std::uint32_t>(at)));
}

Process shoot(Kernel& node) {
    for (std::uint32_t number = 0; number < kShots; ++number) {
        OutgoingPacket packet = co_await node.allocate(rule_of(number));
        if (!is_broadcast(number))
            packet.header().destination = target_of(node.id(), number);
        packet.header().position = number;
        const auto payload = packet.resize(kPayload);
        for (std::size_t at = 0; at < kPayload; ++at)
            payload[at] = payload_byte(node.id(), number, at);
        node.inject(std::move(packet));
    }
    co_return Status::ok;
}

bool right(Packet& packet) {
    const wire::PacketHeader& header = packet.header();
    if (packet.payload().size() != kPayload || header.position >= kShots ||
        header.rule != rule_of(header.position))
        return false;
    for (std::size_t at = 0; at < kPayload; ++at)
        if (packet.payload()[at] != payload_byte(header.source, header.position, at))
            return false;
    return true;
}

Process program(Kernel& node) {
    Outcome& mine = outcome[index(node.id())];
    ProcessId shooter;
    if (!node.spawn(shoot(node), shooter))
        co_return Status::no_memory;
    for (unsigned left = wanted(node.id()); left != 0; --left) {
        Packet packet = co_await node.receive({});
        ++mine.got;
        mine.wrong += right(packet) ? 0 : 1;
    }
    mine.ended = co_await node.join(shooter) == Status::ok;
    co_return Status::ok;
}

void discard(void*, const wire::LinkHeader&, std::span<const std::byte>) {}

struct Station {
    explicit Station(std::uint32_t id)
        : node({kCube, node_at(id)}, memories[id].for_node(), {4000}, {&discard, nullptr},
               &program),
          receiving(node.lend()) {}

    void take(Port port, std::span<const std::byte> frame) {
        const auto head = wire::load<wire::Head>(frame, 0);
        const auto packet = frame.subspan(wire::kHeadBytes);
        std::ranges::copy(packet, receiving->bytes.begin());
        if (node.on_frame(port, head, frame.size(), receiving))
            receiving = node.lend();
        node.run();
    }
    NodeCore node;
    PacketBuffer* receiving;
};
std::array<std::optional<Station>, kNodes> stations;

/// A frame on its way. All cables share one queue; what does not fit is lost.
struct Flying {
    std::uint8_t to;
    Port port;
    std::uint8_t bytes;
    std::array<std::byte, wire::kHeadBytes + wire::kPacketHeaderBytes + kPayload> frame;
};
[[gnu::section(".noinit")]] std::array<Flying, 256> flying;
std::size_t first = 0, count = 0;
unsigned frames = 0;

bool put(std::uint32_t from, unsigned lose_every) {
    wire::LinkHeader header;
    PacketBuffer* packet = nullptr;
    if (!stations[from]->node.next_frame(header, packet))
        return false;
    ++frames;
    if (count == flying.size() || (lose_every != 0 && frames % lose_every == 0))
        return true;
    Flying& slot = flying[(first + count++) % flying.size()];
    const NodeId to = neighbor(kCube, node_at(from), header.port);
    slot.to = static_cast<std::uint8_t>(index(to));
    slot.port = header.port;
    wire::write_head(header, {}, std::span{slot.frame}.first<wire::kHeadBytes>());
    const std::span<const std::byte> bytes =
        packet != nullptr ? packet->packet() : std::span<std::byte>{};
    std::ranges::copy(bytes, slot.frame.begin() + wire::kHeadBytes);
    slot.bytes = static_cast<std::uint8_t>(wire::kHeadBytes + bytes.size());
    return true;
}

void tell(Station& station, wire::HostTag tag, std::span<const std::byte> payload) {
    std::array<std::byte, wire::kHeadBytes + wire::kPacketHeaderBytes + sizeof(wire::Job)> room{};
    const auto [link, packet] =
        test::host_message(std::span{room}.subspan(wire::kHeadBytes), tag, payload);
    wire::write_head(link, {}, std::span{room}.first<wire::kHeadBytes>());
    station.take(kHostPort, std::span{room}.first(wire::kHeadBytes + packet.size()));
}

// Moves every frame that there is; true if there was any.
bool move_frames(unsigned lose_every) {
    bool any = false;
    for (std::uint32_t id = 0; id < kNodes; ++id)
        while (put(id, lose_every))
            any = true;
    while (count != 0) {
        const Flying frame = flying[first];
        first = (first + 1) % flying.size();
        --count;
        stations[frame.to]->take(frame.port, std::span{frame.frame}.first(frame.bytes));
        any = true;
    }
    return any;
}

bool all_ended() {
    return std::ranges::all_of(outcome, [](const Outcome& one) { return one.ended; });
}

std::uint32_t total(Counter counter) {
    std::uint32_t sum = 0;
    for (auto& station : stations)
        sum += station->node.kernel().counters()[counter];
    return sum;
}

void run(unsigned lose_every, target::Suite& suite) {
    outcome = {};
    frames = 0;
    wire::Job job;
    job.op = wire::Op::app;
    for (std::uint32_t id = 0; id < kNodes; ++id)
        stations[id].emplace(id);
    for (auto& station : stations) {
        station->node.boot();
        tell(*station, wire::HostTag::job, wire::bytes_of(job));
        tell(*station, wire::HostTag::start, {});
    }
    std::uint64_t now_us = 0;
    for (unsigned turn = 0; turn < 20'000 && !all_ended(); ++turn) {
        if (move_frames(lose_every))
            continue;
        now_us += 2000;
        for (auto& station : stations) {
            station->node.set_clock(now_us);
            station->node.rest();
            station->node.run();
        }
    }
    unsigned missing = 0, wrong = 0;
    for (std::uint32_t id = 0; id < kNodes; ++id) {
        missing += wanted(node_at(id)) - outcome[id].got;
        wrong += outcome[id].wrong;
    }
    printf("lose every %u: %u frames, %u refused\n", lose_every, frames,
           static_cast<unsigned>(total(Counter::drop_no_buffer)));
    suite.claim("every program ends", all_ended());
    suite.claim("no packet is missing", missing == 0);
    suite.claim("no packet is wrong or was meant for another", wrong == 0);
    suite.claim("the pools were full", total(Counter::drop_no_buffer) > 100);
    suite.claim("what was refused was kept", total(Counter::refusals) > 100);
    suite.claim("no link is dead", total(Counter::links_dead) == 0);
    const bool repeated = total(Counter::retransmissions) != 0;
    suite.claim("losses are made good", repeated == (lose_every != 0));
}

} // namespace

int main() {
    target::Suite suite("mesh");
    suite.claim("the trees are linked",
                tree_rules(Topology::cube).height({Topology::cube, 3}, Rule::hp) == 7);
    run(0, suite);
    run(11, suite);
    return suite.end();
}
