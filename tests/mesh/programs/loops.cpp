// build: --engine sim
// Node 1 computes without end; with a word it gives way now and then.
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    volatile bool on = mesh::index(node.id()) == 1;
    const bool polite = !node.arguments().empty();
    while (on) {
        for (volatile int spins = 0; spins < 100'000;)
            spins = spins + 1; // here it is met, not where the library hands over
        if (polite)
            co_await node.yield();
    }
    co_return mesh::Status::ok;
}
