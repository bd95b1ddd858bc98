// A port is a name, not a number: there is no next port by addition.
// EXPECT: no match for 'operator+'
#include "core/types.hpp"

mesh::Port next(mesh::Port port) { return port + 1; }
