// gossip: in each round everybody who knows the rumour tells it to a node chosen at random.
// Push, in rounds, until all know: about log2 N + ln N of them. Others with each --seed.
#include "meshputer.hpp"

using namespace mesh;

constexpr Tag kRumour = 1;

/// Hears for its node. Ends by a word of its own node, which comes behind all others.
static Process listen(Kernel& node, bool& knows) {
    for (bool more = true; more;) {
        const Received got = co_await receive_value(node, more, kAnySource, kRumour);
        if (got.status != Status::ok)
            co_return got.status;
        knows = true;
    }
    co_return Status::ok;
}

static Process tell(Kernel& node, bool& knows) {
    Outbox outbox{node, node.workspace()};
    Random random{node};
    unsigned rounds = 0, knowing = 1, tells = knows ? 1 : 0;
    Status status = Status::ok;
    while (knowing < node.nodes() && status == Status::ok) {
        if (tells != 0) {
            const unsigned other = 1 + random.below(node.nodes() - 1); // steps from this node
            const NodeId to = node_at((index(node.id()) + other) % node.nodes());
            status = co_await outbox.put(true, to, kRumour);
        }
        // With an empty outbox all that this node told has been heard; behind the barrier, all that
        // anybody told. Nobody begins another round before all nodes have given their part of the
        // sum.
        if (status == Status::ok)
            status = co_await outbox.flush();
        if (status == Status::ok)
            status = co_await barrier(node);
        knowing = tells = knows ? 1 : 0;
        if (status == Status::ok)
            status = co_await allreduce_value(node, knowing);
        if (++rounds && index(node.id()) == 0)
            print("round {}: {} know\n", rounds, knowing);
    }
    if (status == Status::ok)
        status = co_await send_value(node, false, node.id(), kRumour);
    co_return status;
}

Process app_main(Kernel& node) {
    bool knows = index(node.id()) == 0;
    co_return co_await par(node, listen(node, knows), tell(node, knows));
}
