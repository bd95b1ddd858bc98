// The networks and rules that an image has. Each network is one table of functions, each table one
// object of the library, linked by name (NETWORKS of the Makefile): an image pays flash for its own
// networks. The trees of the cube are linked with the first collective that a program uses.
#pragma once

#include "core/network.hpp"
#include "kernel/base/model_clock.hpp"
#include "kernel/base/packet_pool.hpp"
#include "wire/frame.hpp"

namespace mesh {

/// The trees of a network, for collectives. The functions are those of core/network.hpp.
struct TreeRules {
    Route (*route)(Network network, NodeId self, Port arrival, const Envelope& envelope);
    unsigned (*height)(Network network, Rule rule); // or more; 0 for other networks' rules
    unsigned (*subtree_count)(Network network, Rule rule);
    unsigned (*first_subtree)(Network network, Rule rule);
    /// The tree by which values climb to the root: the rule's own where links carry both ways.
    Port (*parent)(Network network, Rule rule, unsigned subtree, NodeId root, NodeId node);
    PortSequence (*children)(Network network, Rule rule, unsigned subtree, NodeId root,
                             NodeId node);
    /// The model time before which `buffer` may not start on `port`; 0 if any time will do.
    /// nullptr: no rule of this network has appointments.
    wire::ModelTime (*appointment)(Network network, const ModelClock& clock, NodeId self, Port port,
                                   const PacketBuffer& buffer);
};

/// The way of an answer: to the link at `port`, if it has arrived, or on by `port`; kNoPort: it has
/// lost its way.
struct AnswerWay {
    Port port = kNoPort;
    bool arrived = false;
};

/// The functions by which a kernel asks its network. They are those of core/network.hpp; route()
/// and height() know unicast and disjoint only.
struct NetworkRules {
    std::uint32_t (*node_count)(Network network);
    std::uint32_t (*out_ports)(Network network, NodeId node);
    std::uint32_t (*in_ports)(Network network, NodeId node);
    NodeId (*neighbor)(Network network, NodeId node, Port port);
    Route (*route)(Network network, NodeId self, Port arrival, const Envelope& envelope);
    unsigned (*height)(Network network, Rule rule);
    unsigned (*path_count)(Network network);
    const TreeRules* trees; // nullptr: not linked
    /// An answer (ack, hello_answer) came in by `port`. nullptr where links carry both ways: an
    /// answer is for the link at its port. Else answers go home over a cycle of four, see
    /// wire::WayBack.
    AnswerWay (*answer_way)(Network network, NodeId self, Port port,
                            const wire::LinkHeader& header);

    /// Where a packet of any rule goes; nowhere for a tree whose rules are not linked.
    Route way(Network network, NodeId self, Port arrival, const Envelope& envelope) const;
    /// Most links that a packet of the rule crosses; 0 for a rule that is not there.
    unsigned longest(Network network, Rule rule) const;
};

/// The table of a topology. CHECK: the image has it.
const NetworkRules& rules_of(Topology topology);

/// The trees of a topology. Asking links those of the cube: programs that send tree packets by
/// hand, without a function of collectives/, call it once. CHECK: the image has the topology.
const TreeRules& tree_rules(Topology topology);

} // namespace mesh
