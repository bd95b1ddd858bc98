// Broadcast by the papers' rules of the game, step by step, to measure what the formulas claim.
//
// In a step every link moves at most one packet; a packet received in step t may leave in t+1. A
// node sends first come, first served: by each port (all), or one packet a step (duplex, half).
// With one port a node receives at most one packet a step, and under half a node that sends does
// not receive. A send that finds its receiver taken waits, and is counted. Nothing here knows a
// formula: only children() and the source's interval.
#pragma once

#include "core/network.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace mesh {

class StepSimulator {
public:
    struct Outcome {
        std::uint64_t steps = 0;      // until every node has every packet
        std::uint64_t collisions = 0; // sends that had to wait for their receiver
        bool complete = false;
    };

    StepSimulator(Network network, Rule rule, PortModel ports, NodeId root)
        : network_(network),
          rule_(rule),
          ports_(ports),
          root_(root),
          queues_(node_count(network) * queues_per_node()),
          busy_(node_count(network)) {}

    /// The source starts packet p at step p * interval at the earliest.
    Outcome broadcast(std::uint64_t packets, unsigned interval) {
        for (std::uint64_t packet = 0; packet < packets; ++packet)
            enqueue(root_, packet * interval);
        missing_ = packets * (node_count(network_) - 1);
        const std::uint64_t limit = 4 * (packets + 1) * (node_count(network_) + 4);
        while (missing_ > 0 && step_ < limit)
            run_step();
        outcome_.steps = step_;
        outcome_.complete = missing_ == 0;
        return outcome_;
    }

private:
    struct Send {
        Port port;
        std::uint64_t ready;
    };

    struct Busy {
        bool sends = false;
        bool receives = false;
    };

    std::size_t queues_per_node() const { return ports_ == PortModel::all ? kPortsMax : 1; }

    void enqueue(NodeId node, std::uint64_t ready) {
        for (PortSequence out = children(network_, rule_, 0, root_, node); !out.empty();) {
            const Port port = out.pop();
            const std::size_t lane = ports_ == PortModel::all ? index(port) : 0;
            queues_[index(node) * queues_per_node() + lane].push_back({port, ready});
        }
    }

    void run_step() {
        busy_.assign(busy_.size(), Busy{});
        std::vector<NodeId> arrived;
        for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
            if (queues_[queue].empty() || queues_[queue].front().ready > step_)
                continue;
            const NodeId sender = node_at(static_cast<std::uint32_t>(queue / queues_per_node()));
            const NodeId receiver = neighbor(network_, sender, queues_[queue].front().port);
            if (!claim(sender, receiver)) {
                ++outcome_.collisions;
                continue;
            }
            queues_[queue].pop_front();
            arrived.push_back(receiver);
        }
        ++step_;
        missing_ -= arrived.size();
        for (const NodeId node : arrived)
            enqueue(node, step_);
    }

    /// Takes both ends for this step if the port model lets them.
    bool claim(NodeId sender, NodeId receiver) {
        if (ports_ == PortModel::all)
            return true;
        Busy& from = busy_[index(sender)];
        Busy& to = busy_[index(receiver)];
        if (from.sends || to.receives)
            return false;
        if (ports_ == PortModel::half && (from.receives || to.sends))
            return false;
        from.sends = true;
        to.receives = true;
        return true;
    }

    Network network_;
    Rule rule_;
    PortModel ports_;
    NodeId root_;
    std::vector<std::deque<Send>> queues_;
    std::vector<Busy> busy_;
    std::uint64_t step_ = 0;
    std::uint64_t missing_ = 0;
    Outcome outcome_;
};

} // namespace mesh
