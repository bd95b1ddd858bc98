// Any packets, all ports, step by step: every port sends one packet a step, first come, first
// served; a packet received in step t may leave in t+1. Where a packet goes is route()'s decision,
// as on a node; nothing here knows a tree. Dead nodes swallow what comes to them.
#pragma once

#include "core/network.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace mesh {

class PacketSimulator {
public:
    explicit PacketSimulator(Network network)
        : network_(network),
          dead_(node_count(network)),
          queues_(std::size_t{node_count(network)} * kPortsMax) {}

    void kill(NodeId node) { dead_[index(node)] = true; }

    /// A packet that starts in step `start` at its source (its destination, if none is given).
    void inject(const Envelope& envelope, std::uint64_t start = 0) {
        later_.emplace_back(start, envelope);
    }

    /// Runs until nothing moves; calls deliver(node, envelope) for what arrives. Steps taken.
    template <class F>
    std::uint64_t run(F deliver) {
        std::stable_sort(later_.begin(), later_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::size_t started = 0;
        std::uint64_t step = 0;
        for (std::uint64_t last = 0;; ++step) {
            for (; started < later_.size() && later_[started].first <= step; ++started)
                handle(later_[started].second.source, kNoPort, later_[started].second, deliver);
            if (run_step(deliver))
                last = step + 1;
            else if (started == later_.size())
                return last;
        }
    }
    std::uint64_t run() {
        return run([](NodeId, const Envelope&) {});
    }
    std::uint64_t hops() const { return hops_; }
    std::size_t longest_queue() const { return longest_; }

private:
    struct Arrival {
        NodeId node;
        Port port;
        Envelope envelope;
    };

    template <class F>
    void handle(NodeId node, Port arrival, const Envelope& envelope, F& deliver) {
        if (dead_[index(node)])
            return;
        Route way = route(network_, node, arrival, envelope);
        if (way.deliver)
            deliver(node, envelope);
        while (!way.ports.empty()) {
            auto& queue = queues_[std::size_t{index(node)} * kPortsMax + index(way.ports.pop())];
            queue.push_back(envelope);
            longest_ = std::max(longest_, queue.size());
        }
    }

    template <class F>
    bool run_step(F& deliver) {
        std::vector<Arrival> arrivals;
        for (std::uint32_t node = 0; node < node_count(network_); ++node) {
            for (unsigned port = 0; port < port_count(network_); ++port) {
                auto& queue = queues_[std::size_t{node} * kPortsMax + port];
                if (queue.empty())
                    continue;
                const NodeId next = neighbor(network_, node_at(node), port_at(port));
                arrivals.push_back({next, port_at(port), queue.front()});
                queue.pop_front();
                ++hops_;
            }
        }
        for (const Arrival& arrival : arrivals)
            handle(arrival.node, arrival.port, arrival.envelope, deliver);
        return !arrivals.empty();
    }

    Network network_;
    std::vector<bool> dead_;
    std::vector<std::deque<Envelope>> queues_;
    std::vector<std::pair<std::uint64_t, Envelope>> later_;
    std::uint64_t hops_ = 0;
    std::size_t longest_ = 0;
};

} // namespace mesh
