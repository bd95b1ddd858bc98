// The meetings of a barrier: to whom a node says in each round that it has come, and of whom it
// knows it afterwards. On the cube a round is a pair; elsewhere a node uses all of its links, and
// after r rounds knows of all nodes from which a way of r links leads to it.
#include "host-tools/mesh/rig/naming.hpp"
#include "why.hpp"

#include <algorithm>
#include <cstddef>

namespace mesh::host {

namespace {

/// "001 across 0, 100 across 2".
std::string across_text(Network network, NodeId node, std::uint32_t ports) {
    std::string text;
    for (PortSequence left = PortSequence::ascending(ports); !left.empty();) {
        const Port port = left.pop();
        text += fmt::format("{}{} across {}", text.empty() ? "" : ", ",
                            label_of(network, neighbor(network, node, port)), index(port));
    }
    return text;
}

/// The nodes that a node knows of, before and after rounds.
class Known {
public:
    Known(Network network, NodeId node) : network_(network), known_(node_count(network)) {
        known_[index(node)] = true;
    }

    /// A round: whom these nodes hear from is known as well.
    void hear() {
        const std::vector<bool> before = known_;
        for (std::uint32_t node = 0; node < before.size(); ++node)
            for (PortSequence ports =
                     PortSequence::ascending(before[node] ? in_ports(network_, node_at(node)) : 0);
                 !ports.empty();)
                known_[index(neighbor(network_, node_at(node), ports.pop()))] = true;
    }
    std::ptrdiff_t count() const { return std::count(known_.begin(), known_.end(), true); }

private:
    Network network_;
    std::vector<bool> known_;
};

} // namespace

Reason why_barrier(Network network, NodeId node) {
    Reason reason;
    Known known{network, node};
    for (unsigned round = 0; round < diameter(network); ++round) {
        if (network.topology == Topology::cube) {
            reason.add("Dimension {}: exchange with {}; both know then that the {} nodes {} have "
                       "come.",
                       round, across_text(network, node, 1u << round), 2u << round,
                       subcube_text(network, node, round + 1));
            continue;
        }
        known.hear();
        reason.add("Round {}: tell {}; hear from {}; it knows of {} nodes then, those of which a "
                   "way of {} link{} leads here.",
                   round + 1, across_text(network, node, out_ports(network, node)),
                   across_text(network, node, in_ports(network, node)), known.count(), round + 1,
                   round == 0 ? "" : "s at most");
    }
    return reason;
}

} // namespace mesh::host
