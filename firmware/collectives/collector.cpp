#include "collectives/collector.hpp"

#include "collectives/await.hpp"
#include "collectives/call.hpp"
#include "collectives/paths.hpp"
#include "core/base/bits.hpp"

#include <algorithm>

namespace mesh {

namespace {
constexpr std::byte kGone{2}; // the mark of a packet that is not waited for any more
}

Collector::Collector(NodeId self, const Segmentation& segmentation, std::span<std::byte> places,
                     std::span<std::byte> marks, Arrivals& arrivals)
    : self_(self),
      segmentation_(segmentation),
      places_(places),
      marks_(marks),
      arrivals_(arrivals) {}

std::span<std::byte> Collector::place_of(NodeId node, std::uint32_t packet) const {
    const std::size_t begin = std::size_t{index(node)} * segmentation_.total_bytes;
    return places_.subspan(begin + std::size_t{packet} * segmentation_.packet_bytes,
                           segmentation_.bytes_of(packet));
}

bool Collector::take(NodeId from, NodeId place, const Packet& packet) {
    const std::uint32_t packets = segmentation_.packets();
    const std::uint32_t number = packet.header().message;
    const std::size_t nodes = marks_.size() / packets;
    if (from == self_ || index(from) >= nodes || number >= packets ||
        packet.payload().size() != segmentation_.bytes_of(number))
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
    // Packets come more or less in order, so look for a missing one behind this one first.
    const auto block = marks_.subspan(first, packets);
    const auto here = block.begin() + number;
    if (std::find(here, block.end(), std::byte{0}) != block.end() ||
        std::find(block.begin(), here, std::byte{0}) != here)
        return true;
    ++arrivals_.blocks;
    if (arrivals_.on_block != nullptr)
        arrivals_.on_block(arrivals_.context, from,
                           places_.subspan(std::size_t{index(place)} * segmentation_.total_bytes,
                                           segmentation_.total_bytes));
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

} // namespace

BlockSearch::BlockSearch(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                         std::span<std::byte> marks, Arrivals& arrivals)
    : Search(kernel, kernel.calls().label(plan.tag)),
      plan_(plan),
      what_(what),
      marks_(marks),
      arrivals_(arrivals) {}

bool BlockSearch::is_over() const {
    return arrivals_.blocks + arrivals_.gone >= arrivals_.blocks_due || arrivals_.given_up;
}

std::span<std::byte> BlockSearch::marks_of(std::uint32_t from) const {
    const std::size_t packets = marks_.size() / kernel_.nodes();
    return marks_.subspan(from * packets, packets);
}

// The number of the first missing packet of `from`; the number of all if nothing is to come from
// there.
std::uint32_t BlockSearch::first_missing(std::uint32_t from) const {
    const auto node = marks_of(from);
    const bool sends = what_ != Exchange::scatter || node_at(from) == plan_.root;
    std::uint32_t number = 0;
    while (number < node.size() &&
           (!sends || node_at(from) == kernel_.id() || node[number] != std::byte{0}))
        ++number;
    return number;
}

bool BlockSearch::choose(bool first, Subject& subject) {
    if (first)
        from_ = trees_ = 0;
    for (; trees_ == 0; ++from_) {
        if (from_ == kernel_.nodes())
            return false;
        number_ = first_missing(from_);
        if (number_ != marks_of(from_).size())
            trees_ = trees_from(kernel_, plan_, what_, node_at(from_), number_);
    }
    const Network network = kernel_.network();
    const unsigned tree = lowest_bit(trees_);
    trees_ &= trees_ - 1;
    subject = {node_at(from_ - 1),
               {.rule = plan_.tree,
                .subtree = static_cast<std::uint8_t>(
                    tree_rules(network.topology).first_subtree(network, plan_.tree) + tree),
                .inward = what_ == Exchange::gather,
                .to_all = what_ == Exchange::allgather}};
    return true;
}

void BlockSearch::found(Status there) {
    if (there == Status::ok)
        trees_ = 0;
    else if (trees_ == 0 && first_missing(from_ - 1) == number_) {
        for (std::byte& mark : marks_of(from_ - 1))
            mark = mark == std::byte{0} ? kGone : mark;
        ++arrivals_.gone;
    }
}

Gate gather_gate(const Kernel& kernel, const PersonalPlan& plan) {
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    return {plan.root, kernel.calls().label(plan.tag), false, true,
            (kernel.nodes() - 1) * segmentation.packets()};
}

std::uint32_t gather_share(const Kernel& kernel, const PersonalPlan& plan) {
    return plan.packet_bytes != 0 ? Gate::share(kernel, gather_gate(kernel, plan).packets) : 1;
}

namespace {
Task<Status> take_now(Kernel& kernel, PersonalPlan plan, std::span<std::byte> blocks,
                      std::span<std::byte> marks) {
    plan = of_packets(plan);
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    std::fill(marks.begin(), marks.end(), std::byte{0});
    Arrivals arrivals;
    arrivals.blocks_due = kernel.nodes() - 1;
    arrivals.copies_due = arrivals.blocks_due * segmentation.packets();
    const Collector collector{kernel.id(), segmentation, blocks, marks, arrivals};
    ProcessId collecting;
    if (!kernel.spawn(collect(kernel, collector, kernel.calls().label(plan.tag), false),
                      collecting))
        co_return Status::no_memory;
    const Gate gate = gather_gate(kernel, plan);
    Status status = co_await pass(kernel, gate);
    if (status == Status::ok)
        status = co_await BlockSearch{kernel, plan, Exchange::gather, marks, arrivals};
    arrivals.given_up = true;
    const Status collected = co_await end_of(kernel, collecting);
    co_return first_failure(status, collected);
}
} // namespace

Task<Status> take_gathered(Kernel& kernel, const PersonalPlan& plan, std::span<std::byte> blocks,
                           std::span<std::byte> marks) {
    return as_call(detail::noted(kernel, {"gather", " to node ", index(plan.root)}), plan.tag,
                   take_now(kernel, plan, blocks, marks), gather_share(kernel, plan));
}

} // namespace mesh
