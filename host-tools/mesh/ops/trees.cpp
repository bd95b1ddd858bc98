#include "trees.hpp"

#include "core/schedules/timetable.hpp"
#include "host-tools/mesh/rig/naming.hpp"

#include <array>

namespace mesh::host {

namespace {

bool uses(const RunPlan& run, Rule tree, Far cable) {
    const NodeId other = neighbor(run.network(), cable.node, cable.port);
    return parent(run.network(), tree, 0, run.root, cable.node) == cable.port ||
           parent(run.network(), tree, 0, run.root, other) == cable.port;
}

/// The first balanced tree that does without a cable. (errata 3.9: alt shares no edge with minr
/// below level 1)
Rule tree_without(const RunPlan& run, Far cable, bool for_blocks) {
    constexpr std::array kChoice{Rule::sbnt_minr, Rule::sbnt_maxl, Rule::sbnt_minbl,
                                 Rule::sbnt_maxbr, Rule::alt};
    for (const Rule tree : kChoice)
        if (!uses(run, tree, cable) && (!for_blocks || tree != Rule::alt))
            return tree;
    refuse(kCombination,
           "--avoid {}/{}: every balanced tree from node {} uses it; allowed: cables that are not "
           "at the root, or --copies 2",
           index(cable.node), index(cable.port), index(run.root));
}

std::vector<std::string_view> disjoint_trees(Network network) {
    std::vector<std::string_view> names;
    for (unsigned number = 1; number < static_cast<unsigned>(Rule::kCount); ++number) {
        const Rule rule = static_cast<Rule>(number);
        if (has_disjoint_trees(rule) && subtree_count(network, rule) != 0)
            names.push_back(name(rule));
    }
    return names;
}

} // namespace

Rule plan_tree(const RunPlan& run, bool for_blocks, RootsAsked roots) {
    const Network network = run.network();
    if (!run.work.avoid.empty()) {
        if (network.topology != Topology::cube)
            refuse(kCombination,
                   "--avoid: on a {} no tree is known that avoids a cable; allowed: --copies",
                   name(network.topology));
        if (!run.work.tree.empty() || run.copies > 1)
            refuse(kCombination,
                   "--avoid chooses the tree of a collective: without --tree and --copies");
        return tree_without(run, cable_end(network, run.work.avoid, "--avoid"), for_blocks);
    }
    const Rule usual = usual_tree(network.topology, run.copies > 1);
    const Rule rule =
        run.work.tree.empty() ? usual : tree_of(network, run.work.tree, run.root, roots);
    if (run.copies > 1 && !has_disjoint_trees(rule))
        refuse(kCombination, "--copies {}: goes with --tree {}, whose trees share no edge",
               run.copies, fmt::join(disjoint_trees(network), ", "));
    return rule;
}

void check_climbs(Rule tree, std::string_view op) {
    if (tree == Rule::own && !own_rule_facts().climbs)
        refuse(kCombination,
               "--op {}: climbs the tree, and {} says children by arrival only: give it static "
               "constexpr Port parent(Network net, NodeId self, NodeId root)",
               op, own_rule_facts().file);
}

std::optional<Formula> own_formula(PortModel ports, std::uint64_t packets) {
    if (ports != PortModel::all)
        return std::nullopt;
    return Formula{"P+h-1", packets + own_rule_facts().root_height - 1};
}

Rule usual_paths(Network network, bool pairs) {
    if (network.topology == Topology::star)
        return Rule::edt;
    return pairs && network.dim % 2 == 0 ? Rule::adst : Rule::ist;
}

std::uint32_t copies_max(Network network) {
    return subtree_count(network, usual_tree(network.topology, true));
}

std::uint32_t plan_copies(const RunPlan& run) {
    return in_range(run.work.copies, 1, copies_max(run.network()), "--copies");
}

} // namespace mesh::host
