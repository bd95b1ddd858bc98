// The tree of a file in the lists of network.hpp: it is there in programs that can load one, which
// are those of the host, and asks the rule that is loaded.
#pragma once

#include "core/base/own_rule.hpp"
#include "core/cube/hypercube.hpp"
#include "core/star/graph.hpp"
#include "core/uhc/uni_hypercube.hpp"

#include <string_view>

namespace mesh {

namespace own {

constexpr Network network_of(Hypercube net) { return {Topology::cube, net.dim}; }
constexpr Network network_of(UniHypercube net) { return {Topology::uhc, net.dim}; }
constexpr Network network_of(StarGraph net) { return {Topology::star, net.symbols}; }

} // namespace own

/// Rule::own where there is one. All of its functions are templates, since what they read is no
/// constant.
struct LoadedTree : SingleTree {
    static constexpr Rule kRule = Rule::own;
    static constexpr std::string_view kName = "own";

    static constexpr unsigned subtree_count(auto) { return loaded_rule != nullptr ? 1 : 0; }
    static constexpr Route route(auto net, NodeId self, Port arrival, const Envelope& envelope) {
        return loaded_rule == nullptr
                   ? Route{}
                   : own::route(own::network_of(net), net, *loaded_rule, self, arrival, envelope);
    }
    static constexpr PortSequence children(auto net, const Hop& hop) {
        return route(net, hop.self, hop.arrival, {Rule::own, 0, hop.root, kNoNode, hop.tag}).ports;
    }
    static constexpr Port parent(auto net, const Hop& hop) {
        return loaded_rule == nullptr
                   ? kNoPort
                   : own::parent(own::network_of(net), net, *loaded_rule, hop.root, hop.self);
    }
    /// The tag that a packet has when it comes by parent().
    static constexpr std::uint8_t arrival_tag(auto net, const Hop& hop) {
        return loaded_rule == nullptr || !loaded_rule->by_arrival
                   ? std::uint8_t{0}
                   : own::links_to(own::network_of(net), net, *loaded_rule, hop.root, hop.self);
    }
    static constexpr unsigned height(auto) {
        return loaded_rule != nullptr ? loaded_rule->height : 0;
    }
};

#ifdef __arm__
template <class... Trees>
using ListOfTrees = TreeList<Trees...>;
#else
template <class... Trees>
using ListOfTrees = TreeList<Trees..., LoadedTree>;
#endif

} // namespace mesh
