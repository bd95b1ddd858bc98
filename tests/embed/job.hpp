// What the mesh does for this firmware.
#pragma once

#include <meshputer/kernel/node/kernel.hpp>

/// The program of each node.
mesh::Process job(mesh::Kernel& node);

/// What this node measures.
inline float volts(const mesh::Kernel& node) {
    return 1.5F + static_cast<float>(mesh::index(node.id()));
}

/// True when job() is over.
extern bool done;
