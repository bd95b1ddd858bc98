// Reductions and scans: their results, for every operator, shape and raggedness, and their ends
// with bad plans, noise, cuts and no memory.
#include "reduction_work.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <type_traits>

namespace mesh::test {
namespace reduction_test {

// Values ------------------------------------------------------------------------------------------

template <class T>
T naive(Operator op, T left, T right) {
    if (op == Operator::sum) {
        if constexpr (std::is_same_v<T, std::int32_t>)
            return static_cast<T>(std::int64_t{left} + right); // wraps around
        else
            return left + right;
    }
    if (op == Operator::min)
        return std::min(left, right);
    if (op == Operator::max)
        return std::max(left, right);
    if constexpr (!std::is_same_v<T, float>) {
        if (op == Operator::band)
            return left & right;
        return op == Operator::bor ? left | right : left ^ right;
    }
    return 0;
}

template <class T>
void expect_operator(Operator op, ElementType type) {
    const auto found = combiner(op, type);
    ASSERT_TRUE(found.has_value());
    ASSERT_EQ(found->element_bytes, sizeof(T));
    constexpr std::size_t kCount = 40;
    for (std::size_t shift = 0; shift < 4; ++shift) { // at any address
        Bytes left = random_bytes(shift + kCount * sizeof(T), 3),
              right = random_bytes(left.size(), 4);
        if (type == ElementType::f32)
            for (std::size_t k = 0; k < kCount; ++k) {
                wire::store(left, shift + k * sizeof(T), static_cast<T>(k) - 7);
                wire::store(right, shift + k * sizeof(T), static_cast<T>(k % 9) + 3);
            }
        for (const bool into_left : {true, false}) {
            Bytes a = left, b = right;
            const auto x = std::span{a}.subspan(shift), y = std::span{b}.subspan(shift);
            (*found)(x, y, into_left ? x : y);
            for (std::size_t at = 0; at < x.size(); at += sizeof(T))
                EXPECT_EQ(
                    wire::load<T>(into_left ? x : y, at),
                    naive(op, wire::load<T>(left, shift + at), wire::load<T>(right, shift + at)))
                    << "operator " << static_cast<int>(op) << " type " << static_cast<int>(type);
        }
    }
}

constexpr std::array kOperators{Operator::sum,  Operator::min, Operator::max,
                                Operator::band, Operator::bor, Operator::bxor};

TEST(Combiner, DoesWhatItsNameSaysOnEachTypeAtAnyAddress) {
    for (const Operator op : kOperators) {
        expect_operator<std::int32_t>(op, ElementType::i32);
        expect_operator<std::uint32_t>(op, ElementType::u32);
        if (op < Operator::band)
            expect_operator<float>(op, ElementType::f32);
        else
            EXPECT_FALSE(combiner(op, ElementType::f32).has_value());
    }
    EXPECT_FALSE(combiner(static_cast<Operator>(6), ElementType::u32).has_value());
    EXPECT_FALSE(combiner(Operator::sum, static_cast<ElementType>(3)).has_value());
}

// x -> a*x + b on words, the left one first: associative, not commutative.
void compose(const void*, std::span<const std::byte> left, std::span<const std::byte> right,
             std::span<std::byte> result) {
    for (std::size_t at = 0; at < result.size(); at += 8) {
        const auto a = wire::load<std::uint32_t>(left, at),
                   b = wire::load<std::uint32_t>(left, at + 4);
        const auto c = wire::load<std::uint32_t>(right, at),
                   d = wire::load<std::uint32_t>(right, at + 4);
        wire::store(result, at, a * c);
        wire::store(result, at + 4, b * c + d);
    }
}

void xor_of_three_bytes(const void*, std::span<const std::byte> left,
                        std::span<const std::byte> right, std::span<std::byte> result) {
    ASSERT_EQ(result.size() % 3, 0u);
    for (std::size_t at = 0; at < result.size(); ++at)
        result[at] = left[at] ^ right[at];
}

TEST(Reduction, OfAnySizeByAnyTreeAndPortsIsThatOfAllNodes) {
    std::minstd_rand random{11};
    for (const What what : {What::reduce, What::allreduce})
        for (const Rule tree : kCubeTrees)
            for (const PortModel ports : kPortModels)
                for (const std::uint32_t elements : {0u, 1u, 5u, 6u, 41u}) {
                    const auto n = static_cast<std::uint8_t>(1 + (random() >> 8) % 4);
                    const Network network{Topology::cube, n};
                    if (!kernel_has(network, tree))
                        continue;
                    const auto root = static_cast<std::uint32_t>(random() >> 8) % (1u << n);
                    work = {.what = what,
                            .plan = {.tree = tree,
                                     .root = node_at(root),
                                     .total_bytes = 3 * elements,
                                     .packet_bytes = 16,
                                     .tag = 3,
                                     .combiner = {xor_of_three_bytes, 3}}};
                    run_and_check(network, ports, elements);
                }
}

TEST(Reduction, OnOtherNetworksIsThatOfAllNodesToo) {
    std::minstd_rand random{13};
    for (const What what : {What::reduce, What::allreduce})
        for (unsigned number = 0; number < static_cast<unsigned>(Rule::kCount); ++number)
            for (const Network network : {Network{Topology::uhc, 3}, Network{Topology::uhc, 4},
                                          Network{Topology::star, 3}, Network{Topology::star, 4}})
                for (const PortModel ports : kPortModels) {
                    const auto tree = static_cast<Rule>(number);
                    if (subtree_count(network, tree) == 0)
                        continue;
                    const auto root =
                        static_cast<std::uint32_t>(random() >> 8) % node_count(network);
                    const bool noisy = network.dim == 3 && ports == PortModel::all;
                    work = {.what = what, .plan = words_plan(tree, root, 1 + root % 7)};
                    run_and_check(network, ports, number + 1, noisy ? kLoud : Noise{});
                }
}

TEST(Reduction, GivesTheSameFloatsEveryTimeWhateverTheOrderOnTheCables) {
    for (const What what : {What::reduce, What::allreduce})
        for (const Rule tree : {Rule::sbt, Rule::hp, Rule::msbt}) {
            if (!kernel_has({Topology::cube, 4}, tree))
                continue;
            std::vector<Bytes> results;
            for (unsigned seed = 1; seed <= 4; ++seed) {
                work = {.what = what,
                        .plan = {.tree = tree,
                                 .total_bytes = 2000,
                                 .packet_bytes = 256,
                                 .combiner = *combiner(Operator::sum, ElementType::f32)}};
                fill_work(16);
                for (Bytes& buffer : work.buffers)
                    for (std::size_t at = 0; at < buffer.size(); at += 4)
                        wire::store(
                            std::span{buffer}, at,
                            1.0f / static_cast<float>(1 + wire::load<std::uint16_t>(buffer, at)));
                Rig rig{{Topology::cube, 4}, works, kPool, seed};
                rig.shuffle = seed > 1;
                rig.noise = seed > 2 ? kLoud : Noise{};
                rig.run({});
                static_cast<void>(steps_of(rig));
                results.push_back(work.buffers[0]);
                EXPECT_EQ(results.back(), results.front()) << name(tree) << " seed " << seed;
            }
        }
}

TEST(Scan, CombinesLowerAddressesFirst) {
    for (const bool exclusive : {false, true})
        for (std::uint8_t n = 1; n <= 5; ++n)
            for (const PortModel ports : kPortModels)
                for (const std::uint32_t elements : {0u, 1u, 4u, 5u, 33u}) {
                    work = {.what = What::scan,
                            .plan = {.total_bytes = 8 * elements,
                                     .packet_bytes = 39,
                                     .combiner = {compose, 8}},
                            .exclusive = exclusive};
                    run_and_check({Topology::cube, n}, ports, n);
                    if (n == 3 || n == 4)
                        run_and_check({n == 3 ? Topology::uhc : Topology::star, n}, ports, n);
                }
}

TEST(Reduction, OnTheStarTakesItsTreesToo) {
    for (const Rule tree : {Rule::spt, Rule::edt})
        for (const std::uint8_t symbols : {std::uint8_t{3}, std::uint8_t{4}}) {
            const Network star{Topology::star, symbols};
            if (!kernel_has(star, tree))
                continue;
            for (const What what : {What::reduce, What::allreduce}) {
                work = {.what = what, .plan = words_plan(tree, 4, 7)};
                run_and_check(star, PortModel::all);
            }
        }
}

// The world is not perfect
// -------------------------------------------------------------------------

TEST(Reduction, OnNoisyCablesIsRightAndTakesTheSameSteps) {
    for (const What what : {What::reduce, What::allreduce, What::scan})
        for (const Rule tree : {Rule::sbt, Rule::tcbt, Rule::msbt})
            for (const PortModel ports : kPortModels) {
                const Network network{Topology::cube, 3};
                if (!kernel_has(network, tree))
                    continue;
                work = {.what = what, .plan = words_plan(tree, 5, 8)};
                const std::uint64_t steps = run_and_check(network, ports);
                for (unsigned seed = 1; seed <= 3; ++seed) {
                    const std::uint64_t again = run_and_check(network, ports, seed, kLoud);
                    // Where results and operands meet on the way, the first to come goes first.
                    const bool exact =
                        what != What::allreduce || (ports == PortModel::all && tree != Rule::msbt);
                    EXPECT_EQ(exact ? again : steps, steps)
                        << told(network, ports) << " seed " << seed;
                }
            }
}

Process one_after_the_other(Kernel& node) {
    Bytes& buffer = work.buffers[index(node.id())];
    Status status = Status::ok;
    for (std::uint32_t round = 0; round < 24 && status == Status::ok; ++round) {
        ReducePlan plan = work.plan;
        plan.tree = round % 4 == 3 ? Rule::hp : work.plan.tree;
        plan.root = node_at(round * 5 % node.nodes());
        const ScanPlan prefixes{plan.total_bytes, plan.packet_bytes, plan.tag, plan.combiner};
        if (round % 3 == 0)
            status = co_await allreduce(node, plan, buffer);
        else if (round % 3 == 1)
            status = co_await scan(node, prefixes, buffer);
        else
            status = co_await reduce(node, plan, buffer);
    }
    co_return status;
}

TEST(Reduction, AfterReductionUnderTheSameTagKeepsThemApart) {
    for (const Rule tree : {Rule::sbt, Rule::msbt}) {
        if (!kernel_has({Topology::cube, 3}, tree))
            continue;
        std::deque<Bytes> right;
        for (const PortModel ports : kPortModels)
            for (unsigned seed = 1; seed <= 5; ++seed) {
                work = {.plan = words_plan(tree, 0, 5)};
                fill_work(8);
                Rig rig{{Topology::cube, 3}, one_after_the_other, kPool, seed};
                rig.shuffle = seed > 1;
                rig.noise = seed > 2 ? kLoud : Noise{};
                rig.run({.ports = ports});
                static_cast<void>(steps_of(rig));
                if (right.empty())
                    right = work.buffers;
                EXPECT_EQ(work.buffers, right)
                    << name(tree) << " ports " << static_cast<int>(ports) << " seed " << seed;
            }
    }
}

// Two packets of each child, one question of each parent, the packet that is being sent, and the
// node's own.
TEST(Reduction, OfManyPacketsKeepsFewInEachNode) {
    for (const What what : {What::reduce, What::scan})
        for (const Rule tree : {Rule::sbt, Rule::msbt})
            for (const PortModel ports : kPortModels) {
                constexpr std::uint8_t kDim = 3;
                if (!kernel_has({Topology::cube, kDim}, tree))
                    continue;
                work = {.what = what, .plan = words_plan(tree, 6, 150)};
                fill_work(8);
                Rig rig{{Topology::cube, kDim}, works, 40};
                rig.shuffle = true;
                rig.run({.ports = ports});
                static_cast<void>(steps_of(rig));
                for (std::uint32_t id = 0; id < rig.size(); ++id)
                    EXPECT_LE(rig.kernel(id).pool().used_max(), kNodesOwn + 5u * kDim)
                        << name(tree) << " ports " << static_cast<int>(ports);
            }
}

std::vector<ReducePlan> bad_plans;

Process reduces_badly(Kernel& node) {
    std::array<std::byte, 16> buffer{};
    for (const ReducePlan& plan : bad_plans) {
        const Status one = co_await reduce(node, plan, buffer);
        const Status all = co_await allreduce(node, plan, buffer);
        if (one != Status::bad_argument || all != Status::bad_argument)
            co_return Status::failed;
        const ScanPlan prefixes{plan.total_bytes, plan.packet_bytes, plan.tag, plan.combiner};
        const bool of_tree = plan.tree != Rule::sbt || index(plan.root) != 0;
        if (of_tree)
            continue;
        const Status each = co_await scan(node, prefixes, buffer);
        if (each != Status::bad_argument)
            co_return Status::failed;
    }
    co_return Status::ok;
}

TEST(Reduction, OfABadPlanIsRefusedAtOnce) {
    const Combiner sum = *combiner(Operator::sum, ElementType::u32);
    bad_plans = {
        {.tree = Rule::unicast, .total_bytes = 16, .combiner = sum},
        {.tree = static_cast<Rule>(200), .total_bytes = 16, .combiner = sum},
        {.tree = Rule::spt, .total_bytes = 16, .combiner = sum},
        {.root = node_at(2), .total_bytes = 16, .combiner = sum},
        {.total_bytes = 20, .combiner = sum},                       // no room
        {.total_bytes = 15, .combiner = sum},                       // part of an element
        {.total_bytes = 16, .packet_bytes = 3, .combiner = sum},    // an element does not fit
        {.total_bytes = 16, .packet_bytes = 1025, .combiner = sum}, // a packet does not
        {.total_bytes = 16},
        {.total_bytes = 16, .combiner = {sum.combine, 0}},
    };
    Rig rig{{Topology::cube, 1}, reduces_badly, 40};
    rig.run({});
    static_cast<void>(steps_of(rig));
    EXPECT_EQ(rig.total(Counter::packets_injected), 0u);
}

Process of_different_minds(Kernel& node) {
    ReducePlan plan = work.plan;
    plan.total_bytes = index(node.id()) == 0 ? 8 : 4;
    const std::span<std::byte> buffer = work.buffers[index(node.id())];
    const ScanPlan prefixes{plan.total_bytes, plan.packet_bytes, plan.tag, plan.combiner};
    Status status = Status::ok;
    if (work.what == What::scan)
        status = co_await scan(node, prefixes, buffer);
    else
        status = co_await reduce(node, plan, buffer);
    co_return status;
}

TEST(Reduction, OfSegmentsThatDifferInSizeIsNotDone) {
    for (const What what : {What::reduce, What::scan}) {
        work = {.what = what, .plan = words_plan(Rule::sbt, 0, 2)};
        fill_work(2);
        Rig rig{{Topology::cube, 1}, of_different_minds, 40};
        rig.run({});
        // The node that sees it first says so; the other one then misses a packet.
        EXPECT_NE(rig.report(0).status, 0u);
        EXPECT_NE(rig.report(1).status, 0u);
        EXPECT_EQ(std::max(rig.report(0).status, rig.report(1).status),
                  static_cast<std::uint32_t>(Status::bad_argument));
    }
}

TEST(Reduction, OverACutLinkIsUnreachableToThoseWhoSpeakOverIt) {
    for (const What what : {What::reduce, What::allreduce, What::scan}) {
        work = {.what = what, .plan = words_plan(Rule::sbt, 0, 4)};
        fill_work(4);
        Rig rig{{Topology::cube, 2}, works, 40};
        rig.is_cut = [&](NodeId from, Port port) {
            const NodeId to = neighbor(Network{Topology::cube, 2}, from, port);
            return rig.started && index(from) + index(to) == 1; // between 0 and 1
        };
        rig.run({});
        EXPECT_EQ(rig.report(0).done, 1u);
        EXPECT_EQ(rig.report(0).status, static_cast<std::uint32_t>(Status::unreachable));
        for (std::uint32_t id = 1; id < 4; ++id)
            EXPECT_TRUE(what == What::reduce || rig.report(id).done == 0 ||
                        rig.report(id).status != 0)
                << "node " << id << " cannot have it all";
    }
}

TEST(Reduction, WithAnArenaOfAnySizeEndsInNoMemoryOrInSuccess) {
    for (const What what : {What::reduce, What::allreduce, What::scan})
        for (const Rule tree : {Rule::sbt, Rule::msbt}) {
            if (!kernel_has({Topology::cube, 2}, tree))
                continue;
            bool ever_ok = false, ever_not = false;
            for (std::size_t bytes = 0; bytes <= 16 * 1024; bytes += Arena::kGrain) {
                work = {.what = what, .plan = words_plan(tree, 1, 5)};
                fill_work(4);
                const Bytes right = folded(work.buffers, 0, 3);
                Rig rig{{Topology::cube, 2}, works, 40, 1, bytes};
                rig.run({});
                unsigned ok = 0, no_memory = 0;
                for (std::uint32_t id = 0; id < 4; ++id) {
                    const wire::NodeReport report = rig.report(id);
                    const auto status = static_cast<Status>(report.status);
                    ok += report.done != 0 && status == Status::ok ? 1 : 0;
                    no_memory += report.done != 0 && status == Status::no_memory ? 1 : 0;
                }
                EXPECT_TRUE(ok == 4 || no_memory > 0) << "arena of " << bytes << " bytes";
                const Bytes& got = work.buffers[what == What::scan ? 3 : 1];
                EXPECT_TRUE(ok != 4 || got == right) << "arena of " << bytes << " bytes";
                ever_ok = ever_ok || ok == 4;
                ever_not = ever_not || ok == 0;
            }
            EXPECT_TRUE(ever_ok && ever_not);
        }
}

TEST(Reduction, WithAPoolThatIsTooSmallEndsInNoMemory) {
    for (const What what : {What::reduce, What::allreduce, What::scan}) {
        work = {.what = what, .plan = words_plan(Rule::sbt, 0, 1)};
        fill_work(4);
        Rig rig{{Topology::cube, 2}, works, 4};
        rig.run({});
        for (std::uint32_t id = 0; id < 4; ++id)
            EXPECT_EQ(rig.report(id).status, static_cast<std::uint32_t>(Status::no_memory));
    }
}

} // namespace reduction_test
} // namespace mesh::test
