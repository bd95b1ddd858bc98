// A strand: a function that is no coroutine, in a process and on a stack of its own beside the
// program. It waits as the program does, with fiber::await(). Strands and program take turns where
// they wait; none of them runs while another one computes.
#pragma once

#include "kernel/node/kernel.hpp"
#include "kernel/processes/task.hpp"

#include <cstddef>
#include <span>

namespace mesh::fiber {

struct Strand {
    /// 16-byte aligned at its end. Nothing guards its limit but the processor's register, where
    /// there is one.
    std::span<std::byte> stack;
    void (*function)();
    bool has_ended = false;
};

/// Runs a strand to the end of its function. The caller keeps it, and its stack, until then.
Process run(Kernel& kernel, Strand& strand);

} // namespace mesh::fiber
