// The steps of reductions and scans: those of the broadcasts that they run backwards.
#include "reduction_work.hpp"

namespace mesh::test {
namespace reduction_steps_test {

/// Closed forms of a broadcast of `packets` down the tree (ho-johnsson-1986, table 3, corrected);
/// 0: there is none.
std::uint64_t broadcast_steps(unsigned n, Rule tree, PortModel ports, std::uint64_t packets) {
    const std::uint64_t nodes = 1u << n;
    const bool half = ports == PortModel::half;
    if (tree == Rule::hp)
        return half ? 2 * packets + nodes - 3 : packets + nodes - 2;
    if (tree == Rule::msbt && ports == PortModel::all)
        return (packets + n - 1) / n + n;
    if (tree == Rule::msbt)
        return half ? 2 * packets + n - 1 : packets + n;
    if (ports == PortModel::all)
        return packets + n - 1;
    if (tree == Rule::sbt || tree == Rule::bs)
        return n * packets;
    if (tree != Rule::tcbt)
        return 0;
    if (!half)
        return 2 * (packets + n - 2);
    return n == 2 ? 2 * packets : 3 * packets + 2 * n - 5;
}

constexpr std::array kSteppedTrees{Rule::sbt, Rule::bs, Rule::hp, Rule::tcbt, Rule::msbt};
constexpr std::array kBalancedTrees{Rule::sbnt_minr, Rule::sbnt_maxl, Rule::sbnt_minbl,
                                    Rule::sbnt_maxbr, Rule::sbg};

template <class Trees, class Check>
void for_each_run(What what, const Trees& trees, std::uint8_t dim_max, Check check) {
    std::minstd_rand random{7};
    for (std::uint8_t n = 2; n <= dim_max; ++n)
        for (const Rule tree : trees)
            for (const PortModel ports : kPortModels)
                for (const std::uint32_t packets : {1u, 3u, n + 0u, 2u * n + 1, 3u * n + 2}) {
                    const Network network{Topology::cube, n};
                    const auto root = static_cast<std::uint32_t>(random() >> 8) % (1u << n);
                    if (!kernel_has(network, tree))
                        continue;
                    work = {.what = what, .plan = words_plan(tree, root, packets)};
                    const std::uint64_t steps = run_and_check(network, ports);
                    SCOPED_TRACE(told(network, ports));
                    check(n, tree, ports, packets, steps);
                }
}

TEST(Reduce, TakesTheStepsOfTheBroadcast) {
    for_each_run(
        What::reduce, kSteppedTrees, 5,
        [](unsigned n, Rule tree, PortModel ports, std::uint32_t packets, std::uint64_t steps) {
            EXPECT_EQ(steps, broadcast_steps(n, tree, ports, packets));
        });
}

// No closed form for one port is known for these: the steps measured for n = 2..5.
TEST(Reduce, OverBalancedTreesTakesHeightAndPacketsOrTheDegreeOfTheRoot) {
    for_each_run(What::reduce, kBalancedTrees, 5,
                 [](unsigned n, Rule, PortModel ports, std::uint32_t packets, std::uint64_t steps) {
                     EXPECT_EQ(steps,
                               ports == PortModel::all ? packets + n - 1 : n * packets + n - 2);
                 });
    for_each_run(What::reduce, std::array{Rule::alt}, 5,
                 [](unsigned n, Rule, PortModel ports, std::uint32_t packets, std::uint64_t steps) {
                     const std::uint32_t least =
                         ports == PortModel::all ? packets + n - 1 : n * packets;
                     EXPECT_GE(steps, least);
                     EXPECT_LE(steps, ports == PortModel::all ? least : least + 2 * n);
                 });
}

// On the path every packet waits for the one before: the last send of a node ends when its parent
// has all, and under half no node asks for more before its send has ended.
TEST(Reduce, UnderHalfEachNodeIsDoneWhenItsParentHasItsLastPacket) {
    const Network network{Topology::cube, 3};
    const std::uint32_t packets = 4;
    work = {.plan = words_plan(Rule::hp, 0, packets)};
    fill_work(8);
    Rig rig{network, works};
    rig.run({.ports = PortModel::half});
    std::uint64_t last = steps_of(rig);
    EXPECT_EQ(last, broadcast_steps(3, Rule::hp, PortModel::half, packets));
    for (NodeId node = node_at(0); index(node) != 4; --last) { // 4 is the end of the path
        node = neighbor(network, node, children(network, Rule::hp, 0, node_at(0), node).pop());
        EXPECT_EQ(rig.report(index(node)).finish_time / kUnit, last) << "node " << index(node);
    }
}

// Up and down run at once where a node has all its ports; else one after the other.
TEST(Allreduce, TakesTheStepsOfAReduceAndTheHeightOrABroadcast) {
    for_each_run(
        What::allreduce, kSteppedTrees, 5,
        [](unsigned n, Rule tree, PortModel ports, std::uint32_t packets, std::uint64_t steps) {
            const std::uint64_t up = broadcast_steps(n, tree, ports, packets);
            const unsigned down =
                height<CubeRules>({Topology::cube, static_cast<std::uint8_t>(n)}, tree);
            if (ports == PortModel::all)
                EXPECT_EQ(steps, up + down);
            else if (tree != Rule::msbt)
                EXPECT_EQ(steps, 2 * up);
            else // as good as the broadcast
                EXPECT_GE(steps, 2 * up);
        });
}

TEST(Scan, TakesOneExchangeForEachPacketAndDimension) {
    for_each_run(What::scan, std::array{Rule::sbt}, 5,
                 [](unsigned n, Rule, PortModel ports, std::uint32_t packets, std::uint64_t steps) {
                     EXPECT_EQ(steps, (ports == PortModel::half ? 2 : 1) * n * packets);
                 });
}

} // namespace reduction_steps_test
} // namespace mesh::test
