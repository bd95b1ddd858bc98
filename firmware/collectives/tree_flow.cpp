#include "collectives/tree_flow.hpp"

#include "collectives/await.hpp"
#include "core/bits.hpp"

#include <algorithm>

namespace mesh {

namespace {

/// A number that no packet of a broadcast has.
constexpr std::uint32_t kWord = 0xFFFF'FFFE;

constexpr Rule tree_of_words(Topology topology) {
    switch (topology) {
    case Topology::cube: return Rule::sbt;
    case Topology::uhc: return Rule::bts;
    case Topology::star: break;
    }
    return Rule::spt;
}

} // namespace

TreeFlow::TreeFlow(const Kernel& kernel, NodeId root, Tag tag)
    : tag_(tag),
      half_(half_window(kernel)) {
    const Network network = kernel.network();
    const TreeRules& trees = tree_rules(network.topology);
    const Rule rule = tree_of_words(network.topology);
    up_ = trees.parent(network, rule, 0, root, kernel.id());
    children_ = trees.children(network, rule, 0, root, kernel.id()).set();
}

std::uint32_t TreeFlow::half_window(const Kernel& kernel) {
    return std::max(1u, kernel.pool().capacity() / limits::kTreeWindowShare / 2);
}

Match TreeFlow::word_of(const Kernel& kernel, Port child) const {
    return {.tag = tag_, .source = kernel.neighbor(child), .message = kWord};
}

std::uint32_t TreeFlow::slowest_child() const {
    std::uint32_t slowest = ~std::uint32_t{0};
    for (std::uint32_t left = children_; left != 0; left &= left - 1)
        slowest = std::min(slowest, taken_below_[lowest_bit(left)]);
    return slowest;
}

std::uint32_t TreeFlow::due() const { return std::min(taken_, slowest_child()) / half_ * half_; }

bool TreeFlow::has_news(const Kernel& kernel) const {
    for (std::uint32_t left = children_; left != 0; left &= left - 1) {
        const Port child = port_at(lowest_bit(left));
        if (kernel.link_dead(child) || kernel.has(word_of(kernel, child)))
            return true;
    }
    return false;
}

void TreeFlow::hear(Kernel& kernel) {
    for (std::uint32_t left = children_; left != 0; left &= left - 1) {
        const Port child = port_at(lowest_bit(left));
        std::uint32_t& taken = taken_below_[index(child)];
        while (kernel.has(word_of(kernel, child)))
            taken = std::max(taken, kernel.take_control(word_of(kernel, child)).header().position);
        if (kernel.link_dead(child))
            children_ &= ~(1u << index(child));
    }
}

Task<Status> tell_parent(Kernel& kernel, TreeFlow& flow) {
    OutgoingPacket packet = co_await kernel.allocate(Rule::unicast);
    flow.told_ = flow.due();
    packet.header().destination = kernel.neighbor(flow.up_);
    packet.header().tag = flow.tag_;
    packet.header().flags = wire::packet_flag::kTimeless;
    packet.header().message = kWord;
    packet.header().position = flow.told_;
    kernel.inject(std::move(packet), 0);
    co_return Status::ok;
}

Task<Status> look_for_slow(Kernel& kernel, TreeFlow& flow) {
    const std::uint32_t slowest = flow.slowest_child();
    for (std::uint32_t left = flow.children_; left != 0; left &= left - 1) {
        const Port child = port_at(lowest_bit(left));
        if (flow.taken_below_[index(child)] != slowest)
            continue;
        const Match word = flow.word_of(kernel, child);
        const Status there = co_await look_for(kernel, word.source, {}, word);
        if (there == Status::unreachable)
            flow.children_ &= ~(1u << index(child));
        else if (there != Status::ok)
            co_return there;
    }
    co_return Status::ok;
}

} // namespace mesh
