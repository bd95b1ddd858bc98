// mutex: nodes enter a critical section one at a time, and nobody keeps the key.
// Ricart, Agrawala: others say yes now or, if they asked first, when they leave. Words: visits (3).
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr Tag kWord = 1, kInside = 2;
enum Kind { kWish, kGrant, kGone };

/// Beside node 0: who is inside says so twice, and nobody else does between. So many visits come.
static Process watch(Kernel& node, unsigned visits) {
    for (unsigned visit = 0; visit < visits; ++visit) {
        const NodeId enters = (co_await receive(node, {}, kAnySource, kInside)).source;
        if (enters != (co_await receive(node, {}, kAnySource, kInside)).source)
            co_return Status::failed;
    }
    print("{} visits, one at a time\n", visits);
    co_return Status::ok;
}

Process app_main(Kernel& node) {
    static std::array<bool, 1024> waits; // for this node to leave
    const unsigned me = index(node.id()), others = node.nodes() - 1;
    unsigned left = std::max(1u, word<unsigned>(node, 0, 3)), clock = 0, asked = 0; // Lamport's
    if (me == 0 && !node.spawn(watch(node, left * node.nodes())))
        co_return Status::no_memory;
    Outbox outbox{node, node.workspace()};
    Status status = Status::ok;
    const auto tell = [&](Kind kind, unsigned whom) {
        if (whom != me && status == Status::ok)
            status = outbox.try_put(std::array{unsigned{kind}, clock}, node_at(whom), kWord);
    };
    for (unsigned other = 0; other <= others; ++other)
        tell(kWish, other);
    // A node's end comes behind its last ask, and its answers before the last visit of this node.
    for (std::array<unsigned, 3> heard{}; left > 0 || heard[kGone] < others;) {
        std::array<unsigned, 2> said{}; // what, and when
        const auto [got, from, tag, bytes] = co_await receive_value(node, said, kAnySource, kWord);
        if (first_failure(status, got) != Status::ok)
            co_return first_failure(status, got);
        clock = std::max(clock, said[1]) + 1;
        ++heard[said[0]];
        if (said[0] == kWish && left > 0 && std::pair{asked, node.id()} < std::pair{said[1], from})
            waits[index(from)] = true;
        else if (said[0] == kWish)
            tell(kGrant, index(from));
        if (left == 0 || heard[kGrant] < others)
            continue;
        for (unsigned times = 0; times < 2 && status == Status::ok; ++times)
            status = co_await send(node, {}, NodeId{0}, kInside);
        heard[kGrant] = 0;
        asked = --left > 0 ? ++clock : asked;
        for (unsigned other = 0; other <= others; ++other) {
            if (std::exchange(waits[other], false))
                tell(kGrant, other);
            tell(left > 0 ? kWish : kGone, other);
        }
    }
    co_return co_await outbox.flush();
}
