// The kernel's parts one by one, as the target's compiler made them: checksums, frames, pool,
// arena, model clock, processes and alternatives.
#include "meshputer.hpp"
#include "tests/target/lone_node.hpp"
#include "tests/target/suite.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <algorithm>
#include <array>
#include <cstring>

using namespace mesh;

namespace {

constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;

// Checksums and frames ----------------------------------------------------------------------------

std::uint32_t divided(std::span<const std::byte> bytes) {
    std::uint32_t value = 0xFFFF'FFFF;
    for (const std::byte byte : bytes) {
        value ^= std::to_integer<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1u) != 0 ? 0xEDB8'8320u : 0u);
    }
    return ~value;
}

bool checksum_is_its_definition() {
    alignas(4) std::array<std::byte, 80> bytes{};
    for (std::size_t at = 0; at < bytes.size(); ++at)
        bytes[at] = static_cast<std::byte>(at * 73 + 11);
    for (std::size_t from = 0; from < 8; ++from)
        for (std::size_t size = 0; size + from <= bytes.size(); ++size) {
            const auto part = std::span<const std::byte>{bytes}.subspan(from, size);
            if (wire::crc32(part) != divided(part))
                return false;
        }
    return true;
}

bool every_wrong_bit_is_noticed() {
    alignas(4) std::array<std::byte, wire::kHeadBytes> frame{};
    wire::write_head({.kind = wire::Kind::data,
                      .port = port_at(3),
                      .sequence = 0xFFFE,
                      .refused = 0x8000'0001,
                      .model_time = 0x0123'4567'89AB'CDEF,
                      .hops = 5},
                     {}, frame);
    wire::LinkHeader got;
    if (wire::read_head(frame, frame.size(), got) != wire::Parse::ok ||
        got.model_time != 0x0123'4567'89AB'CDEF || got.refused != 0x8000'0001)
        return false;
    for (std::size_t bit = 8 * wire::kCableBytes; bit < 8 * frame.size(); ++bit) {
        frame[bit / 8] ^= std::byte{1} << (bit % 8);
        if (wire::read_head(frame, frame.size(), got) == wire::Parse::ok)
            return false;
        frame[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    return wire::read_head(frame, frame.size(), got) == wire::Parse::ok;
}

// Memory ------------------------------------------------------------------------------------------

constexpr std::size_t kBuffers = 12;
[[gnu::section(".noinit")]] std::array<PacketBuffer, kBuffers> buffers;
[[gnu::section(".noinit")]] std::array<PortSlot, kBuffers> slots;
[[gnu::section(".noinit")]] alignas(8) std::array<std::byte, 16 * 1024> arena_memory;
std::array<Link, 1> links;
std::array<ProcessSlot, limits::kProcessesMax> processes;
std::array<Peer, 2> peers; // of the whole cube

bool pool_gives_each_buffer_once() {
    PacketPool pool{buffers, slots, 1};
    std::array<PacketBuffer*, kBuffers> given{};
    for (PacketBuffer*& buffer : given)
        buffer = pool.allocate();
    const bool exhausted = pool.allocate() == nullptr && pool.free() == 0;
    std::ranges::sort(given);
    const bool distinct = std::ranges::adjacent_find(given) == given.end() && given[0] != nullptr;
    pool.share(given[3]);
    pool.release(given[3]);
    const bool shared = pool.free() == 0;
    pool.release(given[3]);
    return exhausted && distinct && shared && pool.free() == 1 && pool.allocate() == given[3];
}

bool arena_reuses_what_comes_back() {
    Arena arena{arena_memory};
    std::array<void*, 10> blocks{};
    std::size_t high = 0;
    for (unsigned turn = 0; turn < 5; ++turn) {
        for (std::size_t at = 0; at < blocks.size(); ++at) {
            blocks[at] = arena.allocate(40 + 60 * at);
            if (blocks[at] == nullptr || reinterpret_cast<std::uintptr_t>(blocks[at]) % 8 != 0)
                return false;
        }
        if (turn != 0 && arena.high_water_bytes() != high)
            return false;
        high = arena.high_water_bytes();
        for (void* block : blocks)
            Arena::release(block);
    }
    return arena.allocate(Arena::kBlockBytesMax) == nullptr;
}

bool half_duplex_ports_take_turns() {
    ModelClock clock;
    clock.configure(PortModel::half, kUnit, 10);
    wire::ModelTime busy = 0;
    return clock.send(0, busy, clock.duration(100)) == kUnit + 1000 &&
           clock.receive(kUnit, kUnit) == 2 * kUnit + 1000 &&
           clock.send(0, busy, kUnit) == 3 * kUnit + 1000;
}

// Processes ---------------------------------------------------------------------------------------

struct Story {
    unsigned spawned = 0;
    bool too_deep_is_no_memory = false;
    bool timer_came_second = false;
    bool late_value_came = false;
    wire::ModelTime end = 0;
    bool ended = false;
};
Story story;

Process waits(Kernel& node, const bool& stop) {
    co_await node.wait_until([&stop] { return stop; });
    co_return Status::ok;
}

Task<Status> deeper(Kernel& node, unsigned levels) {
    if (levels == 0)
        co_return Status::ok;
    const Status status = co_await deeper(node, levels - 1);
    co_return status;
}

Process writes_late(Kernel& node, Channel<unsigned>& channel) {
    co_await node.sleep(30 * kUnit);
    co_await channel.write(77);
    co_return Status::ok;
}

Process program(Kernel& node) {
    bool stop = false;
    ProcessId id;
    while (node.spawn(waits(node, stop)))
        ++story.spawned;
    stop = true;
    co_await node.yield();
    Channel<unsigned> channel{node};
    if (!node.spawn(writes_late(node, channel), id))
        co_return Status::no_memory;
    story.timer_came_second = co_await alt(node, on(channel), after(node, 10 * kUnit)) == 1;
    const auto which = co_await alt(node, on(channel), after(node, 100 * kUnit));
    const unsigned value = co_await channel.read();
    story.late_value_came = which == 0 && value == 77;
    std::ignore = co_await node.join(id);
    story.end = node.now();
    // Last, since memory that it takes from the arena serves nothing of another size any more.
    const Status deep = co_await deeper(node, 1000);
    story.too_deep_is_no_memory = deep == Status::no_memory;
    story.ended = true;
    co_return Status::ok;
}

void run_processes(target::Suite& suite) {
    static NodeCore node{{{Topology::cube, 1}, node_at(0)},
                         {buffers, slots, links, processes, peers, arena_memory, {}},
                         {4000},
                         {&target::discard, nullptr},
                         &program};
    target::begin(node);
    for (std::uint64_t now_us = 0; now_us < 1'000'000 && !story.ended; now_us += 1000) {
        node.set_clock(now_us);
        node.rest();
        node.run();
    }
    suite.claim("the program ends", story.ended);
    suite.claim("as many processes live as the limit says",
                story.spawned == limits::kProcessesMax - 1);
    suite.claim("a call that the arena cannot hold gives no_memory", story.too_deep_is_no_memory);
    suite.claim("an alternative ends by its timer", story.timer_came_second);
    suite.claim("an alternative ends by its channel", story.late_value_came);
    suite.claim("the model clock is that of the later one", story.end == 30 * kUnit);
}

} // namespace

int main() {
    target::Suite suite("parts");
    suite.claim("the checksum is its definition", checksum_is_its_definition());
    suite.claim("every wrong bit of a link header is noticed", every_wrong_bit_is_noticed());
    suite.claim("the pool gives each buffer once", pool_gives_each_buffer_once());
    suite.claim("the arena uses again what came back", arena_reuses_what_comes_back());
    suite.claim("half-duplex ports take turns", half_duplex_ports_take_turns());
    run_processes(suite);
    return suite.end();
}
