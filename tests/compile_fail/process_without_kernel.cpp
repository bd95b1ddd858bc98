// A process gets its memory from a node's arena, so its first parameter is the node; there is no
// heap to fall back to. A lambda or a member function would have its object first.
// EXPECT: what can wait is a function whose first parameter is mesh::Kernel&; no lambda, no member
#include "kernel/node/kernel.hpp"

#ifdef MESH_COMPILES
mesh::Process worker(mesh::Kernel&, int) { co_return mesh::Status::ok; }
#else
mesh::Process worker(int) { co_return mesh::Status::ok; }
#endif
