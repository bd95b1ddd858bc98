#include "call_sequence.hpp"

#include "collectives/ascend.hpp"
#include "collectives/barrier.hpp"
#include "collectives/copies.hpp"
#include "collectives/personalised.hpp"
#include "collectives/reduction.hpp"
#include "collectives/segmentation.hpp"
#include "core/schedules/timetable.hpp"
#include "library/blocks.hpp"
#include "library/group.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <random>

namespace mesh::test::call_sequence {

Sequence sequence;

namespace {

std::uint32_t mix(std::uint32_t value) {
    value = (value ^ (value >> 16)) * 0x85EB'CA6Bu;
    value = (value ^ (value >> 13)) * 0xC2B2'AE35u;
    return value ^ (value >> 16);
}

/// Byte `at` of the data that `from` has for `to` in a step.
std::byte byte_of(const Step& step, std::uint32_t from, std::uint32_t to, std::size_t at) {
    const auto place = static_cast<std::uint32_t>(at);
    return static_cast<std::byte>(
        mix(mix(step.number * 64 + from) + to * 4096 + place + sequence.seed));
}

void fill(const Step& step, std::uint32_t from, std::uint32_t to, std::span<std::byte> out) {
    for (std::size_t at = 0; at < out.size(); ++at)
        out[at] = byte_of(step, from, to, at);
}

bool is(const Step& step, std::uint32_t from, std::uint32_t to, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); ++at)
        if (bytes[at] != byte_of(step, from, to, at))
            return false;
    return true;
}

/// A tree of the network; one whose trees are disjoint, if `disjoint`.
Rule some_tree(Network network, std::mt19937& random, bool disjoint) {
    const TreeRules& trees = tree_rules(network.topology);
    std::vector<Rule> known;
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::disjoint); ++number) {
        const auto rule = static_cast<Rule>(number);
        if (rule != Rule::sbg && trees.height(network, rule) != 0 &&
            (!disjoint || has_disjoint_trees(rule)))
            known.push_back(rule);
    }
    return known[random() % known.size()];
}

Step some_step(Network network, std::uint32_t nodes, unsigned number, std::mt19937& random) {
    const bool cube = network.topology == Topology::cube;
    Step step;
    step.number = number;
    step.kind = static_cast<Kind>(random() % static_cast<unsigned>(Kind::kCount));
    if ((step.kind == Kind::ascend && network.topology == Topology::star) ||
        (step.kind == Kind::packets && !cube))
        step.kind = Kind::exchange;
    step.root = node_at(random() % nodes);
    step.bytes = 1 + random() % 300;
    step.packet_bytes = 1 + random() % 120;
    step.late = static_cast<std::uint32_t>(random());
    step.what = static_cast<Exchange>(random() % 4);
    const bool disjoint = step.kind == Kind::copies || (step.kind == Kind::exchange && !cube);
    step.tree = some_tree(network, random, disjoint);
    if (disjoint)
        step.copies = static_cast<std::uint8_t>(
            1 + random() % tree_rules(network.topology).subtree_count(network, step.tree));
    if (step.kind == Kind::exchange) {
        step.bytes = 1 + random() % 60;
        if (cube) {
            step.tree = Rule::sbt;
            step.schedule = random() % 2 != 0 ? Schedule::level : Schedule::subtree;
        } else if (!has_paths(network.topology, step.tree)) {
            step.tree = kUsualTree;
            step.copies = 1;
        }
    } else if (step.kind == Kind::packets) {
        step.tree = random() % 2 != 0 ? Rule::sbt : Rule::sbnt_minr;
        step.schedule = random() % 2 != 0 ? Schedule::postorder : Schedule::roundrobin;
        step.bytes = 1 + random() % 60;
    }
    return step;
}

struct Self {
    const Step& step;
    std::uint32_t self;
    std::uint32_t nodes;
    bool is_root;
};

Task<Verdict> do_barrier(Kernel& node, Self at) {
    Verdict verdict{Status::ok, true};
    verdict.status = co_await barrier(node, at.step.tag);
    co_return verdict;
}

Task<Verdict> do_broadcast(Kernel& node, Self at, Lent& memory) {
    const Step& step = at.step;
    const BroadcastPlan plan{step.tree, step.root, step.bytes, step.packet_bytes, step.tag};
    memory.bytes.assign(step.bytes + vote_bytes(plan), std::byte{});
    const auto message = std::span{memory.bytes}.first(step.bytes);
    if (at.is_root)
        fill(step, at.self, 0, message);
    Verdict verdict;
    if (step.kind == Kind::copies)
        verdict.status =
            co_await broadcast_copies(node, plan, step.copies, message,
                                      std::span{memory.bytes}.subspan(step.bytes), memory.report);
    else
        verdict.status = co_await broadcast(node, plan, message);
    verdict.right = is(step, index(step.root), 0, message);
    co_return verdict;
}

std::uint32_t element(const Step& step, std::uint32_t node, std::size_t at) {
    return mix(step.number * 4096 + node * 64 + static_cast<std::uint32_t>(at));
}

Task<Verdict> do_reduction(Kernel& node, Self at, Lent& memory) {
    const Step& step = at.step;
    const std::size_t count = 1 + step.bytes / 4;
    memory.bytes.assign(4 * count, std::byte{});
    for (std::size_t place = 0; place < count; ++place)
        wire::store(std::span{memory.bytes}, 4 * place, element(step, at.self, place));
    const auto packet = static_cast<std::uint16_t>(std::max(4u, step.packet_bytes));
    const auto bytes = static_cast<std::uint32_t>(memory.bytes.size());
    const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    Verdict verdict;
    std::uint32_t last = at.nodes - 1;
    if (step.kind == Kind::scan) {
        const ScanPlan plan{bytes, packet, step.tag, sum, false};
        verdict.status = co_await scan(node, plan, memory.bytes);
        last = at.self;
    } else {
        const ReducePlan plan{step.tree, step.root, bytes, packet, step.tag, sum};
        if (step.kind == Kind::reduce)
            verdict.status = co_await reduce(node, plan, memory.bytes);
        else
            verdict.status = co_await allreduce(node, plan, memory.bytes);
    }
    verdict.right = true;
    if (step.kind == Kind::reduce && !at.is_root)
        co_return verdict;
    for (std::size_t place = 0; place < count; ++place) {
        std::uint32_t right = 0;
        for (std::uint32_t other = 0; other <= last; ++other)
            right += element(step, other, place);
        verdict.right =
            verdict.right && wire::load<std::uint32_t>(std::span{memory.bytes}, 4 * place) == right;
    }
    co_return verdict;
}

void copy_block(const void* blocks, std::uint32_t position, std::span<std::byte> out) {
    std::copy_n(static_cast<const std::byte*>(blocks) + position, out.size(), out.begin());
}

Task<Verdict> do_packets(Kernel& node, Self at, Lent& memory) {
    const Step& step = at.step;
    const PersonalPlan plan{step.tree,  step.schedule,     node.job().ports, step.root,
                            step.bytes, step.packet_bytes, step.tag};
    const std::size_t all = std::size_t{at.nodes} * step.bytes;
    const Segmentation segmentation{plan.block_bytes, plan.packet_bytes};
    memory.bytes.assign(all + at.nodes * segmentation.packets(), std::byte{});
    const auto blocks = std::span{memory.bytes}.first(all);
    const auto block = [&](std::uint32_t of) {
        return blocks.subspan(std::size_t{of} * step.bytes, step.bytes);
    };
    const bool scatters = step.what == Exchange::scatter || step.what == Exchange::allgather;
    Verdict verdict{Status::ok, true};
    if (scatters && at.is_root) {
        for (std::uint32_t to = 0; to < at.nodes; ++to)
            fill(step, at.self, to, block(to));
        verdict.status = co_await scatter_packets(node, plan, {copy_block, blocks.data()});
    } else if (scatters) {
        verdict.status = co_await take_scattered(node, plan, block(at.self));
        verdict.right = is(step, index(step.root), at.self, block(at.self));
    } else if (at.is_root) {
        verdict.status =
            co_await take_gathered(node, plan, blocks, std::span{memory.bytes}.subspan(all));
        for (std::uint32_t from = 0; from < at.nodes; ++from)
            verdict.right = verdict.right && (from == at.self || is(step, from, 0, block(from)));
    } else {
        fill(step, at.self, 0, block(at.self));
        verdict.status = co_await gather_packets(node, plan, {copy_block, blocks.data()});
    }
    co_return verdict;
}

Task<Verdict> do_exchange(Kernel& node, Self at, Lent& memory) {
    const Step& step = at.step;
    const bool cube = node.network().topology == Topology::cube;
    PersonalPlan plan{step.tree,  step.schedule,     node.job().ports, step.root,
                      step.bytes, step.packet_bytes, step.tag,         step.copies};
    memory.bytes.assign(exchange_bytes(at.nodes, step.bytes), std::byte{});
    const bool rooted = step.what == Exchange::scatter || step.what == Exchange::gather;
    const std::uint32_t from_here = rooted ? index(step.root) : at.self;
    const auto block = [&](std::uint32_t of) {
        const std::size_t place = cube ? of ^ from_here : of;
        return std::span{memory.bytes}.subspan(place * step.bytes, step.bytes);
    };
    const bool to_each = step.what == Exchange::scatter || step.what == Exchange::alltoall;
    if (to_each && (at.is_root || !rooted))
        for (std::uint32_t to = 0; to < at.nodes; ++to)
            fill(step, at.self, to, block(to));
    else if (!to_each)
        fill(step, at.self, 0, block(at.self));
    Verdict verdict{Status::ok, true};
    verdict.status = co_await exchange(node, plan, step.what, memory.bytes, &memory.arrivals);
    if (step.what == Exchange::scatter)
        verdict.right = is(step, index(step.root), at.self, block(at.self));
    else if (!rooted || at.is_root)
        for (std::uint32_t from = 0; from < at.nodes; ++from)
            verdict.right = verdict.right && is(step, from, to_each ? at.self : 0, block(from));
    co_return verdict;
}

std::size_t add(const void*, const AscendOperands& pair, std::span<std::byte> result) {
    wire::store(result, 0,
                wire::load<std::uint32_t>(pair.lower, 0) +
                    wire::load<std::uint32_t>(pair.upper, 0));
    return 4;
}

Task<Verdict> do_ascend(Kernel& node, Self at, Lent& memory) {
    memory.bytes.assign(256, std::byte{});
    AscendBlock block{node.network(), memory.bytes};
    wire::store(block.resize(4), 0, element(at.step, at.self, 0));
    const AscendPlan plan{.oper = {add}, .tag = at.step.tag};
    Verdict verdict;
    if (at.step.late % 2 != 0)
        verdict.status = co_await ascend(node, plan, block);
    else
        verdict.status = co_await descend(node, plan, block);
    std::uint32_t right = 0;
    for (std::uint32_t other = 0; other < at.nodes; ++other)
        right += element(at.step, other, 0);
    verdict.right =
        block.value().size() == 4 && wire::load<std::uint32_t>(block.value(), 0) == right;
    co_return verdict;
}

/// The halves of the mesh, each a group; their tag is that of all.
Task<Verdict> do_group(Kernel& node, Self at) {
    std::vector<NodeId> room(at.nodes);
    const std::uint32_t half = at.self % 2;
    const auto members =
        members_if(node, room, [half](std::uint32_t other) { return other % 2 == half; });
    const Group group{node, members, at.step.tag};
    std::uint32_t value = element(at.step, at.self, 0), right = 0;
    Verdict verdict;
    verdict.status = co_await group_allreduce(node, group, value);
    for (const NodeId member : members)
        right += element(at.step, index(member), 0);
    verdict.right = value == right;
    co_return verdict;
}

Task<Verdict> do_blocks(Kernel& node, Self at) {
    std::vector<std::uint32_t> counts(at.nodes), mine, all;
    for (std::uint32_t other = 0; other < at.nodes; ++other)
        counts[other] = element(at.step, other, 1) % 5;
    for (std::uint32_t place = 0; place < counts[at.self]; ++place)
        mine.push_back(element(at.step, at.self, place));
    for (std::uint32_t other = 0; other < at.nodes; ++other)
        for (std::uint32_t place = 0; place < counts[other]; ++place)
            all.push_back(element(at.step, other, place));
    std::vector<std::uint32_t> got(all.size());
    Verdict verdict;
    verdict.status =
        co_await allgatherv(node, std::span<const std::uint32_t>{mine}, counts, std::span{got});
    verdict.right = got == all;
    co_return verdict;
}

} // namespace

Task<Verdict> do_step(Kernel& node, const Step& step, Lent* memory) {
    const Self at{step, index(node.id()), node.nodes(), node.id() == step.root};
    switch (step.kind) {
    case Kind::broadcast:
    case Kind::copies: return do_broadcast(node, at, *memory);
    case Kind::reduce:
    case Kind::allreduce:
    case Kind::scan: return do_reduction(node, at, *memory);
    case Kind::packets: return do_packets(node, at, *memory);
    case Kind::exchange: return do_exchange(node, at, *memory);
    case Kind::ascend: return do_ascend(node, at, *memory);
    case Kind::group: return do_group(node, at);
    case Kind::blocks: return do_blocks(node, at);
    case Kind::barrier:
    case Kind::kCount: break;
    }
    return do_barrier(node, at);
}

Process play_sequence(Kernel& node) {
    std::mt19937 random{sequence.seed};
    std::array<Lent, 2> memories; // by turns
    Lent* memory = nullptr;
    unsigned turn = 0;
    bool all_right = true;
    for (unsigned number = 0; number < sequence.length; ++number) {
        Step step = some_step(node.network(), node.nodes(), number, random);
        const std::uint32_t late = mix(step.late + index(node.id()));
        if (late % 4 == 0)
            co_await node.sleep((late >> 8) % 30 * wire::kTicksPerUnit);
        else if (sequence.very_late && late % 64 == 1)
            co_await node.sleep(7000 * wire::kTicksPerUnit);
        if (node.job().ports != PortModel::all && step.schedule == Schedule::level)
            step.schedule = Schedule::subtree;
        if (step.kind == Kind::group || step.kind == Kind::blocks)
            memory = nullptr; // theirs are calls of another kind
        else
            memory = &(memories[turn++ % 2] = {});
        const Verdict verdict = co_await do_step(node, step, memory);
        if (verdict.status == Status::ok && verdict.right)
            continue;
        all_right = false;
        sequence.wrong.push_back("node " + std::to_string(index(node.id())) + ", step " +
                                 std::to_string(number) + " of kind " +
                                 std::to_string(static_cast<unsigned>(step.kind)) + " over tree " +
                                 std::to_string(static_cast<unsigned>(step.tree)) + ": status " +
                                 std::to_string(static_cast<unsigned>(verdict.status)));
    }
    co_await node.sleep(60 * wire::kTicksPerUnit); // late copies
    co_return all_right ? Status::ok : Status::failed;
}

} // namespace mesh::test::call_sequence
