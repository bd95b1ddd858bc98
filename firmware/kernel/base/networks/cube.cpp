#include "kernel/base/rule_set.hpp"

namespace mesh {

// Weak: the trees come with collectives only.
[[gnu::weak]] extern const TreeRules kCubeTrees;

extern const NetworkRules kCubeNetwork asm("mesh_network_cube");
const NetworkRules kCubeNetwork{
    .node_count = node_count<CubeUnicast>,
    .out_ports = out_ports<CubeUnicast>,
    .in_ports = in_ports<CubeUnicast>,
    .neighbor = neighbor<CubeUnicast>,
    .route = route<CubeUnicast>,
    .height = height<CubeUnicast>,
    .path_count = path_count<CubeUnicast>,
    .trees = &kCubeTrees,
    .answer_way = nullptr,
};

} // namespace mesh
