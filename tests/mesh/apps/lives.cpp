// lives: every other node tells node 0, on and on, how often it was started, until it was so often
// as the word says; node 0 prints each new start that it hears of.
#include "meshputer.hpp"

#include <array>

using namespace mesh;

namespace {

constexpr NodeId kRoot{0};

Process tell(Kernel& node, unsigned last) {
    may_begin_again(node);
    const unsigned start = node.starts();
    for (;;) {
        if (co_await send_value(node, start, kRoot) == Status::ok && start >= last)
            co_return Status::ok;
        co_await node.sleep(100 * wire::kTicksPerUnit);
    }
}

} // namespace

Process app_main(Kernel& node) {
    const unsigned last = word(node, 0, 3u);
    if (node.id() != kRoot)
        co_return co_await tell(node, last);
    std::array<unsigned, 64> heard{}; // starts, and 1
    for (unsigned ended = 1; ended < node.nodes();) {
        unsigned start = 0;
        const Received got = co_await receive_value(node, start);
        if (got.status != Status::ok)
            co_return got.status;
        unsigned& before = heard[index(got.source)];
        if (start < before)
            continue;
        print("node {} start {}\n", index(got.source), start);
        ended += before <= last && start >= last;
        before = start + 1;
    }
    co_return Status::ok;
}
