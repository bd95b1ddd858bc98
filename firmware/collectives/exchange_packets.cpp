// exchange() where single packets find their way over disjoint trees: which node sends which
// packets in which order, and what becomes of them.
#include "collectives/await.hpp"
#include "collectives/collector.hpp"
#include "collectives/parcel.hpp"
#include "collectives/paths.hpp"
#include "collectives/tree_flow.hpp"

#include <algorithm>

namespace mesh {

namespace {

using Choice = PathChoice<NetworkPaths>;

[[gnu::noinline]] bool possible(const Kernel& kernel, const PersonalPlan& plan, Exchange what) {
    const Network network = kernel.network();
    const unsigned trees =
        tree_rules(network.topology).subtree_count(network, plan.tree); // 0: no such tree
    const bool all_trees = plan.schedule != Schedule::dfs_ack || plan.copies == trees;
    return plan.ports == PortModel::all && index(plan.root) < kernel.nodes() &&
           has_packet_schedule(network, plan.tree, plan.schedule, what) && plan.copies != 0 &&
           plan.copies <= trees && all_trees && plan.packet_bytes != 0 &&
           plan.packet_bytes <= wire::payload_bytes_max() && kernel.can_carry(plan.tree);
}

// The packets that a node sends, their source, and their order: packet k of all blocks in one pass,
// then the next one.
class Sender {
public:
    Sender(const Kernel& kernel, const PersonalPlan& what, Exchange exchange,
           std::span<const std::byte> blocks)
        : plan(what),
          choice({kernel.network(), what.tree,
                  exchange == Exchange::scatter || exchange == Exchange::gather ? what.root
                                                                                : kernel.id(),
                  exchange == Exchange::gather},
                 what.copies),
          exchange_(exchange),
          self_(kernel.id()),
          first_subtree_(
              tree_rules(kernel.network().topology).first_subtree(kernel.network(), what.tree)),
          blocks_(bytes_in(blocks)) {}

    Segmentation segmentation() const { return {plan.block_bytes, plan.packet_bytes}; }

    // Begins the pass of packet `number`.
    void begin(std::uint32_t number) {
        number_ = number;
        turn_ = 0;
        order_ = DeepestFirst<NetworkPaths>{choice};
    }
    // The node to send to, relative to where the paths begin, and the trees to take; of several
    // copies of a packet for all nodes one at a time. No trees: the pass is over.
    PathTurn next() {
        ++turn_;
        switch (exchange_) {
        case Exchange::scatter: return order_.next();
        case Exchange::gather:
            if (turn_ != 1)
                return {};
            return {0, choice.trees_to(choice.paths().relative(plan.root, self_))};
        case Exchange::allgather:
            if (turn_ > plan.copies)
                return {};
            return {0, 1u << spread_tree(choice, self_, number_, turn_ - 1)};
        case Exchange::alltoall: break;
        }
        if (turn_ == choice.paths().nodes())
            return {};
        return {turn_, choice.trees_to(turn_)};
    }

    // `co_await send(kernel, node, tree, number)`: packet `number` of its block to `node`.
    Kernel::Posting send(Kernel& kernel, std::uint32_t node, unsigned tree,
                         std::uint32_t number) const {
        NodeId to = choice.paths().place(choice.paths().root, node);
        NodeId block = to;
        std::uint8_t flags = 0;
        if (exchange_ == Exchange::gather) {
            to = plan.root;
            block = self_;
            flags = wire::packet_flag::kInward;
        } else if (exchange_ == Exchange::allgather) {
            to = kNoNode;
            block = self_;
        }
        const Parcel parcel{kernel.calls().label(plan.tag), to,
                            static_cast<std::uint8_t>(first_subtree_ + tree), flags,
                            index(block) * plan.block_bytes};
        return send_fragment(kernel, plan, parcel, segmentation().at(number * plan.packet_bytes),
                             blocks_);
    }

    PersonalPlan plan;
    Choice choice;

private:
    Exchange exchange_;
    NodeId self_;
    unsigned first_subtree_;
    ByteSource blocks_;
    std::uint32_t number_ = 0;
    std::uint32_t turn_ = 0;
    DeepestFirst<NetworkPaths> order_{choice};
};

Process send_blocks(Kernel& kernel, Sender sender) {
    for (std::uint32_t number = 0; number < sender.segmentation().packets(); ++number) {
        sender.begin(number);
        for (PathTurn turn = sender.next(); turn.trees != 0; turn = sender.next())
            for (; turn.trees != 0; turn.trees &= turn.trees - 1)
                co_await sender.send(kernel, turn.node, lowest_bit(turn.trees), number);
    }
    co_return Status::ok;
}

// Model time of all packets of a block on a link.
wire::ModelTime block_time(const Kernel& kernel, const Segmentation& segmentation) {
    const std::uint32_t last = segmentation.packets() - 1;
    return last * kernel.link_time(segmentation.packet_bytes) +
           kernel.link_time(segmentation.bytes_of(last));
}

Process exchange_in_rounds(Kernel& kernel, Sender sender) {
    Rounds<NetworkPaths> rounds(sender.choice);
    for (auto round = rounds.next(); round.links != 0; round = rounds.next()) {
        for (std::uint32_t number = 0; number < sender.segmentation().packets(); ++number)
            for (std::uint32_t left = round.trees; left != 0; left &= left - 1) {
                const unsigned tree = lowest_bit(left);
                co_await sender.send(kernel, round.nodes[tree], tree, number);
            }
        co_await kernel.sleep(round.links * block_time(kernel, sender.segmentation()));
    }
    co_return Status::ok;
}

// The process that sends what this node has to send.
[[gnu::noinline]] Process sending(Kernel& kernel, const PersonalPlan& plan, Exchange what,
                                  std::span<const std::byte> blocks) {
    const Sender sender{kernel, plan, what, blocks};
    if (what == Exchange::alltoall && plan.schedule == Schedule::necklace)
        return exchange_in_rounds(kernel, sender);
    return send_blocks(kernel, sender);
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

Gate gate_of(const Kernel& kernel, const PersonalPlan& plan, Exchange what) {
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    const std::uint32_t blocks = what == Exchange::scatter ? 1 : kernel.nodes() - 1;
    const bool rooted = what == Exchange::scatter || what == Exchange::gather;
    return {rooted ? plan.root : NodeId{0},
            kernel.calls().label(plan.tag),
            what != Exchange::gather,
            what != Exchange::scatter,
            blocks * segmentation.packets() * plan.copies,
            !rooted};
}

} // namespace

std::uint32_t exchange_share(const Kernel& kernel, const PersonalPlan& plan, Exchange what) {
    const bool rooted = what == Exchange::scatter || what == Exchange::gather;
    return rooted && plan.packet_bytes != 0
               ? Gate::share(kernel, gate_of(kernel, plan, what).packets)
               : 1;
}

namespace {

/// No process joins one that stays behind for late copies.
bool start(Kernel& kernel, Process&& collecting, bool stays, ProcessId& receiver) {
    return stays ? kernel.spawn_alone(std::move(collecting))
                 : kernel.spawn(std::move(collecting), receiver);
}

/// Blocks that came had to lie beside those that had to leave; now they go to their places. A
/// node's own block stays.
void take_home(const ExchangeMemory& parts, std::size_t node, std::size_t block_bytes) {
    const std::size_t own = node * block_bytes;
    const auto behind = static_cast<std::ptrdiff_t>(own + block_bytes);
    std::copy_n(parts.second.begin(), own, parts.blocks.begin());
    std::copy(parts.second.begin() + behind, parts.second.end(), parts.blocks.begin() + behind);
}

} // namespace

Task<Status> exchange_packets(Kernel& kernel, PersonalPlan plan, Exchange what,
                              std::span<std::byte> memory, Arrivals* told) {
    const bool rooted = what == Exchange::scatter || what == Exchange::gather;
    plan = with_names(plan, usual_tree(kernel.network().topology, true),
                      rooted ? Schedule::rbf : Schedule::queue);
    if (!possible(kernel, plan, what) || (told == nullptr && leaves_a_process(plan)))
        co_return Status::bad_argument;
    Arrivals untold;
    Arrivals& arrivals = told != nullptr ? *told : untold;
    const std::uint64_t needed = exchange_bytes(kernel.nodes(), plan.block_bytes);
    if (memory.size() < needed)
        co_return Status::no_memory;
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    const ExchangeMemory parts{memory.first(static_cast<std::size_t>(needed)),
                               std::size_t{kernel.nodes()} * plan.block_bytes};
    std::fill(parts.tables.begin(), parts.tables.end(), std::byte{0});
    const Gate gate = gate_of(kernel, plan, what);
    arrivals.blocks_due = blocks_due(kernel, plan, what);
    arrivals.copies_due = arrivals.blocks_due * segmentation.packets() * plan.copies;
    CallRecord& record = *kernel.calls().find(plan.tag);
    const bool swap = what == Exchange::alltoall; // a block that comes must not meet one to leave
    const auto places = swap ? parts.second : parts.blocks;
    const auto marks = parts.tables.first(std::size_t{kernel.nodes()} * segmentation.packets());
    ProcessId receiver, sender;
    const bool in_turn = plan.schedule == Schedule::dfs_ack; // takes packets by itself
    if (!in_turn) {
        const Collector collector{kernel.id(), segmentation, places, marks, arrivals};
        if (!start(kernel, collect(kernel, collector, gate.label, what == Exchange::scatter),
                   leaves_a_process(plan), receiver))
            co_return Status::no_memory;
        record.lasting = leaves_a_process(plan);
    }
    Status sent = co_await pass(kernel, gate);
    if (in_turn) {
        if (sent != Status::no_memory)
            sent = co_await allgather_depth_first(kernel, plan, parts, arrivals);
        co_return sent;
    }
    if (sent == Status::unreachable)
        sent = Status::ok; // it is unknown which nodes have begun: the living go on
    if (sent == Status::ok && sends(kernel, plan, what) &&
        !kernel.spawn(sending(kernel, plan, what, parts.blocks), sender))
        sent = Status::no_memory;
    if (sent == Status::ok)
        sent = co_await end_of(kernel, sender);
    arrivals.given_up = sent != Status::ok;
    Status received = co_await BlockSearch{kernel, plan, what, marks, arrivals};
    arrivals.given_up = arrivals.given_up || (received != Status::ok && !leaves_a_process(plan));
    received = first_failure(received, co_await end_of(kernel, receiver));
    if (sent != Status::ok || received != Status::ok)
        co_return first_failure(sent, received);
    kernel.advance_clock(arrivals.last_at);
    if (swap)
        take_home(parts, index(kernel.id()), plan.block_bytes);
    co_return Status::ok;
}

} // namespace mesh
