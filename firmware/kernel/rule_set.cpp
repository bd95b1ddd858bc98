#include "kernel/rule_set.hpp"

namespace mesh {

// Weak: nothing here pulls the trees out of the library.
[[gnu::weak]] extern const TreeRules kTreeRules;

namespace {
const TreeRules* linked_trees() { return &kTreeRules; }
} // namespace

Route kernel_route(Network network, NodeId self, Port arrival, const Envelope& envelope) {
    if (envelope.rule == Rule::unicast)
        return route<CubeUnicast>(network, self, arrival, envelope);
    const TreeRules* const trees = linked_trees();
    return trees != nullptr ? trees->route(network, self, arrival, envelope) : Route{};
}

std::uint32_t kernel_lag(Network network, PortModel ports, NodeId self, Port port,
                         const wire::PacketHeader& header, std::uint32_t packets) {
    const TreeRules* const trees = linked_trees();
    return trees != nullptr ? trees->lag(network, ports, self, port, header, packets) : 0;
}

unsigned kernel_height(Network network, Rule rule) {
    if (rule == Rule::unicast)
        return height<CubeUnicast>(network, rule);
    const TreeRules* const trees = linked_trees();
    return trees != nullptr ? trees->height(network, rule) : 0;
}

} // namespace mesh
