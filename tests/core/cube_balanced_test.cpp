// The balanced trees against the definitions of the paper, taken word by word: all rotations, all
// children tried one by one. (ho-johnsson-1988, 2 to 4)
#include "claim_check.hpp"

#include "core/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace mesh::claims {
namespace cube_balanced_test {

using Word = std::uint32_t;

/// One bit to the right (left), n times over: no clever rotation.
Word rotated_right(Word word, unsigned count, unsigned n) {
    for (; count > 0; --count)
        word = (word >> 1) | ((word & 1u) << (n - 1));
    return word;
}

Word rotated_left(Word word, unsigned count, unsigned n) {
    return rotated_right(word, n - count % n, n);
}

Word reversed(Word word, unsigned n) {
    Word back = 0;
    for (unsigned bit = 0; bit < n; ++bit)
        back |= ((word >> bit) & 1u) << (n - 1 - bit);
    return back;
}

/// A definition of section 2 or 4: the value that a rotation must make extreme.
struct Definition {
    Rule rule;
    bool to_the_right; // M lies right of the index and k is found rightward (minr, maxbr)
    std::function<Word(Word, unsigned, unsigned)> key; // the greatest key wins
};

const std::vector<Definition> kDefinitions{
    {Rule::sbnt_minr, true, [](Word c, unsigned j, unsigned n) { return ~rotated_right(c, j, n); }},
    {Rule::sbnt_maxl, false, [](Word c, unsigned j, unsigned n) { return rotated_left(c, j, n); }},
    {Rule::sbnt_minbl, false,
     [](Word c, unsigned j, unsigned n) { return ~reversed(rotated_left(c, j, n), n); }},
    {Rule::sbnt_maxbr, true,
     [](Word c, unsigned j, unsigned n) { return reversed(rotated_right(c, j, n), n); }}};

/// J of the paper, ascending.
std::vector<unsigned> indices(const Definition& definition, Word c, unsigned n) {
    std::vector<unsigned> best;
    for (unsigned j = 0; j < n; ++j) {
        const Word key = definition.key(c, j, n);
        const Word top = best.empty() ? key : definition.key(c, best.front(), n);
        if (key > top)
            best.clear();
        if (key >= top)
            best.push_back(j);
    }
    return best;
}

/// M of index j: zeroes from beside the subtree's own bit to the next one, which is `k`.
struct Reach {
    std::vector<unsigned> zeroes;
    unsigned k = 0;
};

Reach reach(const Definition& definition, Word c, unsigned j, unsigned n) {
    Reach found;
    const unsigned own = definition.to_the_right ? j : (2 * n - 1 - j) % n;
    for (unsigned step = 1; step <= n; ++step) {
        found.k = (definition.to_the_right ? own + n - step : own + step) % n;
        if (((c >> found.k) & 1u) != 0)
            break;
        found.zeroes.push_back(found.k);
    }
    return found;
}

Word defined_children(const Definition& definition, Word c, unsigned n) {
    if (c == 0)
        return (1u << n) - 1u;
    const unsigned j = indices(definition, c, n).front();
    Word set = 0;
    for (const unsigned m : reach(definition, c, j, n).zeroes) {
        if (indices(definition, c ^ (1u << m), n).front() == j)
            set |= 1u << m;
    }
    return set;
}

void expect_as_defined(Network cube, Word c) {
    const unsigned n = cube.dim;
    for (const Definition& definition : kDefinitions) {
        const Word set = children(cube, definition.rule, 0, node_at(0), node_at(c)).set();
        ASSERT_EQ(set, defined_children(definition, c, n))
            << name(definition.rule) << " n=" << n << " c=" << c;
        if (c == 0)
            continue;
        const unsigned j = indices(definition, c, n).front();
        ASSERT_EQ(parent(cube, definition.rule, 0, node_at(0), node_at(c)),
                  port_at(reach(definition, c, j, n).k))
            << name(definition.rule) << " n=" << n << " c=" << c;
    }
}

TEST(BalancedTrees, AreThoseOfThePaper) {
    for (const Network cube : networks(Topology::cube, 1, 12)) {
        for (Word c = 0; c < node_count(cube); ++c)
            expect_as_defined(cube, c);
    }
}

// Repeated words and their neighbours are where ties happen; the rest is sampled.
TEST(BalancedTrees, AreThoseOfThePaperInLargeCubes) {
    for (const Network cube : networks(Topology::cube, 13, kDimMax)) {
        const unsigned n = cube.dim;
        for (unsigned period = 1; period <= n / 2; ++period) {
            for (Word part = 0; n % period == 0 && part < 1u << period; ++part) {
                Word c = 0;
                for (unsigned copies = 0; copies < n / period; ++copies)
                    c = (c << period) | part;
                expect_as_defined(cube, c);
                expect_as_defined(cube, c & (c - 1));
            }
        }
        for (Word c = 1; c < node_count(cube); c += node_count(cube) / 499)
            expect_as_defined(cube, c);
    }
}

// children_SBG with the condition of the paper's erratum: J of the node is a subset of the child's.
TEST(BalancedTrees, TheGraphReachesACyclicNodeThroughEachOfItsSubtrees) {
    const Definition& minr = kDefinitions.front();
    for (const Network cube : networks(Topology::cube, 1, 12)) {
        const unsigned n = cube.dim;
        for (Word c = 1; c < node_count(cube); ++c) {
            const std::vector<unsigned> own = indices(minr, c, n);
            Word down = 0;
            Word up = 0;
            for (const unsigned j : own) {
                const Reach at = reach(minr, c, j, n);
                up |= 1u << at.k;
                for (const unsigned m : at.zeroes) {
                    const std::vector<unsigned> theirs = indices(minr, c ^ (1u << m), n);
                    if (std::includes(theirs.begin(), theirs.end(), own.begin(), own.end()))
                        down |= 1u << m;
                }
            }
            ASSERT_EQ(children(cube, Rule::sbg, 0, node_at(0), node_at(c)).set(), down);
            ASSERT_EQ(parents(cube, Rule::sbg, 0, node_at(0), node_at(c)), up);
        }
    }
}

TEST(BalancedTrees, TheExampleOfThePaperHasItsThreeParents) {
    const Network cube{Topology::cube, 9};
    const Word c = 0b011011011;
    const Word up = parents(cube, Rule::sbg, 0, node_at(0), node_at(c));
    EXPECT_EQ(up, (c ^ 0b001011011) | (c ^ 0b011011001) | (c ^ 0b011001011));
}

// Nodes of each subtree, counted by climbing to the level below the root.
std::vector<unsigned> subtree_sizes(Network cube, Rule rule) {
    std::vector<unsigned> sizes(cube.dim, 0);
    for (Word c = 1; c < node_count(cube); ++c) {
        NodeId at = node_at(c);
        Port up = kNoPort;
        while (at != node_at(0)) {
            up = parent(cube, rule, 0, node_at(0), at);
            at = neighbor(cube, at, up);
        }
        ++sizes[index(up)];
    }
    return sizes;
}

const unsigned kLargest[] = {2, 3, 5, 7, 13, 19, 35, 59, 107, 187, 351, 631};
const unsigned kSmallest[] = {1, 2, 3, 6, 9, 18, 30, 56, 99, 186, 335, 630};

TEST(BalancedTrees, SubtreeSizesAreThoseOfTableOne) {
    for (const Network cube : networks(Topology::cube, 2, 13)) {
        for (const Rule rule :
             {Rule::sbnt_minr, Rule::sbnt_maxl, Rule::sbnt_minbl, Rule::sbnt_maxbr}) {
            const std::vector<unsigned> sizes = subtree_sizes(cube, rule);
            EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), kLargest[cube.dim - 2]);
            EXPECT_EQ(*std::min_element(sizes.begin(), sizes.end()), kSmallest[cube.dim - 2]);
        }
    }
}

TEST(BalancedTrees, AltIsAsBalancedAsMinr) {
    for (const Network cube : networks(Topology::cube, 2, 13)) {
        const std::vector<unsigned> sizes = subtree_sizes(cube, Rule::alt);
        EXPECT_LE(*std::max_element(sizes.begin(), sizes.end()), kLargest[cube.dim - 2]);
        EXPECT_GE(*std::min_element(sizes.begin(), sizes.end()), kSmallest[cube.dim - 2]);
    }
}

TEST(BalancedTrees, AltSharesNoLinkWithMinrBelowTheFirstLevel) {
    for (const Network cube : networks(Topology::cube, 2, 12)) {
        for (Word c = 1; c < node_count(cube); ++c) {
            if ((c & (c - 1)) == 0)
                continue;
            EXPECT_NE(parent(cube, Rule::alt, 0, node_at(0), node_at(c)),
                      parent(cube, Rule::sbnt_minr, 0, node_at(0), node_at(c)));
        }
    }
}

bool is_cyclic(Word word, unsigned n) {
    for (unsigned count = 1; count < n; ++count) {
        if (rotated_right(word, count, n) == word)
            return true;
    }
    return false;
}

/// minbl's parent unless minr takes it or it is cyclic, else the first one to the right of minr's
/// that leads to a non-cyclic node.
unsigned defined_alt_parent(Word c, unsigned n) {
    const auto of = [&](const Definition& definition) {
        return reach(definition, c, indices(definition, c, n).front(), n).k;
    };
    const unsigned taken = of(kDefinitions[0]);
    if ((c & (c - 1)) == 0)
        return taken;
    const unsigned other = of(kDefinitions[2]);
    if (other != taken && !is_cyclic(c ^ (1u << other), n))
        return other;
    unsigned port = taken;
    do
        port = (port + n - 1) % n;
    while (((c >> port) & 1u) == 0 || is_cyclic(c ^ (1u << port), n));
    return port;
}

TEST(BalancedTrees, AltTakesWhatMinrLeaves) {
    for (const Network cube : networks(Topology::cube, 1, kDimMax)) {
        const Word stride = cube.dim <= 11 ? 1 : node_count(cube) / 997;
        for (Word c = 1; c < node_count(cube); c += stride)
            ASSERT_EQ(parent(cube, Rule::alt, 0, node_at(0), node_at(c)),
                      port_at(defined_alt_parent(c, cube.dim)))
                << "n=" << +cube.dim << " c=" << c;
    }
}

TEST(BalancedTrees, ChildrenAreTheInverseOfParentsInLargerCubes) {
    for (const Network cube : networks(Topology::cube, 11, 16)) {
        for (const Rule rule : {Rule::sbnt_minr, Rule::sbnt_maxl, Rule::sbnt_minbl,
                                Rule::sbnt_maxbr, Rule::sbg, Rule::alt}) {
            std::vector<Word> down(node_count(cube), 0);
            for (Word c = 1; c < node_count(cube); ++c) {
                Word up = parents(cube, rule, 0, node_at(0), node_at(c));
                for (; up != 0; up &= up - 1)
                    down[c ^ (up & (0 - up))] |= up & (0 - up);
            }
            for (Word c = 0; c < node_count(cube); ++c)
                ASSERT_EQ(children(cube, rule, 0, node_at(0), node_at(c)).set(), down[c])
                    << name(rule) << " n=" << +cube.dim << " c=" << c;
        }
    }
}

// Lemma 16: minr serves dimensions k+1, k+2, ..., minbl k-1, k-2, ... without a gap.
TEST(BalancedTrees, MinrAndItsMirrorServeTheDimensionsBesideTheParentInOrder) {
    for (const Network cube : networks(Topology::cube, 2, 10)) {
        const unsigned n = cube.dim;
        for (Word c = 1; c < node_count(cube); ++c) {
            const unsigned up = index(parent(cube, Rule::sbnt_minr, 0, node_at(0), node_at(c)));
            PortSequence down = children(cube, Rule::sbnt_minr, 0, node_at(0), node_at(c));
            for (unsigned m = 1; !down.empty(); ++m)
                EXPECT_EQ(index(down.pop()), (up + m) % n);
            const unsigned back = index(parent(cube, Rule::sbnt_minbl, 0, node_at(0), node_at(c)));
            PortSequence left = children(cube, Rule::sbnt_minbl, 0, node_at(0), node_at(c));
            for (unsigned m = 1; !left.empty(); ++m)
                EXPECT_EQ(index(left.pop()), (back + n - m) % n);
        }
    }
}

} // namespace cube_balanced_test
} // namespace mesh::claims
