// echo: a token from node 0 floods the mesh, and its echo counts the nodes.
// Segall and Chang: a node that gets it first from a neighbour calls that one parent and gives it
// to all others; when all neighbours have sent theirs, the parent hears how many nodes are below.
#include "meshputer.hpp"

using namespace mesh;

constexpr Tag kToken = 1;

/// To all neighbours but one.
static Process spread(Kernel& node, Outbox& outbox, NodeId parent) {
    Status status = Status::ok;
    for (unsigned port = 0; port < node.ports() && status == Status::ok; ++port)
        if (const NodeId to = node.neighbor(port_at(port)); to != parent)
            status = co_await outbox.put(0u, to, kToken); // nobody below, as far as is known
    co_return status;
}

Process app_main(Kernel& node) {
    Outbox outbox{node, node.workspace()};
    const bool starts = index(node.id()) == 0;
    NodeId parent = node.id(); // of node 0: none
    unsigned nodes = 1;        // this one, and those below it
    Status status = Status::ok;
    if (starts)
        status = co_await spread(node, outbox, parent);
    // Each neighbour sends one token or echo: after so many of them none is on its way.
    for (unsigned heard = 0; heard < node.ports() && status == Status::ok; ++heard) {
        unsigned below = 0;
        const Received got = co_await receive_value(node, below, kAnySource, kToken);
        nodes += below;
        status = got.status;
        if (heard == 0 && !starts && status == Status::ok) {
            parent = got.source;
            status = co_await spread(node, outbox, parent);
        }
    }
    if (!starts && status == Status::ok)
        status = co_await outbox.put(nodes, parent, kToken);
    if (status == Status::ok)
        status = co_await outbox.flush();
    if (!starts)
        co_return status;
    print("the echo counts {} nodes, after {} messages\n", nodes, node.nodes() * node.ports());
    co_return nodes == node.nodes() ? status : Status::failed;
}
