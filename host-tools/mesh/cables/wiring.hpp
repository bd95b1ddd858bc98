// Where cables lead.
#pragma once

#include "core/network.hpp"

#include <functional>
#include <optional>

namespace mesh::host {

/// The other end of a cable.
struct Far {
    NodeId node = kNoNode;
    Port port = kNoPort;
};

/// Where the cable at a port leads; nothing if it carries no frames that way.
using Wiring = std::function<std::optional<Far>(NodeId, Port)>;

/// The wiring of a network: the neighbour over that port, plugged into the same port.
inline Wiring wiring_of(Network network) {
    return [network](NodeId node, Port port) -> std::optional<Far> {
        if (((out_ports(network, node) >> index(port)) & 1u) == 0)
            return std::nullopt;
        return Far{neighbor(network, node, port), port};
    };
}

} // namespace mesh::host
