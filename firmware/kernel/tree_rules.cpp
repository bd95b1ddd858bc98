// Apart from rule_set.cpp, so that the linker takes it only for programs that use trees.
#include "core/schedule.hpp"
#include "kernel/rule_set.hpp"

namespace mesh {

namespace {
std::uint32_t lag(Network network, PortModel ports, NodeId self, Port port,
                  const wire::PacketHeader& header, std::uint32_t packets) {
    const Hypercube cube{network.dim};
    const Relative relative = relative_address(self, header.source);
    const bool msbt = header.rule == Rule::msbt || header.rule == Rule::msbt_rot;
    if (!msbt || header.destination != kNoNode)
        return 0;
    if (header.subtree >= cube.dim)
        return rotated_lag(cube, relative, port, header.subtree - cube.dim, header.message);
    if (ports != PortModel::half)
        return 0;
    return msbt_lag(cube, relative, port, header.subtree, header.message, packets);
}
} // namespace

extern const TreeRules kTreeRules;
const TreeRules kTreeRules{route<KernelRules>, height<KernelRules>, lag};

const TreeRules& tree_rules() { return kTreeRules; }

} // namespace mesh
