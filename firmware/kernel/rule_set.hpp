// Which networks and rules the kernel routes. Flash is paid for what is named here only.
#pragma once

#include "core/network.hpp"

namespace mesh {

using KernelRules = CubeRules;

} // namespace mesh
