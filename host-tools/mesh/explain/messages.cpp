// The ways of messages from node to node: of a send, and of a scan on UHC and star, whose rounds of
// doubling go over the numbers of the nodes (collectives/scan.cpp). Each way is asked of route(),
// link by link, as the nodes do; why a node sends on by its port is the arithmetic of next_hop() of
// its network, or of the tree that messages take.
#include "core/network.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "ops/traffic.hpp"
#include "why.hpp"

#include <bit>

namespace mesh::host {

namespace {

constexpr unsigned kMessagesTold = 8; // of each sender; more are not told

struct Way {
    Network network;
    Rule rule = Rule::unicast;
    NodeId from;
    NodeId to;

    /// f(node, port) for each link.
    template <class F>
    void for_each_link(F f) const {
        const Envelope envelope{.rule = rule, .source = from, .destination = to};
        Port arrival = kNoPort;
        for (NodeId at = from; at != to; at = neighbor(network, at, arrival)) {
            arrival = route(network, at, arrival, envelope).ports.pop();
            f(at, arrival);
        }
    }

    std::string label(NodeId node) const { return label_of(network, node); }

    /// "2 links: 0110 across 2, 0111 across 0".
    std::string text() const {
        std::string list;
        unsigned links = 0;
        for_each_link([&](NodeId at, Port port) {
            list += fmt::format("{}{} across {}", links == 0 ? "" : ", ",
                                label(neighbor(network, at, port)), index(port));
            ++links;
        });
        return fmt::format("{} link{}: {}", links, links == 1 ? "" : "s", list);
    }

    std::string on_cube(NodeId at) const {
        const std::uint32_t differ = index(at) ^ index(to);
        return fmt::format("{} xor {} = {}, whose lowest one is bit {}", label(at), label(to),
                           bits_text(differ, network.dim), lowest_bit(differ));
    }
    std::string on_uhc(NodeId at) const {
        const std::uint32_t differ = index(at) ^ index(to);
        const std::uint32_t ahead = differ & out_ports(network, at);
        const std::string start =
            fmt::format("{} xor {} = {}", label(at), label(to), bits_text(differ, network.dim));
        if (ahead != 0)
            return fmt::format("{}: of these it sends on {}, across the lowest", start,
                               many("bit", ahead));
        const unsigned lowest = lowest_bit(differ);
        return (lowest ^ 1u) < network.dim
                   ? fmt::format("{}: it sends on none of these, and goes across the other bit of "
                                 "the superdimension of {}, the lowest",
                                 start, lowest)
                   : fmt::format("{}: it does not send on {}, which has a superdimension of its "
                                 "own, and goes across its highest out-port",
                                 start, lowest);
    }
    std::string on_star(NodeId at) const {
        const StarGraph net{network.dim};
        const Label seen = net.relative_label(at, to);
        const std::string start =
            fmt::format("{} sees {} as {}", label(to), label(at), label(net.rank(seen)));
        const unsigned dimension = 2 + index(net.next_hop(at, to));
        return seen.at(1) != 1 ? fmt::format("{}: symbol {} is first and goes home, over dimension "
                                             "{}",
                                             start, seen.at(1), dimension)
                               : fmt::format("{}: symbol 1 is first, and the first of the others "
                                             "that is not at home is in place {}",
                                             start, dimension);
    }
    /// The tree is rooted at the sender, and followed from the target up.
    std::string over_tree(NodeId at) const {
        std::string ups;
        for (NodeId below = to; below != at;) {
            const Port up = parent(network, rule, 0, from, below);
            below = neighbor(network, below, up);
            ups += fmt::format("{}{} across {}", ups.empty() ? "" : ", ", label(below), index(up));
        }
        return fmt::format("in {} from {} the parents from {} up are {}", name(rule), label(from),
                           label(to), ups);
    }
    /// Why `at`, on the way and not its end, sends on as it does.
    std::string reason(NodeId at) const {
        if (rule != Rule::unicast && rule != Rule::sbt) // which are the same
            return over_tree(at);
        return network.topology == Topology::uhc    ? on_uhc(at)
               : network.topology == Topology::star ? on_star(at)
                                                    : on_cube(at);
    }
};

void count_passing(PortCounts& counts, const Way& way, NodeId node) {
    way.for_each_link(
        [&](NodeId at, Port port) { counts[index(port)] += at == node && at != way.from ? 1 : 0; });
}

/// One message from the root to the target.
void add_single(Reason& reason, const Way& way, NodeId node) {
    if (way.from == way.to) {
        reason.add("{} sends to itself: no link.", way.label(way.from));
        return;
    }
    reason.add("A message goes from {} to {} over {}.", way.label(way.from), way.label(way.to),
               way.text());
    bool passes = false;
    way.for_each_link([&](NodeId at, Port port) {
        if (at == node)
            reason.add("Here {}: on to {} across {}.", way.reason(at),
                       way.label(neighbor(way.network, at, port)), index(port));
        passes |= at == node;
    });
    if (!passes)
        reason.add("{}", node == way.to ? "It ends here." : "It does not pass here.");
}

/// Round by round: the partners are `distance` apart in numbers.
class Doubling {
public:
    Doubling(Network network, NodeId node)
        : network_(network),
          node_(index(node)),
          nodes_(node_count(network)) {}

    unsigned rounds() const { return static_cast<unsigned>(std::bit_width(nodes_ - 1)); }
    bool gives(std::uint32_t distance) const { return node_ + distance < nodes_; }
    bool takes(std::uint32_t distance) const { return node_ >= distance; }
    std::string giving(std::uint32_t distance) const {
        return fmt::format("gives its own total to node {} over {}", node_ + distance,
                           way(node_, distance).text());
    }
    std::string taking(std::uint32_t distance) const {
        return fmt::format("takes the total of node {}", node_ - distance);
    }
    std::string round_text(unsigned round) const {
        const std::uint32_t distance = 1u << round;
        if (!gives(distance) && !takes(distance))
            return "no node is so far below it or above it";
        if (!takes(distance))
            return giving(distance);
        const std::uint32_t low = node_ < 2 * distance ? 0 : node_ - 2 * distance + 1;
        const std::string then = fmt::format(
            "what it took goes before its own: the total of nodes {} to {}", low, node_);
        if (!gives(distance))
            return fmt::format("{}; {}", taking(distance), then);
        const bool first = (node_ & distance) == 0;
        return fmt::format("bit {} of {} is {}, so it first {}, then {}; {}", round, node_,
                           first ? 0 : 1, first ? giving(distance) : taking(distance),
                           first ? taking(distance) : giving(distance), then);
    }
    Way way(std::uint32_t from, std::uint32_t distance) const {
        return {network_, Rule::unicast, node_at(from), node_at(from + distance)};
    }
    /// The traffic that crosses this node on its way between others.
    PortCounts passing() const {
        PortCounts counts{};
        for (unsigned round = 0; round < rounds(); ++round)
            for (std::uint32_t from = 0; from + (1u << round) < nodes_; ++from)
                count_passing(counts, way(from, 1u << round), node_at(node_));
        return counts;
    }

private:
    Network network_;
    std::uint32_t node_;
    std::uint32_t nodes_;
};

} // namespace

Reason why_scan_by_messages(Network network, NodeId node) {
    Reason reason;
    const Doubling doubling{network, node};
    reason.add("The order is that of the nodes' numbers, and each packet of elements goes through "
               "all rounds by itself.");
    for (unsigned round = 0; round < doubling.rounds(); ++round)
        reason.add("Round {}, distance {}: {}.", round + 1, 1u << round,
                   doubling.round_text(round));
    reason.add("With --exclusive each total goes on to the next node at the end: it {}{}{}.",
               doubling.gives(1) ? doubling.giving(1) : "",
               doubling.gives(1) && doubling.takes(1) ? ", and " : "",
               doubling.takes(1) ? doubling.taking(1) : "");
    if (node_count(network) <= kNamedNodesMax)
        reason.add("Passes on for others in these rounds: {}.", counts_text(doubling.passing()));
    return reason;
}

bool has_send_words(const ExchangePlan& plan) {
    return plan.messages <= kMessagesTold && (plan.target || node_count(plan.network) > 1);
}

Reason why_send(const ExchangePlan& plan, NodeId node) {
    Reason reason;
    if (plan.target) {
        add_single(reason, {plan.network, plan.route, plan.root, *plan.target}, node);
        return reason;
    }
    const std::uint32_t nodes = node_count(plan.network);
    PortCounts passing{};
    unsigned taken = 0;
    for (std::uint32_t from = 0; from < nodes; ++from)
        for (unsigned number = 0; number < plan.messages; ++number) {
            const NodeId to = traffic_target(nodes, plan.seed, node_at(from), number);
            const Way way{plan.network, plan.route, node_at(from), to};
            taken += to == node ? 1 : 0;
            count_passing(passing, way, node);
            if (node_at(from) == node)
                reason.add("Message {} goes to {} over {}. Here {}.", number + 1, way.label(to),
                           way.text(), way.reason(node));
        }
    reason.add("Gets {} of the others', and passes on for them: {}.", taken, counts_text(passing));
    return reason;
}

} // namespace mesh::host
