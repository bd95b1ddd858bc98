// A node is not a port: swapped arguments do not compile.
// EXPECT: cannot convert 'mesh::Port' to 'mesh::NodeId'
#include "core/network.hpp"

mesh::NodeId across(mesh::Network network, mesh::NodeId node, mesh::Port port) {
    return mesh::neighbor(network, port, node);
}
