// A packet has one owner; its buffer is released once.
// EXPECT: use of deleted function
#include "kernel/node/kernel.hpp"

#include <utility>

mesh::Packet hand_on(mesh::Packet& packet) {
#ifdef MESH_COMPILES
    return std::move(packet);
#else
    return packet;
#endif
}
