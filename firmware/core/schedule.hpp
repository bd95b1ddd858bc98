// When the source of a stream may start each packet, so that nothing downstream collides.
//
// Relays have no schedule: they forward a packet as soon as the port (all), their one sender
// (duplex) or their one transceiver (half) is free, first come first served. Only the source holds
// back, where a relay could not take the next packet because it still sends the last one.
// Source: ho-johnsson-1986, section 3.3, corrected.
#pragma once

#include "core/network.hpp"

#include <cstdint>

namespace mesh {

/// Packet times between the starts of two packets of a broadcast: packet p starts at p times this,
/// or later if the source is not free. 0: the source never needs to wait.
constexpr unsigned broadcast_interval(Network network, Rule rule, PortModel ports) {
    // A relay on the path needs one packet time to receive and one to send; two nodes have no
    // relay.
    return rule == Rule::hp && ports == PortModel::half && node_count(network) > 2 ? 2 : 0;
}

/// The same for the packets of one message between two nodes `hops` links apart.
constexpr unsigned unicast_interval(PortModel ports, unsigned hops) {
    return ports == PortModel::half && hops > 1 ? 2 : 0;
}

} // namespace mesh
