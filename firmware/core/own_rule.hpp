// The header of a user's own rule, a file for `mesh tree --rule` and `mesh run --tree`.
//
// The file has one struct with children(), in one of two forms, and says which struct is the tree:
//
//   struct Mirrored {
//       static constexpr PortSequence children(Network net, NodeId self, NodeId root) { ... }
//   };
//   using Tree = Mirrored;
//
// children() gives the out-ports by which a node sends a packet on, in the order in which it sends.
// It has no state and no table. The other form knows only by which port the packet has come,
// kNoPort at the root, and the links that it has crossed:
//
//       static constexpr PortSequence children(Network net, Port arrival, unsigned links_crossed)
//
// parent(), the in-port by which a node other than the root is fed, may be left out: the kernel
// then asks which neighbour has the node as a child. In the second form that cannot be known, so
// such a tree serves only broadcasts until it has one:
//
//       static constexpr Port parent(Network net, NodeId self, NodeId root)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/own_rule.hpp"
#include "core/network.hpp"

#include <concepts>

namespace mesh {

/// A tree whose nodes know themselves and the root.
template <class T>
concept TreeByNode = requires(Network network, NodeId node) {
    { T::children(network, node, node) } -> std::same_as<PortSequence>;
};

/// A tree whose nodes know how the packet has come.
template <class T>
concept TreeByArrival = requires(Network network, Port port, unsigned links) {
    { T::children(network, port, links) } -> std::same_as<PortSequence>;
};

template <class T>
concept TreeWithParent = requires(Network network, NodeId node) {
    { T::parent(network, node, node) } -> std::same_as<Port>;
};

/// The table of a user's struct. `height`: as in OwnRule.
template <class T>
constexpr OwnRule own_rule_of(unsigned height) {
    static_assert(TreeByNode<T> != TreeByArrival<T>,
                  "the tree of a file has one of these two functions: static constexpr "
                  "PortSequence children(Network net, NodeId self, NodeId root), or static "
                  "constexpr PortSequence children(Network net, Port arrival, unsigned "
                  "links_crossed)");
    OwnRule rule;
    rule.height = height;
    rule.by_arrival = TreeByArrival<T>;
    if constexpr (TreeByNode<T>)
        rule.children = [](Network network, const Hop& hop) {
            return T::children(network, hop.self, hop.root);
        };
    else if constexpr (TreeByArrival<T>)
        rule.children = [](Network network, const Hop& hop) {
            return T::children(network, hop.arrival, hop.tag);
        };
    if constexpr (requires { &T::parent; }) {
        static_assert(TreeWithParent<T>, "static constexpr Port parent(Network net, NodeId self, "
                                         "NodeId root)");
        if constexpr (TreeWithParent<T>)
            rule.parent = [](Network network, NodeId self, NodeId root) {
                return T::parent(network, self, root);
            };
    }
    return rule;
}

} // namespace mesh
