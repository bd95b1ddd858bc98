#include "kernel/base/rule_set.hpp"

#include "hal/check.hpp"

namespace mesh {

// Weak: nothing here pulls a network out of the library; the linker is told by name.
[[gnu::weak]] extern const NetworkRules kCubeNetwork asm("mesh_network_cube");
[[gnu::weak]] extern const NetworkRules kUhcNetwork asm("mesh_network_uhc");
[[gnu::weak]] extern const NetworkRules kStarNetwork asm("mesh_network_star");

Route NetworkRules::way(Network network, NodeId self, Port arrival,
                        const Envelope& envelope) const {
    if (envelope.rule == Rule::unicast)
        return route(network, self, arrival, envelope);
    return (trees != nullptr ? trees->route : route)(network, self, arrival, envelope);
}

unsigned NetworkRules::longest(Network network, Rule rule) const {
    if (rule == Rule::unicast)
        return height(network, rule);
    return (trees != nullptr ? trees->height : height)(network, rule);
}

const NetworkRules& rules_of(Topology topology) {
    const NetworkRules* rules = nullptr;
    switch (topology) {
    case Topology::cube: rules = &kCubeNetwork; break;
    case Topology::uhc: rules = &kUhcNetwork; break;
    case Topology::star: rules = &kStarNetwork; break;
    }
    MESH_CHECK(rules != nullptr, network_not_linked);
    return *rules;
}

} // namespace mesh
