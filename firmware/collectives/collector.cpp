#include "collectives/collector.hpp"

#include "collectives/await.hpp"
#include "collectives/call.hpp"
#include "collectives/paths.hpp"
#include "core/bits.hpp"

#include <algorithm>

namespace mesh {

namespace {
constexpr std::byte kGone{2}; // the mark of a packet that nobody waits for any more
}

Collector::Collector(NodeId self, const Cutting& cutting, std::span<std::byte> places,
                     std::span<std::byte> marks, Arrivals& arrivals)
    : self_(self),
      cutting_(cutting),
      places_(places),
      marks_(marks),
      arrivals_(arrivals) {}

std::span<std::byte> Collector::place_of(NodeId node, std::uint32_t packet) const {
    const std::size_t begin = std::size_t{index(node)} * cutting_.total_bytes;
    return places_.subspan(begin + std::size_t{packet} * cutting_.packet_bytes,
                           cutting_.bytes_of(packet));
}

bool Collector::take(NodeId from, NodeId place, const Packet& packet) {
    const std::uint32_t packets = cutting_.packets();
    const std::uint32_t number = packet.header().message;
    const std::size_t nodes = marks_.size() / packets;
    if (from == self_ || index(from) >= nodes || number >= packets ||
        packet.payload().size() != cutting_.bytes_of(number))
        return false;
    const std::size_t first = std::size_t{index(from)} * packets;
    ++arrivals_.copies;
    const std::span<std::byte> room = place_of(place, number);
    if (marks_[first + number] == kGone)
        return true;
    if (marks_[first + number] != std::byte{0}) {
        if (!std::equal(room.begin(), room.end(), packet.payload().begin()))
            ++arrivals_.disputed;
        return true;
    }
    marks_[first + number] = std::byte{1};
    std::copy(packet.payload().begin(), packet.payload().end(), room.begin());
    // Packets come more or less in order, so one that is missing is looked for behind this one.
    const auto block = marks_.subspan(first, packets);
    const auto here = block.begin() + number;
    if (std::find(here, block.end(), std::byte{0}) != block.end() ||
        std::find(block.begin(), here, std::byte{0}) != here)
        return true;
    ++arrivals_.blocks;
    if (arrivals_.on_block != nullptr)
        arrivals_.on_block(arrivals_.context, from,
                           places_.subspan(std::size_t{index(place)} * cutting_.total_bytes,
                                           cutting_.total_bytes));
    return true;
}

Process collect(Kernel& kernel, Collector collector, CallLabel label, bool to_self) {
    const Match any = label.match();
    while (!collector.finished()) {
        const Arrivals& arrivals = collector.arrivals(); // the caller's until the next call begins
        const auto is_over = [&kernel, &arrivals, label] {
            return !kernel.calls().is_last(label) || arrivals.given_up;
        };
        co_await kernel.wait_until(
            [&kernel, is_over, any] { return is_over() || kernel.has(any); });
        if (is_over())
            break;
        Packet packet = kernel.take(any);
        const NodeId from = packet.header().source;
        static_cast<void>(collector.take(from, to_self ? kernel.id() : from, packet));
        collector.arrivals().last_at = kernel.now();
    }
    co_return Status::ok;
}

namespace {

// The trees, from 0, over which packet `number` of `from` comes to this node.
std::uint32_t trees_from(const Kernel& kernel, const PersonalPlan& plan, Exchange what, NodeId from,
                         std::uint32_t number) {
    const Network network = kernel.network();
    if (network.topology == Topology::cube)
        return 1;
    const bool inward = what == Exchange::gather;
    const NodeId root = inward ? kernel.id() : from;
    const PathChoice<NetworkPaths> choice{{network, plan.tree, root, inward}, plan.copies};
    if (what != Exchange::allgather)
        return choice.trees_to(choice.paths().relative(root, inward ? from : kernel.id()));
    std::uint32_t trees = 0;
    for (unsigned copy = 0; copy < plan.copies; ++copy)
        trees |= 1u << spread_tree(choice, from, number, copy);
    return trees;
}

// What is missing of an exchange, node by node.
struct Missing {
    const Kernel& kernel;
    const PersonalPlan& plan;
    Exchange what;
    std::span<std::byte> marks;

    std::span<std::byte> of(std::uint32_t from) const {
        const std::size_t packets = marks.size() / kernel.nodes();
        return marks.subspan(from * packets, packets);
    }
    // The first packet of `from` that has not come; all packets if nothing is to come from there.
    std::uint32_t first(std::uint32_t from) const {
        const auto node = of(from);
        const bool sends = what != Exchange::scatter || node_at(from) == plan.root;
        std::uint32_t number = 0;
        while (number < node.size() &&
               (!sends || node_at(from) == kernel.id() || node[number] != std::byte{0}))
            ++number;
        return number;
    }
    void give_up(std::uint32_t from) const {
        for (std::byte& mark : of(from))
            mark = mark == std::byte{0} ? kGone : mark;
    }
    // The way of what comes over `tree`.
    Path path(unsigned tree) const {
        const Network network = kernel.network();
        const unsigned first = tree_rules(network.topology).first_subtree(network, plan.tree);
        return {.rule = plan.tree,
                .subtree = static_cast<std::uint8_t>(first + tree),
                .inward = what == Exchange::gather,
                .to_all = what == Exchange::allgather};
    }
};

} // namespace

// When nothing has come for long, it looks for every node of which a packet is missing: whether a
// copy of that can still come.
Task<Status> wait_for_blocks(Kernel& kernel, PersonalPlan plan, Exchange what,
                             std::span<std::byte> marks, Arrivals& arrivals) {
    const auto over = [&arrivals] {
        return arrivals.blocks + arrivals.gone >= arrivals.blocks_due || arrivals.given_up;
    };
    const CallLabel label = kernel.calls().label(plan.tag);
    const Missing missing{kernel, plan, what, marks};
    Watch watch{kernel};
    while (!over()) {
        const std::uint32_t seen = arrivals.copies;
        watch.listen();
        co_await kernel.wait_until([&arrivals, &watch, over, seen] {
            return over() || arrivals.copies != seen || watch.over();
        });
        if (!watch.tired() || over())
            continue;
        for (std::uint32_t from = 0; from < kernel.nodes(); ++from) {
            const std::uint32_t number = missing.first(from);
            if (number == missing.of(from).size())
                continue;
            Status there = Status::unreachable;
            for (std::uint32_t left = trees_from(kernel, plan, what, node_at(from), number);
                 left != 0 && there == Status::unreachable; left &= left - 1) {
                there = co_await look_for(kernel, node_at(from), missing.path(lowest_bit(left)),
                                          label.match());
            }
            if (there == Status::ok || missing.first(from) != number)
                continue;
            missing.give_up(from);
            ++arrivals.gone;
        }
    }
    co_return arrivals.gone != 0 ? Status::unreachable : Status::ok;
}

Gate gather_gate(const Kernel& kernel, const PersonalPlan& plan) {
    const Cutting cutting{plan.block_bytes, plan.packet_bytes};
    return {plan.root, kernel.calls().label(plan.tag), false, true,
            (kernel.nodes() - 1) * cutting.packets()};
}

namespace {
Task<Status> take_now(Kernel& kernel, PersonalPlan plan, std::span<std::byte> blocks,
                      std::span<std::byte> marks) {
    plan = of_packets(plan);
    const Cutting cutting{plan.block_bytes, plan.packet_bytes};
    std::fill(marks.begin(), marks.end(), std::byte{0});
    Arrivals arrivals;
    arrivals.blocks_due = kernel.nodes() - 1;
    arrivals.copies_due = arrivals.blocks_due * cutting.packets();
    const Collector collector{kernel.id(), cutting, blocks, marks, arrivals};
    ProcessId collecting;
    if (!kernel.spawn(collect(kernel, collector, kernel.calls().label(plan.tag), false),
                      collecting))
        co_return Status::no_memory;
    Status status = co_await pass(kernel, gather_gate(kernel, plan));
    if (status == Status::ok)
        status = co_await wait_for_blocks(kernel, plan, Exchange::gather, marks, arrivals);
    arrivals.given_up = true;
    const Status collected = co_await kernel.join(collecting);
    co_return worse(status, collected);
}
} // namespace

Task<Status> take_gathered(Kernel& kernel, const PersonalPlan& plan, std::span<std::byte> blocks,
                           std::span<std::byte> marks) {
    return as_call(kernel, plan.tag, take_now(kernel, plan, blocks, marks));
}

} // namespace mesh
