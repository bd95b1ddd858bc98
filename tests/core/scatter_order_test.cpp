// The orders in which the source of a scatter sends, against their definitions made another way.
#include "core/schedules/scatter_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace mesh {
namespace scatter_order_test {

using Word = std::uint32_t;

constexpr unsigned kDims = 8;
constexpr Rule kTrees[] = {Rule::sbt, Rule::sbnt_minr, Rule::sbnt_maxl, Rule::sbnt_minbl,
                           Rule::sbnt_maxbr};

struct Order {
    unsigned n;
    Rule tree;
    Schedule schedule;
    std::vector<Word> nodes;

    Network cube() const { return {Topology::cube, static_cast<std::uint8_t>(n)}; }
    Word above(Word node) const {
        return node ^ (1u << index(parent(cube(), tree, 0, node_at(0), node_at(node))));
    }
    unsigned level(Word node) const {
        unsigned links = 0;
        for (; node != 0; node = above(node))
            ++links;
        return links;
    }
    unsigned root_port(Word node) const {
        while (above(node) != 0)
            node = above(node);
        return static_cast<unsigned>(std::countr_zero(node));
    }
    std::vector<std::vector<Word>> by_port() const {
        std::vector<std::vector<Word>> lists(n);
        for (const Word node : nodes)
            lists[root_port(node)].push_back(node);
        return lists;
    }
};

/// f(order) for every order of single packets, n = 1..kDims.
template <class F>
void for_each_order(F f) {
    for (unsigned n = 1; n <= kDims; ++n)
        for (const Rule tree : kTrees)
            for (const Schedule schedule : {Schedule::gray, Schedule::port, Schedule::postorder,
                                            Schedule::rbf, Schedule::roundrobin}) {
                if (!has_schedule(tree, schedule, true))
                    continue;
                Order order{n, tree, schedule, {}};
                ScatterOrder<> source(Hypercube{static_cast<std::uint8_t>(n)}, tree, schedule);
                for (Word c = source.next(); c != 0 && order.nodes.size() <= 1u << n;
                     c = source.next())
                    order.nodes.push_back(c);
                SCOPED_TRACE(std::string(name(tree)) + " " + std::string(name(schedule)) +
                             " n=" + std::to_string(n));
                f(order);
            }
}

TEST(ScatterOrders, NameEveryDestinationExactlyOnce) {
    for_each_order([](const Order& order) {
        std::vector<Word> all((1u << order.n) - 1);
        std::iota(all.begin(), all.end(), 1u);
        std::vector<Word> named = order.nodes;
        std::ranges::sort(named);
        ASSERT_EQ(named, all);
    });
}

/// The subtree of `node` in postorder, as its definition says.
void append_postorder(const Order& order, Word node, std::vector<Word>& out) {
    PortSequence down = children(order.cube(), order.tree, 0, node_at(0), node_at(node));
    while (!down.empty())
        append_postorder(order, node ^ (1u << index(down.pop())), out);
    if (node != 0)
        out.push_back(node);
}

TEST(ScatterOrders, TheListOfEachPortIsInPostorderOrFarthestFirst) {
    for_each_order([](const Order& order) {
        const auto lists = order.by_port();
        for (unsigned port = 0; port < order.n; ++port) {
            if (order.schedule == Schedule::rbf) {
                ASSERT_TRUE(std::ranges::is_sorted(lists[port], std::greater<>{},
                                                   [&](Word node) { return order.level(node); }));
            } else if (order.schedule != Schedule::gray) {
                std::vector<Word> expected;
                append_postorder(order, 1u << port, expected);
                ASSERT_EQ(lists[port], expected);
            }
        }
    });
}

TEST(ScatterOrders, GrayCrossesThePortsAsTheGrayCodeAndPortOneAfterTheOther) {
    for_each_order([](const Order& order) {
        for (std::size_t at = 0; at < order.nodes.size(); ++at) {
            const unsigned port = order.root_port(order.nodes[at]);
            if (order.schedule == Schedule::gray) {
                ASSERT_EQ(port, static_cast<unsigned>(std::countr_zero(at + 1)));
            } else if (order.schedule == Schedule::port && at != 0) {
                ASSERT_GE(port, order.root_port(order.nodes[at - 1]));
            }
        }
    });
}

/// The first that is not exhausted, in turn.
TEST(ScatterOrders, TheOthersTakeThePortsInTurn) {
    for_each_order([](const Order& order) {
        if (order.schedule == Schedule::gray || order.schedule == Schedule::port)
            return;
        const bool mirrored = order.tree == Rule::sbnt_maxl || order.tree == Rule::sbnt_minbl;
        const auto lists = order.by_port();
        std::vector<std::size_t> taken(order.n, 0);
        unsigned turn = 0;
        for (const Word node : order.nodes) {
            unsigned port = 0;
            do
                port = mirrored ? order.n - 1 - turn++ % order.n : turn++ % order.n;
            while (taken[port] == lists[port].size());
            ++taken[port];
            ASSERT_EQ(order.root_port(node), port);
        }
    });
}

} // namespace scatter_order_test
} // namespace mesh
