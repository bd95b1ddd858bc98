// The library's calls for values, one kind a word of the command line. Each node compares what it
// gets with what it must be, on any network; the verdict is the run's.
// tests/mesh/diagnostics/test_manners.py has the words.
#include "meshputer.hpp"

#include <algorithm>
#include <ranges>

using namespace mesh;

namespace {

constexpr std::uint32_t kNodesMost = 64;
constexpr NodeId kFirst{0};
constexpr ChannelNumber kHere{3};

Status right(bool holds) { return holds ? Status::ok : Status::failed; }
NodeId next_to(const Kernel& node, std::uint32_t by) {
    return node_at((index(node.id()) + by) % node.nodes());
}
NodeId before(const Kernel& node) { return next_to(node, node.nodes() - 1); }

/// The last node greets node 0 while all gather; node 0 takes it by no tag and no source.
Process any_tag(Kernel& node) {
    std::array<unsigned, kNodesMost> all{};
    const std::array<std::uint32_t, kNodesMost> counts = [] {
        std::array<std::uint32_t, kNodesMost> ones{};
        ones.fill(1);
        return ones;
    }();
    const std::uint32_t me = index(node.id()), nodes = node.nodes();
    unsigned mine = me + 10, got = 0;
    Status status = Status::ok;
    Received hello{.source = next_to(node, 0)};
    if (me == nodes - 1) {
        co_await node.sleep(10 * wire::kTicksPerUnit);
        status = co_await send_value(node, mine, kFirst, 1);
    }
    if (me == 0) {
        hello = co_await receive_value(node, got);
        status = first_failure(hello.status, right(got == nodes + 9 && hello.tag == 1));
    }
    const Status gathered =
        co_await gatherv(node, std::span{&mine, 1}, Counts{counts}.first(nodes), std::span{all});
    for (std::uint32_t other = 0; me == 0 && other < nodes; ++other)
        status = first_failure(status, right(all[other] == other + 10));
    co_return first_failure(status, gathered);
}

/// Values of a channel and of a group come first, and stay for whom they are for.
Process any_tag_beside_channels(Kernel& node) {
    const std::uint32_t me = index(node.id());
    int value = 0;
    if (me == 1) {
        const ChannelOut<int> out{node, kFirst, kHere};
        co_return co_await out.write(70);
    }
    if (me == 2) {
        co_await node.sleep(50 * wire::kTicksPerUnit);
        co_return co_await send_value(node, 80, kFirst, kProgramTagMax);
    }
    if (me != 0)
        co_return Status::ok;
    co_await node.sleep(20 * wire::kTicksPerUnit); // the channel's writer waits already
    const ChannelIn<int> in{node, node_at(1), kHere};
    if (co_await alt(node, on_message(), on(in)) != 1 || probe(node))
        co_return Status::failed;
    const Received early = co_await receive_within(node, value, wire::kTicksPerUnit);
    const Received other = co_await receive_value(node, value);
    const bool first =
        early.status == Status::timed_out && value == 80 && other.source == node_at(2);
    const int of_channel = co_await in.read();
    co_return right(first && other.tag == kProgramTagMax && of_channel == 70);
}

struct Place {
    std::uint16_t row, column;
    bool operator==(const Place&) const = default;
};

Process values(Kernel& node) {
    const std::uint32_t me = index(node.id()), nodes = node.nodes();
    const NodeId root = node_at(nodes - 1);
    std::array<std::uint32_t, kNodesMost> all{}, out{}, in{};
    Status s = co_await gather_value(node, 3 * me, all, root);
    bool good = s == Status::ok;
    for (std::uint32_t other = 0; other < nodes && node.id() == root; ++other)
        good = good && all[other] == 3 * other;
    std::uint32_t mine = 0;
    s = co_await scatter_value(node, all, mine, root);
    good = good && s == Status::ok && mine == 3 * me;
    std::array<Place, kNodesMost> places{};
    const Place place{std::uint16_t(me), std::uint16_t(nodes - me)};
    s = co_await allgather_value(node, place, places);
    good = good && s == Status::ok;
    for (std::uint32_t other = 0; other < nodes; ++other) {
        out[other] = 100 * me + other;
        good = good && places[other].row == other && places[other].column == nodes - other;
    }
    s = co_await alltoall_value(node, std::span{out}.first(nodes), std::span{in}.first(nodes));
    good = good && s == Status::ok;
    for (std::uint32_t other = 0; other < nodes; ++other)
        good = good && in[other] == 100 * other + me;
    std::uint32_t sum = me, before_me = me;
    s = co_await scan_value(node, sum);
    const Status t = co_await exscan_value(node, before_me);
    good = good && first_failure(s, t) == Status::ok && sum == me * (me + 1) / 2 &&
           before_me == me * (me - std::min(me, std::uint32_t{1})) / 2;
    std::uint32_t from_left = 0;
    Received got = co_await sendrecv_value(node, me, next_to(node, 1), from_left, before(node), 4);
    good = good && got.status == Status::ok && from_left == index(before(node)) && got.tag == 4;
    got = co_await receive_within(node, from_left, 5, before(node), 4);
    co_return right(good && got.status == Status::timed_out);
}

/// Calls as they were written before: they compile, and mean the same.
Process former_order(Kernel& node) {
    const std::uint32_t me = index(node.id());
    const NodeId to = next_to(node, 1), from = before(node);
    std::uint32_t got = 0;
    const auto bytes = std::as_writable_bytes(std::span{&got, 1});
    Received r = co_await sendrecv_value(node, to, me, from, got, 1);
    bool good = r.status == Status::ok && got == index(from);
    r = co_await sendrecv(node, to, std::as_bytes(std::span{&me, 1}), from, bytes, 2);
    good = good && r.status == Status::ok && r.tag == 2;
    for (unsigned tag = 3; tag < 8; ++tag) {
        ProcessId sending;
        if (!node.spawn(send_value(node, to, me, Tag(tag)), sending))
            co_return Status::no_memory;
        got = 0;
        if (tag == 3)
            r = co_await receive_value(node, got, 3, from);
        if (tag == 4)
            r = co_await receive(node, bytes, 4, from);
        if (tag == 5)
            r = co_await receive_within(node, 1'000 * wire::kTicksPerUnit, bytes, 5, from);
        if (tag == 6) {
            co_await alt(node, on_message(6, from), on(message_match(6)));
            good = good && probe(node, 6, from);
            r = co_await receive_value(node, got, 6);
        }
        if (tag == 7) {
            Message message = co_await receive_message(node, 7, from);
            const Packet packet = co_await next(node, message);
            got = wire::load<std::uint32_t>(packet.payload(), 0);
            r = {.status = message.status(), .source = message.source(), .tag = message.tag()};
        }
        const Status sent = co_await node.join(sending);
        good = good && sent == Status::ok && r.status == Status::ok && got == index(from) &&
               r.tag == tag;
    }
    // A value that is a node is a value: of the new order.
    const NodeId mine = node.id();
    NodeId theirs{};
    r = co_await sendrecv_value(node, mine, to, theirs, from);
    co_return right(good && r.status == Status::ok && theirs == from);
}

Process channels(Kernel& node) {
    const std::uint32_t me = index(node.id());
    const ChannelOut<Place> out{node, kFirst, kHere};
    if (me != 0)
        co_return co_await out.write({std::uint16_t(me), 5});
    const auto in = from_any<Place>(node, kHere);
    std::uint32_t sum = 0;
    for (std::uint32_t count = 1; count < node.nodes(); ++count) {
        Place place{};
        const Received got = co_await in.read(place);
        if (got.status != Status::ok || got.source != node_at(place.row) || got.bytes != 4)
            co_return Status::failed;
        sum += place.row * place.column;
    }
    co_return right(sum == 5 * node.nodes() * (node.nodes() - 1) / 2);
}

/// Not commutative: appends digits, as many as the right one has.
struct Append {
    std::uint64_t base;
    std::uint64_t operator()(std::uint64_t left, std::uint64_t right) const {
        std::uint64_t shift = base;
        while (shift <= right)
            shift *= base;
        return left * shift + right;
    }
};

Process groups(Kernel& node) {
    const std::uint32_t me = index(node.id());
    std::array<NodeId, kNodesMost> room{};
    const std::uint32_t size = std::min(node.nodes(), std::uint32_t{7});
    const auto members = members_of(room, std::views::iota(0u, size) | std::views::reverse);
    const Group group{node, members, 9};
    if (!group.member())
        co_return Status::ok;
    const std::uint32_t rank = size - 1 - me;
    bool good = group.rank() == rank && group[rank] == node.id();
    for (std::uint32_t root = 0; root < size; ++root) {
        std::uint32_t value = 50 + rank;
        Status s = co_await group_broadcast(node, group, value, root);
        good = good && s == Status::ok && value == 50 + root;
        std::uint64_t digits = rank + 1;
        s = co_await group_reduce(node, group, digits, root, Append{10});
        std::uint64_t whole = 0;
        for (std::uint32_t digit = 1; digit <= size; ++digit)
            whole = 10 * whole + digit;
        good = good && s == Status::ok && (rank != root || digits == whole);
        std::array<std::uint32_t, 8> all{};
        s = co_await group_gather(node, group, rank * rank, all, root);
        for (std::uint32_t other = 0; other < size; ++other)
            good = good && s == Status::ok && (rank != root || all[other] == other * other);
    }
    std::uint64_t digits = rank + 1, upto = 0;
    Status s = co_await group_scan(node, group, digits, Append{10});
    for (std::uint32_t digit = 1; digit <= rank + 1; ++digit)
        upto = 10 * upto + digit;
    std::array<std::uint32_t, 8> all{};
    const Status t = co_await group_allgather(node, group, 7 * rank, all);
    good = good && first_failure(s, t) == Status::ok && digits == upto;
    for (std::uint32_t other = 0; other < size; ++other)
        good = good && all[other] == 7 * other;
    std::uint32_t greatest = rank;
    s = co_await group_allreduce<Upper>(node, group, greatest);
    const Status no_rank = co_await group_broadcast(node, group, greatest, size);
    const Group of_library{node, members, kBarrierTag};
    const Status no_tag = co_await group_barrier(node, of_library);
    co_return right(good && s == Status::ok && greatest == size - 1 &&
                    no_rank == Status::bad_argument && no_tag == Status::bad_argument);
}

Process gives(Kernel& node, Status verdict, unsigned& count) {
    ++count;
    co_await node.yield();
    co_return verdict;
}

Process processes(Kernel& node) {
    unsigned count = 0;
    const auto child = node.spawn(gives(node, Status::truncated, count));
    if (!child)
        co_return Status::no_memory;
    co_await node.yield();
    co_await node.yield();
    Status s = co_await node.join(child);
    bool good = s == Status::truncated && count == 1;
    std::array<ProcessId, 3> several;
    for (ProcessId& one : several)
        one = node.spawn(gives(node, Status::ok, count));
    for (const ProcessId one : several) {
        s = co_await node.join(one);
        good = good && s == Status::ok;
    }
    for (unsigned alone = 0; alone < 40; ++alone) { // each leaves its slot when it ends
        if (!node.spawn(gives(node, Status::ok, count)))
            co_return Status::no_memory;
        co_await node.yield();
        co_await node.yield();
    }
    const auto work = [&](unsigned number) {
        return gives(node, number == 5 ? Status::timed_out : Status::ok, count);
    };
    s = co_await par(node, std::views::iota(0u, 9u) | std::views::transform(work));
    good = good && s == Status::timed_out && count == 53;
    s = co_await par(node, std::views::iota(0u, 20u) | std::views::transform(work));
    co_return right(good && s == Status::timed_out);
}

/// Nobody joins a process that fails: so does the program, whether its object is there or not.
Process fails_alone(Kernel& node) {
    unsigned count = 0;
    {
        const auto child = node.spawn(gives(node, Status::truncated, count));
        co_await node.yield();
        co_await node.yield();
        if (!child)
            co_return Status::no_memory;
    }
    co_return Status::ok;
}

} // namespace

Process app_main(Kernel& node) {
    constexpr std::array<std::pair<std::string_view, Program>, 8> kinds{{
        {"any", any_tag},
        {"beside", any_tag_beside_channels},
        {"values", values},
        {"former", former_order},
        {"channels", channels},
        {"groups", groups},
        {"processes", processes},
        {"alone", fails_alone},
    }};
    for (const auto& [word, program] : kinds)
        if (word == node.arguments()[0])
            co_return co_await program(node);
    co_return Status::bad_argument;
}
