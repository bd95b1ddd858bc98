#include "kernel/rule_set.hpp"

namespace mesh {

// Weak: the trees come with collectives only.
[[gnu::weak]] extern const TreeRules kCubeTrees;

extern "C" const NetworkRules mesh_network_cube;
const NetworkRules mesh_network_cube{
    node_count<CubeUnicast>, out_ports<CubeUnicast>, in_ports<CubeUnicast>, neighbor<CubeUnicast>,
    route<CubeUnicast>,      height<CubeUnicast>,    &kCubeTrees,           nullptr};

} // namespace mesh
