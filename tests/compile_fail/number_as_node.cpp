// A bare number is no node; node_at() says that it is meant.
// EXPECT: cannot convert 'int' to 'mesh::NodeId'
#include "core/network.hpp"

unsigned hops(mesh::Network network) { return mesh::distance(network, 0, 5); }
