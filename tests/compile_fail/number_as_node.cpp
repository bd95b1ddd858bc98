// A bare number is no node; node_at() says that it is meant.
// EXPECT: cannot convert
// EXPECT: unsigned int mesh::distance(Network, NodeId, NodeId)
#include "core/network.hpp"

unsigned hops(mesh::Network network) {
#ifdef MESH_COMPILES
    return mesh::distance(network, mesh::node_at(0), mesh::node_at(5));
#else
    return mesh::distance(network, 0, 5);
#endif
}
