// A port is a name, not a number: there is no next port by addition.
// EXPECT: no match for
// EXPECT: operand types are
#include "core/base/types.hpp"

mesh::Port next(mesh::Port port) {
#ifdef MESH_COMPILES
    return mesh::port_at(mesh::index(port) + 1);
#else
    return port + 1;
#endif
}
