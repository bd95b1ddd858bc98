#include "kernel/rule_set.hpp"

namespace mesh {

namespace {
constexpr TreeRules kTrees{route<StarRules>,
                           height<StarRules>,
                           subtree_count<StarRules>,
                           first_subtree<StarRules>,
                           parent<StarRules>,
                           children<StarRules>,
                           nullptr};
} // namespace

extern "C" const NetworkRules mesh_network_star;
const NetworkRules mesh_network_star{node_count<StarRules>,
                                     out_ports<StarRules>,
                                     in_ports<StarRules>,
                                     neighbor<StarRules>,
                                     route<StarRules>,
                                     height<StarRules>,
                                     &kTrees,
                                     nullptr};

} // namespace mesh
