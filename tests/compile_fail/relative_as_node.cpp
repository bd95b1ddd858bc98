// A relative address names a place in a tree, not a node.
// EXPECT: cannot convert
// EXPECT: mesh::Relative
#include "core/cube/hypercube.hpp"

mesh::Port hop(mesh::Hypercube cube, mesh::NodeId self, mesh::NodeId root, mesh::NodeId other) {
#ifdef MESH_COMPILES
    static_cast<void>(root);
    return cube.next_hop(self, other);
#else
    return cube.next_hop(self, mesh::relative_address(other, root));
#endif
}
