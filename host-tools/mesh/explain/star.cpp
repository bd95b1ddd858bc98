// The arithmetic of the trees of the star, on permutations. Dimension d swaps the symbols at the
// places 1 and d, and is port d-2.
#include "host-tools/mesh/rig/naming.hpp"
#include "why.hpp"

namespace mesh::host {

namespace {

std::uint32_t bit_of(unsigned dimension) { return 1u << index(StarGraph::port_of(dimension)); }

std::string permutation(StarGraph net, const Label& label) {
    return label_of({Topology::star, net.symbols}, net.rank(label));
}

void add_nearer(Reason& reason, const StarView& view) {
    if (view.at(1) != view.place_of(1))
        reason.add(
            "The first symbol is {}, whose home is place {}: the neighbour over dimension {} "
            "is nearer to the root.",
            view.at(1), view.at(1), view.nearer());
    else
        reason.add(
            "Symbol 1 is {}: the first place to the right of it that holds a wrong symbol is "
            "{}, and the neighbour over dimension {} is nearer to the root.",
            view.at(1) == 1 ? std::string("first, at home")
                            : fmt::format("in the home of the first symbol, {}", view.at(1)),
            view.nearer(), view.nearer());
}

void add_edge_disjoint(Reason& reason, const StarView& view, unsigned tree, EdtVariant variant) {
    if (view.at(1) == 1) {
        reason.add("Symbol 1 is first: each tree comes over its own dimension, this one over {}.",
                   tree);
        return;
    }
    const EdtExits exits(view, variant);
    reason.add("Symbol 1 is at place {} = k.", exits.home);
    if (tree == exits.home) {
        add_nearer(reason, view);
        reason.add("Tree k comes over that dimension, {}.", exits.nearer);
    } else if (tree == exits.over_home) {
        reason.add("Tree {} is that of symbol {}{}, so it comes over dimension k = {}.", tree, tree,
                   tree == view.at(1) ? ", the first one" : "", exits.home);
    } else if (tree == exits.over_displaced) {
        reason.add("Tree {} has to make room for another one: it comes over the place of symbol k, "
                   "{}.",
                   tree, view.place_of(exits.home));
    } else {
        reason.add("Tree {} comes over the place of its symbol, {}.", tree, view.place_of(tree));
    }
}

} // namespace

Reason why_on_star(StarGraph net, Rule rule, unsigned subtree, NodeId root, NodeId node) {
    Reason reason;
    const Label relative = net.relative_label(node, root);
    reason.add("Permutation {}; as the root, {}, sees it: {}.", permutation(net, net.unrank(node)),
               permutation(net, net.unrank(root)), permutation(net, relative));
    const StarView view(net, relative);
    if (!view.is_root()) {
        rule == Rule::spt ? add_nearer(reason, view)
                          : add_edge_disjoint(reason, view, subtree, star::variant_of(rule));
        const unsigned up = star::parent_dimension(view, rule, subtree);
        reason.parents = bit_of(up);
        reason.add("So the parent swaps the places 1 and {}: {}.", up,
                   permutation(net, net.unrank(net.neighbor(node, StarGraph::port_of(up)))));
    } else if (rule != Rule::spt) {
        reason.children = bit_of(subtree);
        reason.add("The root sends tree {} over dimension {}.", subtree, subtree);
        return reason;
    }
    std::string others;
    for (unsigned dimension = 2; dimension <= net.symbols; ++dimension) {
        StarView next = view;
        next.cross(dimension);
        if (next.is_root())
            continue;
        const unsigned up = star::parent_dimension(next, rule, subtree);
        reason.children |= up == dimension ? bit_of(dimension) : 0u;
        others += fmt::format(
            "{}{} over {} is fed over {}{}", others.empty() ? "" : "; ",
            permutation(net, net.unrank(net.neighbor(node, StarGraph::port_of(dimension)))),
            dimension, up, up == dimension ? ", so it is one" : "");
    }
    reason.add("A child is a neighbour that the same arithmetic feeds from here: {}.", others);
    return reason;
}

} // namespace mesh::host
