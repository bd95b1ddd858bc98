// The processors of this machine that this process may use.
#pragma once

#include <sched.h>

#include <algorithm>
#include <thread>

namespace mesh::host {

/// At least 1. `taskset` and containers give fewer than the machine has.
inline unsigned cores() {
    cpu_set_t may_use;
    if (sched_getaffinity(0, sizeof may_use, &may_use) == 0)
        return std::max(1u, static_cast<unsigned>(CPU_COUNT(&may_use)));
    return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace mesh::host
