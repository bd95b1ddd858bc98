#include "core/uhc/tagged_trees.hpp"
#include "kernel/base/rule_set.hpp"
#include "kernel/base/uhc_answers.hpp"

namespace mesh {

namespace {

static_assert((kTagMax << wire::link_flag::kTagShift) <= 0xFFFF,
              "what the last node said has its room in the flags of a link header");

// An upper bound is all that a node needs.
unsigned height_max(Network network, Rule rule) {
    if (is_own(rule))
        return height<UhcRules>(network, rule);
    const bool known =
        rule == Rule::unicast || rule == Rule::disjoint || uhc::has({network.dim}, rule);
    return known ? uhc::height_max({network.dim}) : 0;
}
unsigned first_subtree(Network, Rule) { return 0; }

Port collect_parent(Network network, Rule, unsigned, NodeId root, NodeId node) {
    return uhc::collect_parent({network.dim}, root, node);
}
PortSequence collect_children(Network network, Rule, unsigned, NodeId root, NodeId node) {
    return PortSequence::ascending(uhc::collect_children({network.dim}, root, node));
}

constexpr TreeRules kUhcTrees{
    .route = route<UhcRules>,
    .height = height_max,
    .subtree_count = subtree_count<UhcRules>,
    .first_subtree = first_subtree,
    .parent = collect_parent,
    .children = collect_children,
    .appointment = nullptr,
};

} // namespace

extern const NetworkRules kUhcNetwork asm("mesh_network_uhc");
const NetworkRules kUhcNetwork{
    .node_count = node_count<UhcRules>,
    .out_ports = out_ports<UhcRules>,
    .in_ports = in_ports<UhcRules>,
    .neighbor = neighbor<UhcRules>,
    .route = route<UhcRules>,
    .height = height_max,
    .path_count = path_count<UhcRules>,
    .trees = &kUhcTrees,
    .answer_way = uhc_answer_way,
};

} // namespace mesh
