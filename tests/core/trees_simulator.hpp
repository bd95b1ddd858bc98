// Broadcast over several trees at once, all ports, step by step: what copies over disjoint trees
// cost. Every port sends one packet a step, first come, first served; a packet received in step t
// may leave in t+1. Tree by tree the source sends its list in order.
#pragma once

#include "core/network.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace mesh {

class TreesSimulator {
public:
    TreesSimulator(Network network, Rule rule, NodeId root)
        : network_(network),
          rule_(rule),
          root_(root),
          queues_(std::size_t{node_count(network)} * kPortsMax) {}

    /// Steps until every node has packets_of_tree[j] packets of the j-th tree, for all j.
    std::uint64_t broadcast(const std::vector<std::uint32_t>& packets_of_tree) {
        const unsigned first = first_subtree(network_, rule_);
        std::uint64_t missing = 0;
        for (unsigned tree = 0; tree < packets_of_tree.size(); ++tree) {
            for (std::uint32_t packet = 0; packet < packets_of_tree[tree]; ++packet)
                enqueue(root_, first + tree);
            missing += std::uint64_t{packets_of_tree[tree]} * (node_count(network_) - 1);
        }
        std::uint64_t step = 0;
        for (const std::uint64_t limit = 64 + 4 * missing; missing > 0 && step < limit; ++step)
            missing -= run_step();
        return missing == 0 ? step : 0;
    }

private:
    void enqueue(NodeId node, unsigned subtree) {
        for (PortSequence out = children(network_, rule_, subtree, root_, node); !out.empty();)
            queues_[std::size_t{index(node)} * kPortsMax + index(out.pop())].push_back(subtree);
    }

    std::uint64_t run_step() {
        std::vector<std::pair<NodeId, unsigned>> arrived;
        for (std::uint32_t node = 0; node < node_count(network_); ++node) {
            for (unsigned port = 0; port < port_count(network_); ++port) {
                std::deque<unsigned>& queue = queues_[std::size_t{node} * kPortsMax + port];
                if (queue.empty())
                    continue;
                arrived.emplace_back(neighbor(network_, node_at(node), port_at(port)),
                                     queue.front());
                queue.pop_front();
            }
        }
        for (const auto& [node, subtree] : arrived)
            enqueue(node, subtree);
        return arrived.size();
    }

    Network network_;
    Rule rule_;
    NodeId root_;
    std::vector<std::deque<unsigned>> queues_;
};

} // namespace mesh
