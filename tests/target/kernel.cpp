// Two kernels in one Cortex-M, joined by a cable in memory: processes, channels, messages and links
// as the target's compiler made them.
#include "kernel/node/node_core.hpp"
#include "kernel/node/node_memory.hpp"
#include "meshputer.hpp"
#include "tests/kernel/host_message.hpp"
#include "tests/target/suite.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

using namespace mesh;

namespace {

constexpr std::size_t kBuffers = 24;
constexpr std::size_t kMessageBytes = 20'000;
constexpr Network kPair{Topology::cube, 1};

constexpr NodeSizes kSizes{
    .ports = 1, .buffers = kBuffers, .processes = 4, .nodes = 2, .arena_bytes = 16384};
[[gnu::section(".noinit")]] std::array<NodeMemory<kSizes>, 2> memories;

/// The faults of frames on the cable.
struct Cable {
    unsigned lose_every = 0; // 0: never
    unsigned break_every = 0;
    unsigned frames = 0;
};

/// The results that the programs of both nodes leave for the test.
struct Outcome {
    std::array<bool, 2> ended{};
    std::array<Status, 2> status{};
    std::uint32_t crc = 0;
    std::uint32_t bytes = 0;
    unsigned rendezvous = 0;
};
Outcome outcome;

std::byte pattern(std::size_t at) { return static_cast<std::byte>(at * 31 + at / 256); }

Process writer(Kernel& kernel, Channel<std::uint32_t>& channel) {
    static_cast<void>(kernel);
    for (std::uint32_t value = 1; value <= 100; ++value)
        co_await channel.write(value);
    co_return Status::ok;
}

/// A channel inside the node: 100 values, each taken before the next is offered.
Task<Status> meet(Kernel& kernel) {
    Channel<std::uint32_t> channel(kernel);
    ProcessId id;
    if (!kernel.spawn(writer(kernel, channel), id))
        co_return Status::no_memory;
    for (std::uint32_t value = 1; value <= 100; ++value)
        outcome.rendezvous += co_await channel.read() == value ? 1 : 0;
    co_return co_await kernel.join(id);
}

Process program(Kernel& kernel) {
    static std::array<std::array<std::byte, kMessageBytes>, 2> memory;
    const unsigned self = index(kernel.id());
    std::array<std::byte, kMessageBytes>& data = memory[self];
    Status status = co_await meet(kernel);
    if (self == 0) {
        for (std::size_t at = 0; at < data.size(); ++at)
            data[at] = pattern(at);
        status = co_await send(kernel, node_at(1), {.tag = 5, .packet_bytes = 300}, data);
    } else {
        const Received got = co_await receive(kernel, data, kAnySource, 5);
        outcome.bytes = got.bytes;
        outcome.crc = wire::crc32(data);
        status = got.status;
    }
    outcome.ended[self] = true;
    outcome.status[self] = status;
    co_return status;
}

void discard(void*, const wire::LinkHeader&, std::span<const std::byte>) {}

/// One end: a kernel and the buffer that its next frame comes into.
struct End {
    explicit End(unsigned number)
        : node({kPair, node_at(number)}, memories[number].for_node(), {8192}, {&discard, nullptr},
               &program),
          receiving(node.lend()) {}

    void take(Port port, const wire::LinkHeader& header, std::span<const std::byte> packet,
              bool broken) {
        wire::Head head{.cable_to = {}, .cable_from = {}, .link = header, .link_crc = 0};
        wire::seal_head(head, {});
        if (broken)
            head.link.sequence ^= 1;
        std::ranges::copy(packet, receiving->bytes.begin());
        if (node.on_frame(port, head, wire::kHeadBytes + packet.size(), receiving))
            receiving = node.lend();
    }

    NodeCore node;
    PacketBuffer* receiving;
};

void tell(End& end, wire::HostTag tag, std::span<const std::byte> payload) {
    std::array<std::byte, wire::kPacketHeaderBytes + sizeof(wire::Job)> room{};
    const auto [link, packet] = test::host_message(room, tag, payload);
    end.take(kHostPort, link, packet, false);
}

/// Carries what `from` sends to `to`. True if there was anything.
bool carry(End& from, End& to, Cable& cable) {
    wire::LinkHeader header;
    PacketBuffer* packet = nullptr;
    bool any = false;
    from.node.run();
    while (from.node.next_frame(header, packet)) {
        any = true;
        ++cable.frames;
        const auto hits = [&](unsigned every) { return every != 0 && cable.frames % every == 0; };
        const std::span<const std::byte> bytes =
            packet != nullptr ? packet->packet() : std::span<std::byte>{};
        if (!hits(cable.lose_every))
            to.take(port_at(0), header, bytes, hits(cable.break_every));
        to.node.run();
    }
    return any;
}

/// Boots both ends, runs the program on both and lets time pass whenever nothing moves.
void run(Cable cable, target::Suite& suite, const char* name) {
    outcome = {};
    End left(0), right(1);
    wire::Job job;
    job.op = wire::Op::app;
    left.node.boot();
    right.node.boot();
    for (End* end : {&left, &right}) {
        tell(*end, wire::HostTag::job, wire::bytes_of(job));
        tell(*end, wire::HostTag::start, {});
    }
    std::uint64_t now_us = 0;
    for (unsigned round = 0; round < 100'000 && !(outcome.ended[0] && outcome.ended[1]); ++round) {
        const bool sent = carry(left, right, cable);
        if (carry(right, left, cable) || sent)
            continue;
        now_us += 1000;
        for (End* end : {&left, &right}) {
            end->node.set_clock(now_us);
            end->node.rest();
        }
    }
    std::array<std::byte, 256> part{};
    std::uint32_t crc = 0;
    for (std::size_t at = 0; at < kMessageBytes; at += part.size()) {
        const std::size_t bytes = std::min(part.size(), kMessageBytes - at);
        for (std::size_t i = 0; i < bytes; ++i)
            part[i] = pattern(at + i);
        crc = wire::crc32(std::span{part}.first(bytes), crc);
    }
    printf("%s: %u frames\n", name, cable.frames);
    suite.claim("both programs end", outcome.ended[0] && outcome.ended[1]);
    suite.claim("both programs end well",
                outcome.status[0] == Status::ok && outcome.status[1] == Status::ok);
    suite.claim("a channel hands over every value in both nodes", outcome.rendezvous == 200);
    suite.claim("the message arrives whole", outcome.bytes == kMessageBytes);
    suite.claim("the message arrives as it was", outcome.crc == crc);
    const bool noisy = cable.lose_every != 0;
    Counters& sent = left.node.kernel().counters();
    Counters& got = right.node.kernel().counters();
    suite.claim("what was lost was sent again", (sent[Counter::retransmissions] != 0) == noisy);
    suite.claim("what was broken was dropped", (got[Counter::drop_crc] != 0) == noisy);
}

} // namespace

int main() {
    target::Suite suite("kernel");
    run({}, suite, "quiet cable");
    run({.lose_every = 7, .break_every = 5}, suite, "noisy cable");
    return suite.end();
}
