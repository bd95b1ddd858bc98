// Broadcast by the papers' rules of the game, step by step, to measure the counts of the formulas.
//
// In a step every link moves at most one packet; a packet received in step t may leave in t+1. A
// node sends first come, first served: by each port (all), or one packet a step (duplex, half);
// where a schedule names the step of each send, by these. With one port a node receives at most one
// packet a step, and under half a node that sends does not receive. A send that finds its receiver
// taken waits, and is counted. Nothing here knows a formula: only children() and the schedule.
#pragma once

#include "core/network.hpp"
#include "core/schedules/timetable.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>
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
          ends_(node_count(network)) {}

    /// Every node sends as soon as it can, whatever the schedule says.
    void ignore_clock() { use_clock_ = false; }

    /// The source starts packet p at step p * interval at the earliest.
    Outcome broadcast(std::uint32_t packets, unsigned interval) {
        packets_ = packets;
        for (std::uint32_t packet = 0; packet < packets; ++packet)
            enqueue(root_, packet, packet * interval);
        missing_ = std::uint64_t{packets} * (node_count(network_) - 1);
        const std::uint64_t limit = 4 * (packets + 1ull) * (node_count(network_) + 4);
        while (missing_ > 0 && step_ < limit)
            run_step();
        outcome_.steps = step_;
        outcome_.complete = missing_ == 0;
        return outcome_;
    }

private:
    struct Send {
        Port port;
        std::uint32_t packet;
        std::uint64_t ready;
    };

    /// The last steps in which a node sent and received, plus one.
    struct Ends {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
    };

    std::size_t queues_per_node() const { return ports_ == PortModel::all ? kPortsMax : 1; }

    /// The step that a common clock gives this send; most rules have none.
    std::uint64_t clocked(NodeId node, Port port, std::uint32_t packet) const {
        if (rule_ != Rule::msbt || ports_ == PortModel::all || !use_clock_)
            return 0;
        return msbt_start({network_.dim}, ports_, relative_address(node, root_), port, packet,
                          packets_);
    }

    void enqueue(NodeId node, std::uint32_t packet, std::uint64_t ready) {
        const unsigned subtree =
            first_subtree(network_, rule_) + packet % subtree_count(network_, rule_);
        for (PortSequence out = children(network_, rule_, subtree, root_, node); !out.empty();) {
            const Port port = out.pop();
            const std::size_t lane = ports_ == PortModel::all ? index(port) : 0;
            const std::size_t number = index(node) * queues_per_node() + lane;
            std::deque<Send>& queue = queues_[number];
            if (queue.empty())
                active_.push_back(number);
            const Send send{port, packet, std::max(ready, clocked(node, port, packet))};
            // A clocked send goes before those of later steps; others queue in order of arrival.
            auto place = queue.end();
            while (place != queue.begin() && clocked(node, port, packet) != 0 &&
                   std::prev(place)->ready > send.ready)
                --place;
            queue.insert(place, send);
        }
    }

    void run_step() {
        std::vector<std::pair<NodeId, std::uint32_t>> arrived;
        std::vector<std::size_t> waiting;
        for (const std::size_t queue : active_) {
            if (queues_[queue].front().ready <= step_)
                send_from(queue, arrived);
            if (!queues_[queue].empty())
                waiting.push_back(queue);
        }
        active_.swap(waiting);
        ++step_;
        missing_ -= arrived.size();
        for (const auto& [node, packet] : arrived)
            enqueue(node, packet, step_);
    }

    void send_from(std::size_t queue, std::vector<std::pair<NodeId, std::uint32_t>>& arrived) {
        const Send send = queues_[queue].front();
        const NodeId sender = node_at(static_cast<std::uint32_t>(queue / queues_per_node()));
        const NodeId receiver = neighbor(network_, sender, send.port);
        if (!claim(sender, receiver)) {
            ++outcome_.collisions;
            return;
        }
        queues_[queue].pop_front();
        arrived.emplace_back(receiver, send.packet);
    }

    /// Takes both ends for this step if the port model lets them.
    bool claim(NodeId sender, NodeId receiver) {
        if (ports_ == PortModel::all)
            return true;
        const std::uint64_t now = step_ + 1;
        Ends& from = ends_[index(sender)];
        Ends& to = ends_[index(receiver)];
        if (from.sent == now || to.received == now)
            return false;
        if (ports_ == PortModel::half && (from.received == now || to.sent == now))
            return false;
        from.sent = now;
        to.received = now;
        return true;
    }

    Network network_;
    Rule rule_;
    PortModel ports_;
    NodeId root_;
    bool use_clock_ = true;
    std::vector<std::deque<Send>> queues_;
    std::vector<std::size_t> active_; // queues that are not empty
    std::vector<Ends> ends_;
    std::uint32_t packets_ = 0;
    std::uint64_t step_ = 0;
    std::uint64_t missing_ = 0;
    Outcome outcome_;
};

} // namespace mesh
