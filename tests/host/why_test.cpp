// What the words on a tree come to is what its rule says, at every node.
#include "host-tools/mesh/explain/why.hpp"

#include <gtest/gtest.h>

namespace mesh::host {
namespace why_test {

std::uint32_t set_of(PortSequence ports) {
    std::uint32_t set = 0;
    while (!ports.empty())
        set |= 1u << index(ports.pop());
    return set;
}

void compare(Network network, Rule rule, NodeId root) {
    const unsigned first = first_subtree(network, rule);
    for (unsigned subtree = first; subtree < first + subtree_count(network, rule); ++subtree)
        for (std::uint32_t at = 0; at < node_count(network); ++at) {
            const NodeId node = node_at(at);
            const Reason reason = why(network, rule, subtree, root, node);
            const std::uint32_t above = parents(network, rule, subtree, root, node);
            const std::uint32_t below = set_of(children(network, rule, subtree, root, node));
            ASSERT_FALSE(reason.steps.empty()) << name(rule);
            ASSERT_TRUE(reason.parents == above && reason.children == below)
                << name(rule) << " dim " << unsigned{network.dim} << " subtree " << subtree
                << " root " << index(root) << " node " << at << ": parents " << reason.parents
                << " for " << above << ", children " << reason.children << " for " << below;
        }
}

void compare_all(Topology topology, unsigned dim_max) {
    for (unsigned dim = 1; dim <= dim_max; ++dim) {
        const Network network{topology, static_cast<std::uint8_t>(dim)};
        if (!valid(network))
            continue;
        for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number)
            for (const std::uint32_t root : {0u, 1u, node_count(network) * 2 / 3})
                if (!testing::Test::HasFatalFailure())
                    compare(network, static_cast<Rule>(number), node_at(root));
    }
}

TEST(Why, TheArithmeticOnACubeComesToTheParentsAndChildrenOfTheRule) {
    compare_all(Topology::cube, 8);
}

TEST(Why, TheArithmeticOnAUhcComesToTheParentsAndChildrenOfTheRule) {
    compare_all(Topology::uhc, 8);
}

TEST(Why, TheArithmeticOnAStarComesToTheParentsAndChildrenOfTheRule) {
    compare_all(Topology::star, 5);
}

TEST(Why, EachStepIsASentence) {
    for (const std::string& step :
         why_lines({Topology::cube, 4}, Rule::sbt, 0, NodeId{5}, NodeId{6})) {
        EXPECT_TRUE(step.ends_with('.')) << step;
        EXPECT_EQ(step.find("  "), std::string::npos) << step;
    }
}

} // namespace why_test
} // namespace mesh::host
