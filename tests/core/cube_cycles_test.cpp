// Personalised communication: cycles and volumes against the papers' figures, as corrected, and
// what makes a schedule one: data is where it leaves from, and a node with one port uses one.
#include "claim_check.hpp"

#include "core/schedules/cycles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mesh {
namespace cube_cycles_test {

using Word = std::uint32_t;

constexpr unsigned kDims = 8;
constexpr Rule kBalanced[] = {Rule::sbnt_minr, Rule::sbnt_maxl, Rule::sbnt_minbl, Rule::sbnt_maxbr};
constexpr Rule kTrees[] = {Rule::sbt,        Rule::tcbt,       Rule::sbnt_minr, Rule::sbnt_maxl,
                           Rule::sbnt_minbl, Rule::sbnt_maxbr, Rule::sbg};

/// Nodes in the largest subtree of an SBnT, n = 1..8.
constexpr Word kSbntMax[] = {1, 2, 3, 5, 7, 13, 19, 35};

bool is_balanced(Rule tree) { return std::ranges::find(kBalanced, tree) != std::end(kBalanced); }

CyclePlan plan_of(unsigned n, Rule tree, Schedule schedule, bool one_port, bool broadcast = false) {
    return {Hypercube{static_cast<std::uint8_t>(n)}, tree, schedule, one_port, broadcast};
}

std::string text(const CyclePlan& plan) {
    return std::string(name(plan.tree)) + " " + std::string(name(plan.schedule)) +
           " n=" + std::to_string(plan.cube.dim) + (plan.one_port ? " one port" : " all ports") +
           (plan.broadcast ? " broadcast" : "");
}

/// f(plan) for every plan in cycles, all-to-all broadcasts included, of 1..`dims` dimensions.
template <class F>
void for_each_plan(unsigned dims, F f) {
    for (unsigned n = 1; n <= dims; ++n)
        for (const Rule tree : kTrees)
            for (const Schedule schedule : {Schedule::level, Schedule::subtree})
                for (const bool one_port : {false, true})
                    for (const bool broadcast : {false, true})
                        if (has_schedule(tree, schedule, one_port)) {
                            const CyclePlan plan = plan_of(n, tree, schedule, one_port, broadcast);
                            SCOPED_TRACE(text(plan));
                            f(plan);
                        }
}

struct Move {
    unsigned cycle;
    Crossing what;
};

/// Everything that crosses a link, in the order of time.
std::vector<Move> moves_of(const CyclePlan& plan) {
    std::vector<Move> moves;
    const auto keep = [&](unsigned cycle, const Crossing& what) { moves.push_back({cycle, what}); };
    for_each_crossing(plan, keep);
    std::ranges::stable_sort(moves, {}, &Move::cycle);
    return moves;
}

using Link = std::pair<Word, unsigned>; // tail and port

/// The size of each bundle, in n-ths of a block: sbg's pieces are whole numbers of these.
std::vector<std::map<Link, Word>> bundles_of(const CyclePlan& plan) {
    std::vector<std::map<Link, Word>> cycles;
    for (const auto& [cycle, what] : moves_of(plan)) {
        cycles.resize(cycle + 1);
        cycles[cycle][{what.tail, what.port}] += what.size(plan.cube.dim);
    }
    return cycles;
}

struct Cost {
    Word cycles;
    Word volume; // transfer time in n-ths of a block
    bool operator==(const Cost&) const = default;
};
void PrintTo(const Cost& cost, std::ostream* out) {
    *out << cost.cycles << " cycles, volume " << cost.volume;
}

/// The largest bundle of each cycle, added up.
Cost cost_of_one_root(const CyclePlan& plan) {
    Cost cost{0, 0};
    for (const auto& bundles : bundles_of(plan)) {
        Word largest = 0;
        for (const auto& [link, size] : bundles)
            largest = std::max(largest, size);
        cost.volume += largest;
        ++cost.cycles;
    }
    return cost;
}

/// All nodes are roots: a link of one dimension carries what all links of that dimension carry in
/// the tree of one root.
Cost cost_of_all_roots(const CyclePlan& plan) {
    Cost cost{0, 0};
    for (const auto& bundles : bundles_of(plan)) {
        std::vector<Word> of_port(plan.cube.dim, 0);
        for (const auto& [link, size] : bundles)
            of_port[link.second] += size;
        cost.volume += *std::ranges::max_element(of_port);
        ++cost.cycles;
    }
    return cost;
}

Word binomial(Word n, Word k) { return k == 0 ? 1 : binomial(n - 1, k - 1) * n / k; }

// The table of scatters -------------------------------------------------------------------------

TEST(CubeCycles, SbtTakesTheTablesCyclesAndVolumes) {
    for (unsigned n = 1; n <= kDims; ++n) {
        const Word nodes = 1u << n;
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::sbt, Schedule::subtree, true)),
                  (Cost{n, n * (nodes - 1)}));
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::sbt, Schedule::level, false)),
                  (Cost{n, n * nodes / 2}));
    }
}

TEST(CubeCycles, SbtLevelByLevelMovesABinomialNumberOfBlocksInEachCycle) {
    for (unsigned n = 1; n <= kDims; ++n) {
        const auto cycles = bundles_of(plan_of(n, Rule::sbt, Schedule::level, false));
        for (unsigned cycle = 0; cycle < n; ++cycle) {
            Word largest = 0;
            for (const auto& [link, size] : cycles[cycle])
                largest = std::max(largest, size);
            EXPECT_EQ(largest, n * binomial(n - 1, cycle)) << "n=" << n << " cycle " << cycle;
        }
    }
}

TEST(CubeCycles, TcbtTakesTheTablesCyclesAndVolumes) {
    for (unsigned n = 2; n <= kDims; ++n) {
        const Word nodes = 1u << n;
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::tcbt, Schedule::subtree, true)),
                  (Cost{2 * n - 2, n * (2 * nodes - 2 * n - 1)}));
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::tcbt, Schedule::level, false)),
                  (Cost{n, n * (3 * nodes / 4 - 1)}));
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::tcbt, Schedule::subtree, false)),
                  (Cost{n, n * (3 * nodes / 2 - n - 1)}));
    }
}

TEST(CubeCycles, SbntLevelByLevelMovesWhatItsLargestSubtreeHolds) {
    for (unsigned n = 1; n <= kDims; ++n)
        for (const Rule tree : {Rule::sbnt_minr, Rule::sbnt_minbl})
            EXPECT_EQ(cost_of_one_root(plan_of(n, tree, Schedule::level, false)),
                      (Cost{n, n * kSbntMax[n - 1]}));
}

// A level of a smaller subtree can be larger than that of the largest one, in these two.
TEST(CubeCycles, MaxlLevelByLevelMovesMoreFromSevenDimensionsOn) {
    constexpr Word kMaxl[] = {1, 2, 3, 5, 7, 13, 20, 38};
    for (unsigned n = 1; n <= kDims; ++n) {
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::sbnt_maxl, Schedule::level, false)),
                  (Cost{n, n * kMaxl[n - 1]}));
        EXPECT_GE(cost_of_one_root(plan_of(n, Rule::sbnt_maxbr, Schedule::level, false)).volume,
                  n * kSbntMax[n - 1]);
    }
}

TEST(CubeCycles, SbntWholeSubtreesTakeTheCyclesOfLemma17) {
    constexpr Word kSums[] = {1, 3, 8, 18, 38, 76, 153, 300};
    for (unsigned n = 2; n <= kDims; ++n) {
        for (const Rule tree : kBalanced)
            EXPECT_EQ(cost_of_one_root(plan_of(n, tree, Schedule::subtree, true)).cycles, 2 * n - 2)
                << name(tree) << " n=" << n;
        for (const Rule tree : {Rule::sbnt_minr, Rule::sbnt_minbl})
            EXPECT_EQ(cost_of_one_root(plan_of(n, tree, Schedule::subtree, true)).volume,
                      n * kSums[n - 1]);
    }
}

TEST(CubeCycles, SbgSpreadsTheDataEvenlyOverTheRootsLinks) {
    for (unsigned n = 1; n <= kDims; ++n)
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::sbg, Schedule::level, false)),
                  (Cost{n, (1u << n) - 1})); // n-ths
    for (unsigned n = 2; n <= kDims; ++n)
        EXPECT_EQ(cost_of_one_root(plan_of(n, Rule::sbg, Schedule::subtree, true)).cycles,
                  2 * n - 1);
}

TEST(CubeCycles, OneDimensionTakesOneCycle) {
    for (const Rule tree : kTrees)
        for (const bool one_port : {false, true})
            EXPECT_EQ(cost_of_one_root(plan_of(1, tree, Schedule::subtree, one_port)),
                      (Cost{1, 1}));
}

// All-to-all ------------------------------------------------------------------------------------

TEST(CubeCycles, ExchangesOverOnePortTakeTheTablesCyclesAndVolumes) {
    for (unsigned n = 2; n <= kDims; ++n) {
        const Word nodes = 1u << n;
        for (const Rule tree : kTrees) {
            if (tree == Rule::tcbt)
                continue;
            const Word cycles = tree == Rule::sbt ? n : tree == Rule::sbg ? 2 * n - 1 : 2 * n - 2;
            EXPECT_EQ(cost_of_all_roots(plan_of(n, tree, Schedule::subtree, true, true)),
                      (Cost{cycles, n * (nodes - 1)}))
                << name(tree) << " n=" << n;
            EXPECT_EQ(cost_of_all_roots(plan_of(n, tree, Schedule::subtree, true)),
                      (Cost{cycles, n * (n * nodes / 2)}))
                << name(tree) << " n=" << n;
        }
    }
}

TEST(CubeCycles, AllPortBroadcastsToAllMoveTheTablesVolumes) {
    for (unsigned n = 1; n <= kDims; ++n) {
        EXPECT_EQ(cost_of_all_roots(plan_of(n, Rule::sbt, Schedule::level, false, true)),
                  (Cost{n, n * (1u << n) / 2}));
        EXPECT_EQ(cost_of_all_roots(plan_of(n, Rule::sbg, Schedule::level, false, true)),
                  (Cost{n, (1u << n) - 1})); // n-ths
        for (const Rule tree : {Rule::sbnt_minr, Rule::sbnt_minbl})
            EXPECT_EQ(cost_of_all_roots(plan_of(n, tree, Schedule::level, false, true)),
                      (Cost{n, n * kSbntMax[n - 1]}));
    }
}

TEST(CubeCycles, AllPortPersonalisedExchangesMoveTheTablesVolumes) {
    constexpr Word kMinr[] = {1, 3, 6, 11, 20, 39, 70, 138};
    for (unsigned n = 1; n <= kDims; ++n) {
        EXPECT_EQ(cost_of_all_roots(plan_of(n, Rule::sbg, Schedule::level, false)),
                  (Cost{n, n * (1u << n) / 2}));
        EXPECT_EQ(cost_of_all_roots(plan_of(n, Rule::sbnt_minr, Schedule::level, false)),
                  (Cost{n, n * kMinr[n - 1]}));
    }
    EXPECT_EQ(cost_of_all_roots(plan_of(12, Rule::sbt, Schedule::level, false)),
              (Cost{12, 12 * 6568}));
}

// Properties of a schedule ----------------------------------------------------------------------

TEST(CubeCycles, DataIsAtTheTailBeforeItLeavesAndEndsWhereItBelongs) {
    for_each_plan(kDims, [](const CyclePlan& plan) {
        if (plan.broadcast)
            return;
        std::map<std::pair<Word, unsigned>, std::pair<Word, unsigned>> place; // node, free from
        for (const auto& [cycle, what] : moves_of(plan)) {
            auto& [node, ready] = place[{what.block, what.piece}];
            ASSERT_EQ(node, what.tail) << "block " << what.block;
            ASSERT_LE(ready, cycle) << "block " << what.block;
            node = what.head();
            ready = cycle + 1;
        }
        for (const auto& [what, where] : place)
            ASSERT_EQ(where.first, what.first);
    });
}

TEST(CubeCycles, ABroadcastLeavesOnlyFromWhereItIsWhole) {
    for_each_plan(kDims, [](const CyclePlan& plan) {
        if (!plan.broadcast)
            return;
        const Word whole = plan.cube.dim;
        std::vector<Word> has(plan.cube.node_count(), 0);
        std::vector<unsigned> ready(plan.cube.node_count(), 0);
        has[0] = whole;
        for (const auto& [cycle, what] : moves_of(plan)) {
            ASSERT_EQ(has[what.tail], whole) << "block " << what.block;
            ASSERT_LE(ready[what.tail], cycle) << "block " << what.block;
            ASSERT_EQ(what.head(), what.block);
            has[what.block] += what.size(whole);
            ready[what.block] = std::max(ready[what.block], cycle + 1);
        }
        ASSERT_EQ(std::ranges::count(has, whole), std::ssize(has));
    });
}

TEST(CubeCycles, EveryBlockArrivesOnceAndWhole) {
    for_each_plan(kDims, [](const CyclePlan& plan) {
        std::map<Word, std::vector<Crossing>> arrived;
        for (const Move& move : moves_of(plan))
            if (move.what.head() == move.what.block)
                arrived[move.what.block].push_back(move.what);
        ASSERT_EQ(arrived.size(), plan.cube.node_count() - 1);
        for (auto& [block, pieces] : arrived) {
            std::ranges::sort(pieces, {}, &Crossing::piece);
            ASSERT_EQ(pieces.size(), pieces.front().pieces) << "block " << block;
            for (const Word bytes : {0u, 1u, 5u, 64u, 1001u, 0xFFFF'FFFFu}) {
                Word end = 0;
                for (const Crossing& piece : pieces) {
                    ASSERT_EQ(piece.begin(bytes), end) << "block " << block;
                    end += piece.size(bytes);
                }
                ASSERT_EQ(end, bytes) << "block " << block;
            }
        }
    });
}

TEST(CubeCycles, OnlyTheTreesLinksAreCrossed) {
    for_each_plan(kDims, [](const CyclePlan& plan) {
        for (const Move& move : moves_of(plan)) {
            const Word head = move.what.head();
            ASSERT_NE(head, 0u);
            ASSERT_TRUE((parents(plan.network(), plan.tree, 0, node_at(0), node_at(head)) >>
                         move.what.port) &
                        1u)
                << "block " << move.what.block << " node " << head;
        }
    });
}

// The pieces of a cyclic node take paths that meet nowhere but at their ends.
TEST(CubeCycles, SbgGivesANodeOnePieceForEveryParent) {
    for (unsigned n = 1; n <= kDims; ++n) {
        std::map<Word, std::set<Link>> links;
        std::map<Word, unsigned> pieces;
        const CyclePlan plan = plan_of(n, Rule::sbg, Schedule::level, false);
        for_each_crossing(plan, [&](unsigned, const Crossing& what) {
            EXPECT_TRUE(links[what.block].insert({what.tail, what.port}).second);
            pieces[what.block] = what.pieces;
        });
        for (const auto& [block, count] : pieces)
            EXPECT_EQ(count, PortSequence::ascending(
                                 parents(plan.network(), Rule::sbg, 0, node_at(0), node_at(block)))
                                 .size());
    }
}

// No node sends two bundles or receives two, and none does both: it holds for one transceiver too.
TEST(CubeCycles, WithOnePortANodeOfAScatterUsesOneLinkACycle) {
    for_each_plan(kDims, [](const CyclePlan& plan) {
        if (!plan.one_port || plan.broadcast)
            return;
        unsigned number = 0;
        for (const auto& bundles : bundles_of(plan)) {
            std::set<Word> busy;
            for (const auto& [link, size] : bundles) {
                ASSERT_TRUE(busy.insert(link.first).second) << "cycle " << number;
                ASSERT_TRUE(busy.insert(link.first ^ (1u << link.second)).second)
                    << "cycle " << number;
            }
            ++number;
        }
    });
}

TEST(CubeCycles, WithOnePortAllNodesUseOneDimensionACycle) {
    for_each_plan(kDims, [](const CyclePlan& plan) {
        if (!plan.one_port || plan.tree == Rule::tcbt)
            return;
        const unsigned n = plan.cube.dim;
        const bool mirrored = plan.tree == Rule::sbnt_maxl || plan.tree == Rule::sbnt_minbl;
        for (const auto& [cycle, what] : moves_of(plan))
            ASSERT_EQ(what.port, mirrored ? n - 1 - cycle % n : cycle % n) << "cycle " << cycle;
    });
}

TEST(CubeCycles, SchedulesAreThoseThatThePapersGive) {
    for (unsigned number = 0; number < static_cast<unsigned>(Rule::kCount); ++number) {
        const Rule tree = static_cast<Rule>(number);
        const bool known = std::ranges::find(kTrees, tree) != std::end(kTrees);
        for (const bool one_port : {false, true}) {
            EXPECT_EQ(has_schedule(tree, Schedule::gray, one_port), tree == Rule::sbt);
            EXPECT_EQ(has_schedule(tree, Schedule::port, one_port), tree == Rule::sbt);
            for (const Schedule lists : {Schedule::postorder, Schedule::rbf, Schedule::roundrobin})
                EXPECT_EQ(has_schedule(tree, lists, one_port),
                          tree == Rule::sbt || is_balanced(tree) || tree == Rule::own);
            EXPECT_EQ(has_schedule(tree, Schedule::subtree, one_port), known);
            EXPECT_EQ(has_schedule(tree, Schedule::level, one_port), known && !one_port);
        }
    }
}

} // namespace cube_cycles_test
} // namespace mesh
