// hello: each node says who it is and names its neighbours.
#include "meshputer.hpp"

#include <cstdio>

mesh::Process app_main(mesh::Kernel& node) {
    char line[160];
    int length = std::snprintf(line, sizeof line, "hello, neighbours are");
    for (unsigned port = 0; port < node.ports(); ++port) {
        const mesh::NodeId peer = node.neighbor(mesh::port_at(port));
        length += std::snprintf(line + length, sizeof line - static_cast<std::size_t>(length),
                                " %u", static_cast<unsigned>(mesh::index(peer)));
    }
    printf("%s\n", line);
    co_return mesh::Status::ok;
}
