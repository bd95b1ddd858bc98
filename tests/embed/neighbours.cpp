// Each node exchanges a value with its two neighbours: messages, and nothing but the kernel.
#include "job.hpp"

#include <meshputer/library/messages.hpp>

#include <array>
#include <cstdio>

bool done = false;

mesh::Process job(mesh::Kernel& node) {
    std::array<float, 2> theirs{};
    for (unsigned port = 0; port < node.ports(); ++port) {
        const float mine = volts(node);
        const mesh::NodeId other = node.neighbor(mesh::port_at(port));
        const mesh::Received got =
            co_await mesh::sendrecv_value(node, mine, other, theirs[port], other);
        if (got.status != mesh::Status::ok)
            co_return got.status;
    }
    std::printf("node %u of %u has %.3f V, its neighbours %.3f and %.3f\n",
                static_cast<unsigned>(mesh::index(node.id())), static_cast<unsigned>(node.nodes()),
                volts(node), theirs[0], theirs[1]);
    done = true;
    co_return mesh::Status::ok;
}
