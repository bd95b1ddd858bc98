// How an app turns down what it was asked.
#pragma once

#include "kernel/kernel.hpp"

#include <cstdio>

namespace mesh {

/// Node 0 says why, for all of them; the status to return.
inline Status refuse(const Kernel& node, const char* why) {
    if (index(node.id()) == 0)
        printf("%s\n", why);
    return Status::bad_argument;
}

} // namespace mesh
