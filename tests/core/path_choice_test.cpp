// Personalised communication over disjoint trees, played out packet by packet, against the
// corrected figures and, where there are none, against what the links must carry.
#include "core/schedules/path_choice.hpp"
#include "core/schedules/star_paths.hpp"
#include "core/schedules/uhc_paths.hpp"
#include "packet_simulator.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace mesh {
namespace path_choice_test {

using Steps = std::uint64_t;

Steps ceil_div(Steps work, Steps links) { return (work + links - 1) / links; }

Network star(unsigned n) { return {Topology::star, static_cast<std::uint8_t>(n)}; }
Network uhc(unsigned n) { return {Topology::uhc, static_cast<std::uint8_t>(n)}; }

PathChoice<StarPaths> star_choice(unsigned n, unsigned copies, Rule rule = Rule::edt) {
    return {StarPaths{StarGraph{static_cast<std::uint8_t>(n)}, rule}, copies};
}
PathChoice<UhcPaths> uhc_choice(unsigned n, unsigned copies, Rule rule, NodeId root,
                                bool inward = false) {
    return {UhcPaths{UniHypercube{static_cast<std::uint8_t>(n)}, rule, root, inward}, copies};
}

template <class Paths>
Envelope outward(Network net, const PathChoice<Paths>& choice, unsigned tree, NodeId from,
                 std::uint32_t relative) {
    const unsigned subtree = first_subtree(net, choice.paths().rule) + tree;
    return {choice.paths().rule, static_cast<std::uint8_t>(subtree), from,
            choice.paths().place(from, relative)};
}

/// f(tree) for every member of a set.
template <class F>
void for_each_tree(std::uint32_t trees, F f) {
    for (; trees != 0; trees &= trees - 1)
        f(lowest_bit(trees));
}

/// Steps of a scatter of `packets` packets each; every copy must arrive.
template <class Paths>
Steps scatter(Network net, const PathChoice<Paths>& choice, NodeId root, unsigned packets = 1) {
    PacketSimulator simulator(net);
    for (unsigned packet = 0; packet < packets; ++packet) {
        DeepestFirst<Paths> order(choice);
        for (PathTurn turn = order.next(); turn.node != 0; turn = order.next())
            for_each_tree(turn.trees, [&](unsigned tree) {
                simulator.inject(outward(net, choice, tree, root, turn.node));
            });
    }
    std::map<NodeId, unsigned> got;
    const Steps steps = simulator.run([&](NodeId node, const Envelope&) { ++got[node]; });
    EXPECT_EQ(got.size(), node_count(net) - 1);
    for (const auto& [node, count] : got)
        EXPECT_EQ(count, packets * choice.copies()) << "node " << index(node);
    return steps;
}

/// Steps of a gather: every node starts its copies at once.
template <class Paths>
Steps gather(Network net, const PathChoice<Paths>& choice, NodeId root, unsigned packets = 1) {
    PacketSimulator simulator(net);
    for (unsigned packet = 0; packet < packets; ++packet)
        for (std::uint32_t node = 1; node < node_count(net); ++node)
            for_each_tree(choice.trees_to(node), [&](unsigned tree) {
                Envelope envelope = outward(net, choice, tree, root, node);
                std::swap(envelope.source, envelope.destination);
                envelope.inward = true;
                simulator.inject(envelope);
            });
    Steps got = 0;
    const Steps steps = simulator.run([&](NodeId, const Envelope&) { ++got; });
    EXPECT_EQ(got, Steps{packets} * choice.copies() * (node_count(net) - 1));
    return steps;
}

/// Every node sends its packets to all, over the trees that its number spreads them to.
template <class Paths>
void add_broadcasts(PacketSimulator& simulator, Network net, const PathChoice<Paths>& choice,
                    unsigned packets) {
    for (std::uint32_t node = 0; node < node_count(net); ++node)
        for (unsigned packet = 0; packet < packets; ++packet)
            for (unsigned copy = 0; copy < choice.copies(); ++copy) {
                const unsigned tree = spread_tree(choice, node_at(node), packet, copy);
                const unsigned subtree = first_subtree(net, choice.paths().rule) + tree;
                simulator.inject(
                    {choice.paths().rule, static_cast<std::uint8_t>(subtree), node_at(node)});
            }
}

template <class Paths>
Steps allgather(Network net, const PathChoice<Paths>& choice, unsigned packets = 1) {
    PacketSimulator simulator(net);
    add_broadcasts(simulator, net, choice, packets);
    return simulator.run();
}

struct Exchanged {
    Steps steps;
    Steps bound; // packets over links, shared by all links
    std::size_t longest_queue;
};

/// All nodes to all, everything injected at once.
template <class Choice>
Exchanged total_exchange(Network net, Choice choice_of) {
    PacketSimulator simulator(net);
    const std::uint32_t nodes = node_count(net);
    for (std::uint32_t from = 0; from < nodes; ++from) {
        const auto choice = choice_of(node_at(from));
        for (std::uint32_t node = 1; node < nodes; ++node)
            for_each_tree(choice.trees_to(node), [&](unsigned tree) {
                simulator.inject(outward(net, choice, tree, node_at(from), node));
            });
    }
    Steps links = 0;
    for (std::uint32_t node = 0; node < nodes; ++node)
        links += static_cast<unsigned>(std::popcount(out_ports(net, node_at(node))));
    const Steps steps = simulator.run();
    return {steps, ceil_div(simulator.hops(), links), simulator.longest_queue()};
}

Exchanged in_rounds(unsigned n, unsigned copies, Rule rule) {
    const Network net = star(n);
    const auto choice = star_choice(n, copies, rule);
    PacketSimulator simulator(net);
    Rounds rounds(choice);
    Steps clock = 0;
    for (auto round = rounds.next(); round.links != 0; round = rounds.next()) {
        for (std::uint32_t from = 0; from < node_count(net); ++from)
            for_each_tree(round.trees, [&](unsigned tree) {
                simulator.inject(outward(net, choice, tree, node_at(from), round.nodes[tree]),
                                 clock);
            });
        clock += round.links;
    }
    const Steps steps = simulator.run();
    return {steps, clock, simulator.longest_queue()};
}

// Choices -------------------------------------------------------------------------------------

/// Every node gets as many trees as copies, and they are the ones with the fewest links.
template <class Paths>
void expect_nearest_trees(const PathChoice<Paths>& choice) {
    for (std::uint32_t node = 1; node < choice.paths().nodes(); ++node) {
        const PathLook look = choice.paths().look(node);
        const std::uint32_t trees = choice.trees_to(node);
        ASSERT_EQ(static_cast<unsigned>(std::popcount(trees)), choice.copies());
        ASSERT_EQ(trees >> choice.paths().trees(), 0u);
        for (unsigned in = 0; in < choice.paths().trees(); ++in)
            for (unsigned out = 0; out < choice.paths().trees(); ++out)
                if ((trees >> in & 1u) != 0 && (trees >> out & 1u) == 0) {
                    ASSERT_LE(look.links[in], look.links[out]) << "node " << node;
                }
    }
}

TEST(PathChoices, TakeTheNearestTrees) {
    for (unsigned n = 3; n <= 6; ++n)
        for (unsigned copies = 1; copies < n; ++copies)
            expect_nearest_trees(star_choice(n, copies));
    for (unsigned n = 2; n <= 8; ++n)
        for (unsigned copies = 1; copies <= n / 2; ++copies)
            for (const bool inward : {false, true})
                expect_nearest_trees(uhc_choice(n, copies, Rule::ist, node_at(1), inward));
}

/// The links that a look promises are those of the way up.
template <class Paths>
void expect_links_of_the_tree(Network net, const Paths& paths, NodeId root) {
    for (std::uint32_t node = 1; node < paths.nodes(); ++node) {
        ASSERT_EQ(paths.relative(root, paths.place(root, node)), node);
        const PathLook look = paths.look(node);
        for (unsigned tree = 0; tree < paths.trees(); ++tree) {
            const unsigned subtree = first_subtree(net, paths.rule) + tree;
            unsigned links = 0;
            for (NodeId at = paths.place(root, node); at != root; ++links)
                at = neighbor(net, at, parent(net, paths.rule, subtree, root, at));
            ASSERT_EQ(look.links[tree], links) << "node " << node << " tree " << tree;
        }
    }
}

TEST(PathChoices, KnowHowManyLinksEachTreeTakes) {
    for (unsigned n = 3; n <= 6; ++n)
        for (const Rule rule : {Rule::edt, Rule::edt_v2})
            expect_links_of_the_tree(star(n), star_choice(n, 1, rule).paths(), node_at(4));
    for (unsigned n = 2; n <= 9; ++n)
        for (const Rule rule : {Rule::ist, Rule::adst, Rule::bts})
            for (const std::uint32_t root : {0u, 1u, 3u})
                if (subtree_count(uhc(n), rule) != 0)
                    expect_links_of_the_tree(uhc(n), uhc_choice(n, 1, rule, node_at(root)).paths(),
                                             node_at(root));
}

// Star ----------------------------------------------------------------------------------------

TEST(StarScatter, TakesTheStepsOfTheBusiestLinkForAnyCopiesAndBackAgain) {
    for (unsigned n = 3; n <= 6; ++n) {
        const std::uint32_t others = node_count(star(n)) - 1;
        for (unsigned copies = 1; copies < n; ++copies)
            for (const Rule rule : {Rule::edt, Rule::edt_v2})
                for (const unsigned packets : {1u, 2u, 5u}) {
                    const auto choice = star_choice(n, copies, rule);
                    const NodeId root = node_at((7 * n + packets) % (others + 1));
                    if (n == 6 && packets > 1)
                        continue;
                    const Steps expected = packets * ceil_div(copies * others, n - 1);
                    EXPECT_EQ(scatter(star(n), choice, root, packets), expected)
                        << "n=" << n << " copies " << copies << " packets " << packets;
                    EXPECT_EQ(gather(star(n), choice, root, packets), expected)
                        << "n=" << n << " copies " << copies << " packets " << packets;
                }
    }
}

TEST(StarScatter, AtFullCopiesTakesAStepForEachOtherNode) {
    const std::map<unsigned, Steps> figures{{3, 5}, {4, 23}, {5, 119}, {6, 719}};
    for (const auto& [n, steps] : figures) {
        EXPECT_EQ(scatter(star(n), star_choice(n, n - 1), node_at(n)), steps);
        EXPECT_EQ(gather(star(n), star_choice(n, n - 1), node_at(n)), steps);
    }
}

TEST(StarAllgather, AtFullCopiesTakesAStepForEachBlockOfTheOthers) {
    const std::map<unsigned, std::pair<Steps, std::size_t>> figures{
        {3, {5, 1}}, {4, {23, 7}}, {5, {119, 33}}};
    for (const auto& [n, figure] : figures) {
        PacketSimulator simulator(star(n));
        add_broadcasts(simulator, star(n), star_choice(n, n - 1), 1);
        EXPECT_EQ(simulator.run(), figure.first);
        EXPECT_EQ(simulator.longest_queue(), figure.second);
    }
    EXPECT_EQ(allgather(star(4), star_choice(4, 3), 6), 6u * 23);
    EXPECT_EQ(allgather(star(4), star_choice(4, 2), 3), 2u * 23); // a multiple of n-1
    EXPECT_EQ(allgather(star(4), star_choice(4, 1), 3), 23u);
}

TEST(StarAllgather, SpreadsFewCopiesOverAllLinks) {
    EXPECT_EQ(allgather(star(4), star_choice(4, 1)), 12u);
    EXPECT_EQ(allgather(star(5), star_choice(5, 1)), 43u);
}

TEST(StarExchange, InRoundsKeepsEveryLinkBusyInEveryStepAndNeverAsksOneTwice) {
    const std::map<std::pair<Rule, unsigned>, Steps> figures{
        {{Rule::edt, 3}, 15},    {{Rule::edt, 4}, 96},    {{Rule::edt, 5}, 648},
        {{Rule::edt_v2, 3}, 15}, {{Rule::edt_v2, 4}, 94}, {{Rule::edt_v2, 5}, 638}};
    for (const auto& [which, steps] : figures) {
        const auto [rule, n] = which;
        const Exchanged rounds = in_rounds(n, n - 1, rule);
        EXPECT_EQ(rounds.steps, steps);
        EXPECT_EQ(rounds.bound, steps);
        EXPECT_EQ(rounds.longest_queue, 1u);
        const auto choice = star_choice(n, n - 1, rule);
        EXPECT_EQ(total_exchange(star(n), [&](NodeId) { return choice; }).steps, steps);
    }
}

TEST(StarExchange, WithFewCopiesIsWithinAStepOfTheWorkUnlessInRounds) {
    const std::map<unsigned, std::vector<Steps>> figures{{4, {21, 54}}, {5, {111, 262, 445}}};
    for (const auto& [n, steps] : figures)
        for (unsigned copies = 1; copies < n - 1; ++copies) {
            const auto choice = star_choice(n, copies);
            const Exchanged queued = total_exchange(star(n), [&](NodeId) { return choice; });
            EXPECT_EQ(queued.steps, steps[copies - 1]);
            EXPECT_LE(queued.steps, queued.bound + 1);
            const Exchanged rounds = in_rounds(n, copies, Rule::edt);
            EXPECT_GT(rounds.steps, queued.steps);
            EXPECT_EQ(rounds.longest_queue, 1u);
        }
}

// Faults --------------------------------------------------------------------------------------

using Pairs = std::set<std::pair<NodeId, NodeId>>;

/// The pairs (source, receiver) of delivered packets, with these nodes dead from the beginning.
Pairs delivered(Network net, const PathChoice<StarPaths>& choice, const std::vector<NodeId>& dead,
                Steps& steps) {
    PacketSimulator simulator(net);
    for (const NodeId node : dead)
        simulator.kill(node);
    add_broadcasts(simulator, net, choice, 1);
    Pairs pairs;
    steps = simulator.run(
        [&](NodeId node, const Envelope& envelope) { pairs.emplace(envelope.source, node); });
    return pairs;
}

TEST(StarAllgather, OnceMoreCopiesThanDeadNodesLoseNothing) {
    for (unsigned copies = 1; copies <= 3; ++copies) {
        for (std::uint32_t one = 0; one < 24; ++one)
            for (std::uint32_t other = one; other < 24; ++other) {
                const std::vector<NodeId> dead{node_at(one), node_at(other)};
                const unsigned faults = one == other ? 1 : 2;
                if (faults != copies - 1)
                    continue;
                Steps steps = 0;
                const Pairs pairs = delivered(star(4), star_choice(4, copies), dead, steps);
                EXPECT_EQ(pairs.size(), (24 - faults) * (23 - faults)) << one << " " << other;
                EXPECT_LE(steps, 23u);
            }
    }
    Steps steps = 0; // one copy does not survive
    const std::vector<NodeId> dead{node_at(1)};
    EXPECT_LT(delivered(star(4), star_choice(4, 1), dead, steps).size(), 23u * 22);
}

// UHC -----------------------------------------------------------------------------------------

TEST(UhcScatter, MeetsTheBoundOfTheRootsLinksWhereTheDimIsEven) {
    for (unsigned n = 2; n <= 8; n += 2)
        for (unsigned copies = 1; copies <= n / 2; ++copies)
            for (const Rule rule : {Rule::ist, Rule::adst})
                for (const std::uint32_t root : {0u, 1u, 3u}) {
                    const Steps bound = ceil_div(Steps{copies} * ((1u << n) - 1), n / 2);
                    const NodeId at = node_at(root);
                    EXPECT_EQ(scatter(uhc(n), uhc_choice(n, copies, rule, at), at), bound);
                    EXPECT_EQ(gather(uhc(n), uhc_choice(n, copies, rule, at, true), at), bound)
                        << name(rule) << " n=" << n << " copies " << copies << " root " << root;
                }
}

TEST(UhcScatter, IsWithinATenthOfTheTreesBoundWhereTheDimIsOdd) {
    for (unsigned n = 3; n <= 9; n += 2)
        for (unsigned copies = 1; copies <= n / 2; ++copies)
            for (const std::uint32_t root : {0u, 1u}) {
                const NodeId at = node_at(root);
                const Steps bound = ceil_div(Steps{copies} * ((1u << n) - 1), n / 2);
                const Steps out = scatter(uhc(n), uhc_choice(n, copies, Rule::ist, at), at);
                const Steps in = gather(uhc(n), uhc_choice(n, copies, Rule::ist, at, true), at);
                EXPECT_GE(out, bound);
                EXPECT_LE(out, bound + ceil_div(bound, 9)) << "n=" << n << " copies " << copies;
                EXPECT_GE(in, bound);
                EXPECT_LE(in, bound + ceil_div(bound, 9)) << "n=" << n << " copies " << copies;
            }
}

TEST(UhcScatter, OverASingleTreeReachesEveryNodeAndBack) {
    for (unsigned n = 2; n <= 7; ++n) {
        const NodeId root = node_at(2);
        const Steps least = ceil_div((1u << n) - 1, (n + 1) / 2);
        EXPECT_GE(scatter(uhc(n), uhc_choice(n, 1, Rule::bts, root), root), least);
        EXPECT_GE(gather(uhc(n), uhc_choice(n, 1, Rule::bts, root, true), root), least);
    }
}

TEST(UhcAllgather, AtFullCopiesTakesAStepForEachBlockOfTheOthers) {
    for (unsigned n = 2; n <= 8; ++n)
        EXPECT_EQ(allgather(uhc(n), uhc_choice(n, n / 2, Rule::ist, node_at(0))), (1u << n) - 1);
}

TEST(UhcExchange, IsNearTheWorkOfItsTreesAndMeetsTheSumOfDistancesOverAdst) {
    const std::map<std::pair<Rule, unsigned>, Steps> figures{
        {{Rule::ist, 4}, 24},  {{Rule::ist, 6}, 89},  {{Rule::ist, 8}, 340},
        {{Rule::adst, 4}, 22}, {{Rule::adst, 6}, 84}, {{Rule::adst, 8}, 332}};
    for (const auto& [which, steps] : figures) {
        const Rule rule = which.first;
        const unsigned n = which.second;
        const auto choice = [rule, n](NodeId from) { return uhc_choice(n, 1, rule, from); };
        const Exchanged all = total_exchange(uhc(n), choice);
        EXPECT_EQ(all.steps, steps) << name(rule) << " n=" << n;
        EXPECT_GE(all.steps, all.bound);
    }
    for (const unsigned n : {4u, 6u}) {
        Steps distances = 0;
        for (std::uint32_t node = 1; node < 1u << n; ++node)
            distances += distance(uhc(n), node_at(0), node_at(node));
        EXPECT_EQ(ceil_div(distances, n / 2), (figures.at({Rule::adst, n})));
    }
}

} // namespace path_choice_test
} // namespace mesh
