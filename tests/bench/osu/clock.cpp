// The clock of messages.c: ticks of model time in lockstep, else microseconds.
#include "fiber/fiber.hpp"

extern "C" long long ticks() {
    mesh::Kernel& node = mesh::fiber::node();
    return static_cast<long long>(node.lockstep() ? node.now() : node.deadline_in(0));
}
