#include "kernel/base/rule_set.hpp"

namespace mesh {

namespace {
constexpr TreeRules kStarTrees{
    .route = route<StarRules>,
    .height = height<StarRules>,
    .subtree_count = subtree_count<StarRules>,
    .first_subtree = first_subtree<StarRules>,
    .parent = parent<StarRules>,
    .children = children<StarRules>,
    .appointment = nullptr,
};
} // namespace

extern const NetworkRules kStarNetwork asm("mesh_network_star");
const NetworkRules kStarNetwork{
    .node_count = node_count<StarRules>,
    .out_ports = out_ports<StarRules>,
    .in_ports = in_ports<StarRules>,
    .neighbor = neighbor<StarRules>,
    .route = route<StarRules>,
    .height = height<StarRules>,
    .path_count = path_count<StarRules>,
    .trees = &kStarTrees,
    .answer_way = nullptr,
};

} // namespace mesh
