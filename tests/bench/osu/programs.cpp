// The programs that the point-to-point tables of `make osu` measure. The last line is the time that
// all rounds took, by the clock of node 0: ticks of model time in lockstep, else microseconds.
// Words: WHAT BYTES ROUNDS, of
//   latency    a message of BYTES from node 0 to node 1 and back
//   far        the same with the node farthest away, in links of the cube
//   bandwidth  a window of messages of BYTES to node 1, and a word back
//   alt        BYTES writers, and one reader that takes from whichever is first (a node alone)
//   ring       BYTES processes that hand a number round (a node alone)
#include "meshputer.hpp"

#include <array>
#include <charconv>
#include <new>
#include <utility>

namespace {

using namespace mesh;
using Wire = Channel<unsigned>;

constexpr unsigned kBytesMax = 1u << 16;
constexpr unsigned kWindow = 8; // messages under way
constexpr unsigned kWiresMax = 16;

std::array<std::byte, kBytesMax> data;

unsigned number(std::string_view word) {
    unsigned value = 0;
    std::from_chars(word.data(), word.data() + word.size(), value);
    return value;
}

Process bounce(Kernel& node, NodeId other, unsigned bytes, unsigned rounds, bool first) {
    const auto part = std::span(data).first(bytes);
    for (unsigned round = 0; round < 2 * rounds; ++round) {
        const bool sends = (round % 2 == 0) == first;
        Status status = Status::ok;
        if (sends)
            status = co_await send(node, other, {}, part);
        else
            status = (co_await receive(node, part, other)).status;
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}

Process stream(Kernel& node, NodeId other, unsigned bytes, unsigned rounds, bool first) {
    const auto part = std::span(data).first(bytes);
    std::array<ProcessId, kWindow> sending{};
    for (unsigned round = 0; round < rounds; ++round) {
        for (ProcessId& one : sending) {
            Received got;
            if (!first)
                got = co_await receive(node, part, other);
            else if (!node.spawn(send(node, other, {}, part), one))
                got.status = Status::no_memory;
            if (got.status != Status::ok)
                co_return got.status;
        }
        for (unsigned at = 0; first && at < kWindow; ++at)
            if (const Status status = co_await node.join(sending[at]); status != Status::ok)
                co_return status;
    }
    co_return Status::ok;
}

Process write_all(Kernel& node, Wire& wire, unsigned rounds) {
    static_cast<void>(node);
    for (unsigned round = 0; round < rounds; ++round)
        co_await wire.write(round);
    co_return Status::ok;
}

/// Takes all, each writer's numbers in their order.
Process take_all(Kernel& node, std::span<Wire* const> wires, unsigned rounds) {
    std::array<ChannelGuard<unsigned>, kWiresMax> guards{};
    std::array<unsigned, kWiresMax> next{};
    for (std::size_t at = 0; at < wires.size(); ++at)
        guards[at] = on(*wires[at]);
    const std::span<const ChannelGuard<unsigned>> all(guards.data(), wires.size());
    for (unsigned taken = 0; taken < rounds * wires.size(); ++taken) {
        const std::uint32_t which = co_await alt(node, all);
        if (co_await wires[which]->read() != next[which]++)
            co_return Status::failed;
    }
    co_return Status::ok;
}

Process hand_on(Kernel& node, Wire& in, Wire& out, unsigned rounds) {
    static_cast<void>(node);
    for (unsigned round = 0; round < rounds; ++round) {
        const unsigned value = co_await in.read();
        co_await out.write(value + 1);
    }
    co_return Status::ok;
}

Process go_round(Kernel& node, Wire& out, Wire& in, unsigned rounds) {
    static_cast<void>(node);
    unsigned value = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        co_await out.write(value);
        value = co_await in.read();
    }
    co_return Status::ok;
}

Process alone(Kernel& node, bool ring, unsigned count, unsigned rounds) {
    std::array<Wire*, kWiresMax> wires{};
    const auto used = std::span(wires).first(count);
    std::byte* room = node.workspace().data();
    for (Wire*& wire : used)
        wire = new (std::exchange(room, room + sizeof(Wire))) Wire(node);
    for (unsigned at = 0; at < count; ++at) {
        const bool last = at + 1 == count;
        if (!ring && !node.spawn(write_all(node, *wires[at], rounds)))
            co_return Status::no_memory;
        if (ring && !last && !node.spawn(hand_on(node, *wires[at], *wires[at + 1], rounds)))
            co_return Status::no_memory;
    }
    if (ring)
        co_return co_await go_round(node, *wires[0], *wires[count - 1], rounds);
    co_return co_await take_all(node, used, rounds);
}

} // namespace

Process app_main(Kernel& node) {
    if (node.arguments().size() != 3)
        co_return Status::bad_argument;
    const std::string_view what = node.arguments()[0];
    const unsigned size = number(node.arguments()[1]);
    const unsigned rounds = number(node.arguments()[2]);
    const bool local = what == "alt" || what == "ring";
    if (size > (local ? kWiresMax : kBytesMax) || (local && size < 2))
        co_return Status::bad_argument;
    const NodeId other = what == "far" ? node_at(node.nodes() - 1) : NodeId{1};
    const bool first = node.id() == NodeId{0};
    if (!first && (local || node.id() != other))
        co_return Status::ok;
    const std::uint64_t begin = node.lockstep() ? node.now() : node.deadline_in(0);
    const NodeId peer = first ? other : NodeId{0};
    Status status = Status::ok;
    if (local)
        status = co_await alone(node, what == "ring", size, rounds);
    else if (what == "bandwidth")
        status = co_await stream(node, peer, size, rounds, first);
    else
        status = co_await bounce(node, peer, size, rounds, first);
    if (first)
        print("{}\n",
              static_cast<unsigned>((node.lockstep() ? node.now() : node.deadline_in(0)) - begin));
    co_return status;
}
