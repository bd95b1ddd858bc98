// Instructions of small messages at one of their ends, over the kernel in C++ and over MPI: a node
// sends some bytes to its neighbour, and receives them from there again. All that it does for both
// messages is counted, checksums, acknowledgements and, of MPI, matching and the switch of stacks
// included. Not the driver, which has as much to do for both but for the 24 bytes of an envelope:
// the cable is memory.
//
// The neighbour is a program in C++ that sends each message back as it came.
#include "kernel/node/node_core.hpp"
#include "kernel/node/node_memory.hpp"
#include "meshputer.hpp"
#include "mpi/engine/envelope.hpp"
#include "mpi/mpi.h"
#include "tests/bench/instructions/counter.hpp"
#include "tests/kernel/host_message.hpp"
#include "tests/target/suite.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

mesh::Process app_main(mesh::Kernel& node); // of fiber/: calls mesh_main()

using namespace mesh;

namespace {

constexpr Network kPair{Topology::cube, 1};
constexpr unsigned kWarm = 10, kRounds = 100;
constexpr Tag kTag = 1; // as of the envelopes of MPI
constexpr std::array<unsigned, 3> kSizes{4, 64, 512};
constexpr std::size_t kRoomBytes = 1024;
/// MPI's share for the smallest size, in percent of C++: what a compiler may add to the 134 of
/// README.md, which says why it is no less.
constexpr unsigned kShareLimit = 137;

constexpr NodeSizes kNodeSizes{.ports = 1,
                               .buffers = 24,
                               .processes = 8,
                               .nodes = 2,
                               .arena_bytes = 12 << 10,
                               .workspace_bytes = 64 << 10};
[[gnu::section(".noinit")]] std::array<NodeMemory<kNodeSizes>, 2> memories;
alignas(8) std::array<std::byte, kRoomBytes> data;
alignas(8) std::array<std::byte, kRoomBytes> echoed;

[[gnu::used]] void (*const of_the_suite)() = &console_flush; // fiber/ calls it, too

using Costs = std::array<std::uint32_t, kSizes.size()>;
bench::Meter* meter = nullptr;
Costs costs;
bool has_ended = false;

/// Lets the first rounds pass, then measures to the end.
void count_round(unsigned round, std::size_t size) {
    if (round != kWarm && round != kWarm + kRounds)
        return;
    meter->pause();
    costs[size] = meter->instructions();
    meter->clear();
    meter->resume();
    has_ended = size + 1 == kSizes.size() && round != kWarm;
}

Process in_cpp(Kernel& node) {
    for (std::size_t size = 0; size < kSizes.size(); ++size) {
        const auto part = std::span(data).first(kSizes[size]);
        for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
            count_round(round, size);
            std::ignore = co_await send(node, node_at(1), {.tag = kTag}, part);
            std::ignore = co_await receive(node, part, node_at(1), kTag);
        }
    }
    co_return Status::ok;
}

/// `kOfMpi`: the messages have envelopes, and come back as those of the other rank.
template <bool kOfMpi>
Process echo(Kernel& node) {
    for (;;) {
        const Received got = co_await receive(node, echoed, node_at(0), kTag);
        if constexpr (kOfMpi) {
            const int source = 1;
            std::memcpy(&echoed[offsetof(mpi::Envelope, source)], &source, sizeof source);
        }
        std::ignore =
            co_await send(node, node_at(0), {.tag = kTag}, std::span(echoed).first(got.bytes));
    }
}

// The nodes --------------------------------------------------------------------------------------

struct Station {
    Station(std::uint32_t id, Program program)
        : node({kPair, node_at(id)}, memories[id].for_node(), {4000},
               {[](void*, const wire::LinkHeader&, std::span<const std::byte>) {}, nullptr},
               program),
          receiving(node.lend()) {}

    void take(const wire::LinkHeader& header, std::span<const std::byte> packet) {
        wire::Head head{.cable_to = {}, .cable_from = {}, .link = header, .link_crc = 0};
        wire::seal_head(head, {});
        std::ranges::copy(packet, receiving->bytes.begin());
        const std::size_t frame_bytes = wire::kHeadBytes + packet.size();
        if (node.on_frame(header.port, head, frame_bytes, receiving))
            receiving = node.lend();
        node.run();
    }
    void tell(wire::HostTag tag, std::span<const std::byte> payload) {
        std::array<std::byte, wire::kPacketHeaderBytes + sizeof(wire::Job)> room{};
        const auto [link, packet] = test::host_message(room, tag, payload);
        take(link, packet);
    }
    void rest(std::uint64_t now_us) {
        node.set_clock(now_us);
        node.rest();
        node.run();
    }

    NodeCore node;
    PacketBuffer* receiving;
};
std::array<std::optional<Station>, 2> stations;

/// Lets the meter run while it lives, if it is the first node that works.
class Counted {
public:
    explicit Counted(std::size_t station) : runs_(station == 0) {
        if (runs_)
            meter->resume();
    }
    ~Counted() {
        if (runs_)
            meter->pause();
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    bool runs_;
};

/// Moves a frame; false: the station has none.
bool move_frame(std::size_t from) {
    wire::LinkHeader header;
    PacketBuffer* packet = nullptr;
    {
        const Counted counted(from);
        if (!stations[from]->node.next_frame(header, packet))
            return false;
    }
    const Counted counted(1 - from);
    stations[1 - from]->take(header, packet != nullptr ? packet->packet() : std::span<std::byte>{});
    return true;
}

Costs run(Program measured, Program other) {
    has_ended = false;
    meter->clear();
    stations[0].emplace(0, measured);
    stations[1].emplace(1, other);
    for (std::size_t at = 0; at < stations.size(); ++at) {
        const Counted counted(at);
        Station& station = *stations[at];
        station.node.boot();
        station.tell(wire::HostTag::job, wire::bytes_of(wire::Job{.op = wire::Op::app}));
        station.tell(wire::HostTag::start, {});
    }
    std::uint64_t now_us = 0;
    for (unsigned turn = 0; turn < 100'000 && !has_ended; ++turn) {
        if (move_frame(0) || move_frame(1))
            continue;
        now_us += 100;
        for (std::size_t at = 0; at < stations.size(); ++at) {
            const Counted counted(at);
            stations[at]->rest(now_us);
        }
    }
    return costs;
}

} // namespace

extern "C" int mesh_main(int, char**, char**) {
    MPI_Init(nullptr, nullptr);
    for (std::size_t size = 0; size < kSizes.size(); ++size)
        for (unsigned round = 0; round <= kWarm + kRounds; ++round) {
            count_round(round, size);
            const int bytes = static_cast<int>(kSizes[size]);
            MPI_Send(data.data(), bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
            MPI_Recv(data.data(), bytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    MPI_Finalize(); // never ends: the neighbour is no rank
    return 0;
}

int main() {
    target::Suite suite("messages");
    const bench::Counter counter;
    suite.claim("SysTick costs every instruction", counter.exact());
    static bench::Meter the_meter{counter};
    meter = &the_meter;
    const Costs cpp = run(&in_cpp, &echo<false>);
    suite.claim("the program in C++ ends", has_ended);
    const Costs over_mpi = run(&app_main, &echo<true>);
    suite.claim("the program over MPI ends", has_ended);
    printf("%-24s%8s%8s%8s\n", "to a neighbour and back", "bytes", "C++", "MPI");
    for (std::size_t at = 0; at < kSizes.size(); ++at)
        printf("%-24s%8u%8u%8u\n", "two messages", kSizes[at],
               static_cast<unsigned>(cpp[at] / kRounds),
               static_cast<unsigned>(over_mpi[at] / kRounds));
    suite.claim("a small message over MPI keeps its share",
                over_mpi[0] * 100 <= cpp[0] * kShareLimit);
    return suite.end();
}
