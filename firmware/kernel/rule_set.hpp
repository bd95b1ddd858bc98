// Which networks and rules the kernel routes. Every image knows its network and unicast; the trees
// are linked with the first collective that a program uses, and only then paid for.
#pragma once

#include "core/network.hpp"
#include "wire/frame.hpp"

namespace mesh {

/// All that a kernel may route.
using KernelRules = CubeRules;

/// The routing of tree packets. A program that sends such packets by hand, without a function of
/// collectives/, says `tree_rules()` once to have it linked.
struct TreeRules {
    Route (*route)(Network network, NodeId self, Port arrival, const Envelope& envelope);
    unsigned (*height)(Network network, Rule rule);
    /// msbt_lag(), rotated_lag(): 0 for other rules.
    std::uint32_t (*lag)(Network network, PortModel ports, NodeId self, Port port,
                         const wire::PacketHeader& header, std::uint32_t packets);
};
const TreeRules& tree_rules();

/// Where a packet goes from here; nowhere for a tree whose rules are not linked.
Route kernel_route(Network network, NodeId self, Port arrival, const Envelope& envelope);
/// Packet times that a broadcast packet, one of `packets`, waits for its appointment.
std::uint32_t kernel_lag(Network network, PortModel ports, NodeId self, Port port,
                         const wire::PacketHeader& header, std::uint32_t packets);
/// Most links that a packet of the rule crosses; 0 for a rule that is not there.
unsigned kernel_height(Network network, Rule rule);

} // namespace mesh
