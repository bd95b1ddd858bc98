// Lab 10: who of my neighbours is dead? Given: it stays as it is.
//
// For a while each node watches its neighbours, beside whatever else it does. A neighbour that is
// killed says no good-bye.
#include "meshputer.hpp"

using namespace mesh;

constexpr Tag kBeat = 1;
constexpr unsigned kBeats = 20;
constexpr wire::ModelTime kUnit = wire::kTicksPerUnit;
/// A node shows that it lives once in so many units of model time.
constexpr wire::ModelTime kPeriod = 20 * kUnit;

/// To be called once for each neighbour that is dead.
void suspect(NodeId neighbor) { print("node {} is dead\n", neighbor); }

#include "answer.hpp"

Process app_main(Kernel& node) {
    std::array<ProcessId, 16> children{};
    bool room = node.spawn(beat(node), children[0]);
    for (unsigned port = 0; port < node.ports() && room; ++port)
        room = node.spawn(watch(node, node.neighbor(port_at(port))), children[port + 1]);
    if (!room)
        co_return Status::no_memory;
    Status status = Status::ok;
    for (unsigned child = 0; child <= node.ports(); ++child)
        status = first_failure(status, co_await node.join(children[child]));
    co_return status;
}
