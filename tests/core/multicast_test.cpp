// A packet for a set of nodes reaches its members once each, over no link twice, and goes where
// there are members only: on all networks, over all trees that lead to single nodes.
#include "core/multicast.hpp"
#include "core/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace mesh::test {
namespace multicast_test {

constexpr Network kCube4{Topology::cube, 4};

class Set {
public:
    explicit Set(std::uint32_t nodes) : bytes_(NodeSet::bytes_for(nodes)), members_(nodes) {}
    void add(std::uint32_t node) {
        NodeSet::add(bytes_, node_at(node));
        members_[node] = true;
    }
    NodeSet view() const { return NodeSet{bytes_}; }
    bool has(std::uint32_t node) const { return members_[node]; }

private:
    std::vector<std::byte> bytes_;
    std::vector<bool> members_;
};

Route at(Network network, NodeId self, Port arrival, const Envelope& envelope, const Set& set) {
    const auto way = [&](NodeId member) {
        Envelope to_one = envelope;
        to_one.destination = member;
        return route(network, self, arrival, to_one);
    };
    return route_to_set(network, node_count(network), self, arrival, envelope, set.view(), way);
}

/// Sends one packet from `root` to the members of `set`; the links that it crossed, or none if a
/// claim does not hold.
unsigned links_of(Network network, Rule rule, unsigned subtree, std::uint32_t root,
                  const Set& set) {
    struct Visit {
        NodeId node;
        Port arrival;
    };
    const Envelope envelope{rule, static_cast<std::uint8_t>(subtree), node_at(root), kToSet};
    std::vector<unsigned> came(node_count(network)), got(node_count(network));
    std::vector<Visit> visits{{node_at(root), kNoPort}};
    unsigned links = 0;
    for (std::size_t next = 0; next < visits.size() && links < came.size(); ++next) {
        const Visit visit = visits[next];
        const Route there = at(network, visit.node, visit.arrival, envelope, set);
        got[index(visit.node)] += there.deliver ? 1 : 0;
        const bool is_root = visit.arrival == kNoPort;
        EXPECT_FALSE(there.nowhere() && !is_root) << "no member behind " << index(visit.node);
        for (PortSequence ports = there.ports; !ports.empty(); ++links) {
            const Port port = ports.pop();
            const NodeId child = neighbor(network, visit.node, port);
            ++came[index(child)];
            visits.push_back({child, port});
        }
    }
    bool good = true;
    for (std::uint32_t node = 0; node < came.size(); ++node)
        good = good && came[node] <= 1 && (node != root || came[node] == 0) &&
               got[node] == (node != root && set.has(node) ? 1 : 0);
    EXPECT_TRUE(good) << name(rule) << " from " << root;
    return good ? links : 0;
}

/// Links of the tree on the ways from its root to the members.
unsigned links_wanted(Network network, Rule rule, unsigned subtree, std::uint32_t root,
                      const Set& set) {
    std::vector<bool> wanted(node_count(network));
    for (std::uint32_t member = 0; member < wanted.size(); ++member)
        for (NodeId up = node_at(member); set.has(member) && up != node_at(root);) {
            wanted[index(up)] = true;
            up = neighbor(network, up, parent(network, rule, subtree, node_at(root), up));
        }
    return static_cast<unsigned>(std::ranges::count(wanted, true));
}

/// Both, for one set.
void expect_pruned(Network network, Rule rule, unsigned subtree, std::uint32_t root,
                   const Set& set) {
    ASSERT_EQ(links_of(network, rule, subtree, root, set),
              links_wanted(network, rule, subtree, root, set))
        << name(rule) << " from " << root;
}

TEST(Multicast, ReachesEverySetOfASmallCubeFromEveryNode) {
    for (std::uint8_t dim = 1; dim <= 3; ++dim)
        for (std::uint32_t members = 0; members < 1u << (1u << dim); ++members) {
            Set set{1u << dim};
            for (std::uint32_t node = 0; node < 1u << dim; ++node)
                if ((members >> node & 1u) != 0)
                    set.add(node);
            for (std::uint32_t root = 0; root < 1u << dim; ++root)
                expect_pruned({Topology::cube, dim}, Rule::sbt, 0, root, set);
        }
}

TEST(Multicast, ReachesEverySubcubeAndEveryIntervalOfCubesFromEveryNode) {
    for (std::uint8_t dim = 4; dim <= 6; ++dim) {
        const std::uint32_t nodes = 1u << dim;
        std::vector<Set> sets;
        for (std::uint32_t free = 0; free < nodes; ++free)
            for (std::uint32_t base = 0; base < nodes; ++base) {
                if ((base & free) != 0)
                    continue;
                Set& set = sets.emplace_back(nodes);
                for (std::uint32_t node = 0; node < nodes; ++node)
                    if ((node & ~free) == base)
                        set.add(node);
            }
        for (std::uint32_t low = 0; low < nodes; ++low)
            for (std::uint32_t high = low; high < nodes; ++high) {
                Set& set = sets.emplace_back(nodes);
                for (std::uint32_t node = low; node <= high; ++node)
                    set.add(node);
            }
        for (const Set& set : sets)
            for (std::uint32_t root = 0; root < nodes; ++root)
                expect_pruned({Topology::cube, dim}, Rule::sbt, 0, root, set);
    }
}

TEST(Multicast, ReachesAnySetOverEveryTreeOfAnyNetworkThatLeadsToSingleNodes) {
    std::mt19937 source{1};
    const auto below = [&](std::uint32_t end) {
        return static_cast<std::uint32_t>(source() % end);
    };
    unsigned trees = 0;
    for (const Network network :
         {Network{Topology::cube, 5}, Network{Topology::uhc, 4}, Network{Topology::uhc, 5},
          Network{Topology::star, 4}, Network{Topology::star, 5}})
        for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
            const Rule rule = static_cast<Rule>(number);
            const Envelope to_one{rule, static_cast<std::uint8_t>(first_subtree(network, rule)),
                                  node_at(0), node_at(1)};
            if (!may_lead_to_set(rule) || route(network, node_at(0), kNoPort, to_one).nowhere())
                continue;
            ++trees;
            for (unsigned draw = 0; draw < 60; ++draw) {
                Set set{node_count(network)};
                for (std::uint32_t members = below(20); members > 0; --members)
                    set.add(below(node_count(network)));
                const std::uint32_t root = below(node_count(network));
                const unsigned subtree =
                    first_subtree(network, rule) + below(subtree_count(network, rule));
                expect_pruned(network, rule, subtree, root, set);
            }
        }
    EXPECT_GT(trees, 15u);
}

TEST(Multicast, GoesNowhereByRulesThatLeadToNoSetAndFromRootsThatAreNoNodes) {
    Set set{16};
    set.add(6);
    const Port none = kNoPort;
    EXPECT_FALSE(at(kCube4, node_at(0), none, {Rule::sbt, 0, node_at(0)}, set).nowhere());
    for (const Rule rule : {Rule::unicast, Rule::disjoint, Rule::sbg, Rule::spt, Rule::kCount})
        EXPECT_TRUE(at(kCube4, node_at(0), none, {rule, 0, node_at(0)}, set).nowhere());
    EXPECT_TRUE(at(kCube4, node_at(0), none, {Rule::sbt, 0, node_at(16)}, set).nowhere());
    EXPECT_TRUE(at(kCube4, node_at(0), none, {Rule::sbt, 0, kNoNode}, set).nowhere());
    Envelope inward{Rule::sbt, 0, node_at(0)};
    inward.inward = true;
    EXPECT_TRUE(at(kCube4, node_at(0), none, inward, set).nowhere());
    EXPECT_TRUE(
        at({Topology::uhc, 4}, node_at(0), none, {Rule::sbt, 0, node_at(0)}, set).nowhere());
    EXPECT_FALSE(NodeSet{{}}.contains(node_at(0)));
    EXPECT_FALSE(set.view().contains(kNoNode));
}

TEST(Multicast, OfTwoNodesOfTheWorkedExampleCrossesFiveLinks) {
    Set set{16};
    set.add(0b0110);
    set.add(0b1011);
    EXPECT_EQ(links_of(kCube4, Rule::sbt, 0, 0, set), 5u);
}

} // namespace multicast_test
} // namespace mesh::test
