// The program of the ops in an image that has the rule of a user's file, MESH_RULE_FILE, as
// Rule::own. The tables of networks stand here in place of those in libmesh.a, so that no other
// image pays for such a rule. The host tool has checked the tree, and says how high it is:
// MESH_RULE_HEIGHT. The trees of the cube have no appointments here: this image runs one tree.
#include "ops/job.cpp"

#include MESH_RULE_FILE

#include "core/own_rule.hpp"
#include "kernel/base/rule_set.hpp"
#include "kernel/base/uhc_answers.hpp"

namespace mesh {

namespace {

static_assert(kCountedLinksMax << wire::link_flag::kTagShift <= 0xFFFF,
              "the links that a packet has crossed have their room in the flags of a link header");

constexpr OwnRule kRule = own_rule_of<Tree>(MESH_RULE_HEIGHT); // of the file

template <class Rules>
struct OwnRules {
    static Route route(Network network, NodeId self, Port arrival, const Envelope& envelope) {
        if (envelope.rule != Rule::own)
            return mesh::route<Rules>(network, self, arrival, envelope);
        return detail::with_topology<Rules>(network, [&](auto net) {
            return arrival == kNoPort || own::receives(net, self, arrival)
                       ? own::route(network, net, kRule, self, arrival, envelope)
                       : Route{};
        });
    }
    static unsigned height(Network network, Rule rule) {
        return rule == Rule::own ? kRule.height : mesh::height<Rules>(network, rule);
    }
    static unsigned subtree_count(Network network, Rule rule) {
        return rule == Rule::own ? 1 : mesh::subtree_count<Rules>(network, rule);
    }
    static unsigned first_subtree(Network network, Rule rule) {
        return rule == Rule::own ? 0 : mesh::first_subtree<Rules>(network, rule);
    }
    static Port parent(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node) {
        if (network.topology == Topology::uhc)
            return uhc::collect_parent({network.dim}, root, node);
        if (rule != Rule::own)
            return mesh::parent<Rules>(network, rule, subtree, root, node);
        return detail::with_topology<Rules>(
            network, [=](auto net) { return own::parent(network, net, kRule, root, node); });
    }
    static PortSequence children(Network network, Rule rule, unsigned subtree, NodeId root,
                                 NodeId node) {
        if (network.topology == Topology::uhc)
            return PortSequence::ascending(uhc::collect_children({network.dim}, root, node));
        if (rule != Rule::own)
            return mesh::children<Rules>(network, rule, subtree, root, node);
        return detail::with_topology<Rules>(network, [=](auto net) {
            const Port arrival = own::parent(network, net, kRule, root, node);
            if (arrival == kNoPort && node != root)
                return PortSequence{};
            const Envelope envelope{Rule::own, 0, root, kNoNode,
                                    own::links_to(network, net, kRule, root, node)};
            return own::route(network, net, kRule, node, arrival, envelope).ports;
        });
    }
    static constexpr TreeRules kTrees{
        .route = route,
        .height = height,
        .subtree_count = subtree_count,
        .first_subtree = first_subtree,
        .parent = parent,
        .children = children,
        .appointment = nullptr,
    };
    static constexpr NetworkRules kNetwork{
        .node_count = mesh::node_count<Rules>,
        .out_ports = mesh::out_ports<Rules>,
        .in_ports = mesh::in_ports<Rules>,
        .neighbor = mesh::neighbor<Rules>,
        .route = route,
        .height = height,
        .path_count = mesh::path_count<Rules>,
        .trees = &kTrees,
        .answer_way = Rules::has(Topology::uhc) ? uhc_answer_way : nullptr,
    };
};

} // namespace

extern const NetworkRules kCubeNetwork asm("mesh_network_cube");
extern const NetworkRules kUhcNetwork asm("mesh_network_uhc");
extern const NetworkRules kStarNetwork asm("mesh_network_star");
const NetworkRules kCubeNetwork = OwnRules<CubeRules>::kNetwork;
const NetworkRules kUhcNetwork = OwnRules<UhcRules>::kNetwork;
const NetworkRules kStarNetwork = OwnRules<StarRules>::kNetwork;

const TreeRules& tree_rules(Topology topology) { return *rules_of(topology).trees; }

} // namespace mesh
