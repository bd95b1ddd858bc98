// A relative address names a place in a tree, not a node.
// EXPECT: cannot convert 'mesh::Relative' to 'mesh::NodeId'
#include "core/hypercube.hpp"

mesh::Port hop(mesh::Hypercube cube, mesh::NodeId self, mesh::Relative place) {
    return cube.next_hop(self, place);
}
