// A node is not a port: swapped arguments do not compile.
// EXPECT: cannot convert
// EXPECT: mesh::NodeId mesh::neighbor(Network, NodeId, Port)
#include "core/network.hpp"

mesh::NodeId across(mesh::Network network, mesh::NodeId node, mesh::Port port) {
#ifdef MESH_COMPILES
    return mesh::neighbor(network, node, port);
#else
    return mesh::neighbor(network, port, node);
#endif
}
