// exchange() where single packets find their way over disjoint trees: who sends what in which
// order, and what becomes of it.
#include "collectives/await.hpp"
#include "collectives/collector.hpp"
#include "collectives/parcel.hpp"
#include "collectives/paths.hpp"

#include <algorithm>

namespace mesh {

namespace {

using Choice = PathChoice<NetworkPaths>;

void copy_bytes(const void* blocks, std::uint32_t position, std::span<std::byte> out) {
    std::copy_n(static_cast<const std::byte*>(blocks) + position, out.size(), out.begin());
}

bool possible(const Kernel& kernel, const PersonalPlan& plan, Exchange what) {
    const Network network = kernel.network();
    const unsigned trees =
        tree_rules(network.topology).subtree_count(network, plan.tree); // 0: no such tree
    const bool all_trees = plan.schedule != Schedule::dfs_ack || plan.copies == trees;
    return plan.ports == PortModel::all && index(plan.root) < kernel.nodes() &&
           has_packet_schedule(network, plan.tree, plan.schedule, what) && plan.copies != 0 &&
           plan.copies <= trees && all_trees && plan.packet_bytes != 0 &&
           plan.packet_bytes <= wire::kPayloadBytesMax && kernel.can_carry(plan.tree);
}

// What a node sends from.
struct Sender {
    PersonalPlan plan;
    Choice choice;
    unsigned first_subtree;
    const std::byte* blocks;

    Sender(const Kernel& kernel, const PersonalPlan& what, NodeId root, bool inward,
           const ExchangeMemory& memory)
        : plan(what),
          choice({kernel.network(), what.tree, root, inward}, what.copies),
          first_subtree(
              tree_rules(kernel.network().topology).first_subtree(kernel.network(), what.tree)),
          blocks(memory.blocks.data()) {}

    Cutting cutting() const { return {plan.block_bytes, plan.packet_bytes}; }
    NodeId place(std::uint32_t relative) const {
        return choice.paths().place(choice.paths().root, relative);
    }
    // From the block of node `block`.
    Parcel parcel(NodeId to, unsigned tree, NodeId block) const {
        return {to, static_cast<std::uint8_t>(first_subtree + tree), 0,
                index(block) * plan.block_bytes};
    }
};

Task<Status> send_packet(Kernel& kernel, const Sender& sender, const Parcel& parcel,
                         std::uint32_t number) {
    const Cutting::Fragment fragment = sender.cutting().at(number * sender.plan.packet_bytes);
    const ByteSource source{copy_bytes, sender.blocks};
    const Status status = co_await send_fragment(kernel, sender.plan, parcel, fragment, source);
    co_return status;
}

// One packet over each of `trees`.
Task<Status> send_copies(Kernel& kernel, const Sender& sender, NodeId to, std::uint32_t trees,
                         std::uint32_t number) {
    for (; trees != 0; trees &= trees - 1) {
        const Parcel parcel = sender.parcel(to, lowest_bit(trees), to);
        const Status status = co_await send_packet(kernel, sender, parcel, number);
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}

// Packet k of all blocks in one pass, then the next one.
Process scatter_blocks(Kernel& kernel, Sender sender) {
    for (std::uint32_t number = 0; number < sender.cutting().packets(); ++number) {
        DeepestFirst<NetworkPaths> order(sender.choice);
        for (PathTurn turn = order.next(); turn.node != 0; turn = order.next()) {
            const NodeId to = sender.place(turn.node);
            const Status status = co_await send_copies(kernel, sender, to, turn.trees, number);
            if (status != Status::ok)
                co_return status;
        }
    }
    co_return Status::ok;
}

Process gather_block(Kernel& kernel, Sender sender) {
    const NodeId root = sender.plan.root;
    const std::uint32_t trees =
        sender.choice.trees_to(sender.choice.paths().relative(root, kernel.id()));
    for (std::uint32_t number = 0; number < sender.cutting().packets(); ++number)
        for (std::uint32_t left = trees; left != 0; left &= left - 1) {
            Parcel parcel = sender.parcel(root, lowest_bit(left), kernel.id());
            parcel.flags = wire::packet_flag::kInward;
            const Status status = co_await send_packet(kernel, sender, parcel, number);
            if (status != Status::ok)
                co_return status;
        }
    co_return Status::ok;
}

Process spread_block(Kernel& kernel, Sender sender) {
    for (std::uint32_t number = 0; number < sender.cutting().packets(); ++number)
        for (unsigned copy = 0; copy < sender.plan.copies; ++copy) {
            const unsigned tree = spread_tree(sender.choice, kernel.id(), number, copy);
            const Parcel parcel = sender.parcel(kNoNode, tree, kernel.id());
            const Status status = co_await send_packet(kernel, sender, parcel, number);
            if (status != Status::ok)
                co_return status;
        }
    co_return Status::ok;
}

Process exchange_queued(Kernel& kernel, Sender sender) {
    for (std::uint32_t number = 0; number < sender.cutting().packets(); ++number)
        for (std::uint32_t node = 1; node < kernel.nodes(); ++node) {
            const std::uint32_t trees = sender.choice.trees_to(node);
            const NodeId to = sender.place(node);
            const Status status = co_await send_copies(kernel, sender, to, trees, number);
            if (status != Status::ok)
                co_return status;
        }
    co_return Status::ok;
}

// Model time of all packets of a block on a link.
wire::ModelTime block_time(const Kernel& kernel, const Cutting& cutting) {
    const std::uint32_t last = cutting.packets() - 1;
    return last * kernel.link_time(cutting.packet_bytes) + kernel.link_time(cutting.bytes_of(last));
}

Process exchange_in_rounds(Kernel& kernel, Sender sender) {
    Rounds<NetworkPaths> rounds(sender.choice);
    for (auto round = rounds.next(); round.links != 0; round = rounds.next()) {
        for (std::uint32_t number = 0; number < sender.cutting().packets(); ++number)
            for (std::uint32_t left = round.trees; left != 0; left &= left - 1) {
                const unsigned tree = lowest_bit(left);
                const NodeId to = sender.place(round.nodes[tree]);
                const Status status = co_await send_copies(kernel, sender, to, 1u << tree, number);
                if (status != Status::ok)
                    co_return status;
            }
        co_await kernel.sleep(round.links * block_time(kernel, sender.cutting()));
    }
    co_return Status::ok;
}

// The process that sends what this node has to send.
Process sending(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                const ExchangeMemory& memory) {
    switch (what) {
    case Exchange::scatter: return scatter_blocks(kernel, {kernel, plan, plan.root, false, memory});
    case Exchange::gather: return gather_block(kernel, {kernel, plan, plan.root, true, memory});
    case Exchange::allgather:
        return spread_block(kernel, {kernel, plan, kernel.id(), false, memory});
    case Exchange::alltoall: break;
    }
    const Sender sender{kernel, plan, kernel.id(), false, memory};
    if (plan.schedule == Schedule::necklace)
        return exchange_in_rounds(kernel, sender);
    return exchange_queued(kernel, sender);
}

bool sends(const Kernel& kernel, const PersonalPlan& plan, Exchange what) {
    const bool is_root = kernel.id() == plan.root;
    return what == Exchange::scatter ? is_root : what != Exchange::gather || !is_root;
}

std::uint32_t blocks_due(const Kernel& kernel, const PersonalPlan& plan, Exchange what) {
    const bool is_root = kernel.id() == plan.root;
    if (what == Exchange::scatter)
        return is_root ? 0 : 1;
    return what == Exchange::gather && !is_root ? 0 : kernel.nodes() - 1;
}

} // namespace

Task<Status> exchange_packets(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                              std::span<std::byte> memory, Arrivals& arrivals) {
    if (!possible(kernel, plan, what))
        co_return Status::bad_argument;
    const std::uint64_t needed = exchange_bytes(kernel.nodes(), plan.block_bytes);
    if (memory.size() < needed)
        co_return Status::no_memory;
    const Cutting cutting{plan.block_bytes, plan.packet_bytes};
    const ExchangeMemory parts{memory.first(static_cast<std::size_t>(needed)),
                               std::size_t{kernel.nodes()} * plan.block_bytes};
    std::fill(parts.tables.begin(), parts.tables.end(), std::byte{0});
    arrivals.blocks_due = blocks_due(kernel, plan, what);
    arrivals.copies_due = arrivals.blocks_due * cutting.packets() * plan.copies;
    if (plan.schedule == Schedule::dfs_ack) {
        const Status status = co_await allgather_depth_first(kernel, plan, parts, arrivals);
        co_return status;
    }
    const bool swap = what == Exchange::alltoall; // what comes must not meet what has not left
    const auto places = swap ? parts.second : parts.blocks;
    const auto marks = parts.tables.first(std::size_t{kernel.nodes()} * cutting.packets());
    const Collector collector{kernel.id(), cutting, places, marks, arrivals};
    Process collecting = collect(kernel, collector, plan.tag, what == Exchange::scatter);
    ProcessId receiver, sender;
    const bool collects = leaves_a_process(plan) ? kernel.spawn(std::move(collecting))
                                                 : kernel.spawn(std::move(collecting), receiver);
    if (!collects)
        co_return Status::no_memory;
    Status sent = Status::ok;
    if (sends(kernel, plan, what) && !kernel.spawn(sending(kernel, plan, what, parts), sender))
        sent = Status::no_memory;
    if (sent == Status::ok)
        sent = co_await kernel.join(sender);
    arrivals.given_up = sent != Status::ok;
    Status received = co_await wait_for_blocks(kernel, plan, what, marks, arrivals);
    arrivals.given_up = arrivals.given_up || (received != Status::ok && !leaves_a_process(plan));
    received = worse(received, co_await kernel.join(receiver));
    if (sent != Status::ok || received != Status::ok)
        co_return worse(sent, received);
    kernel.advance_clock(arrivals.last_at);
    const std::size_t own = std::size_t{index(kernel.id())} * plan.block_bytes;
    if (swap) {
        std::copy_n(parts.second.begin(), own, parts.blocks.begin());
        const auto behind = parts.second.subspan(own + plan.block_bytes);
        std::copy(behind.begin(), behind.end(),
                  parts.blocks.subspan(own + plan.block_bytes).begin());
    }
    co_return Status::ok;
}

} // namespace mesh
