// Prints what the board of a node promises its neighbours: bytes that each may have under way.
#include "board.hpp"
#include "meshputer.hpp"

#include <cstdio>

using namespace mesh;

Process app_main(Kernel& node) {
    std::printf("window %u\n",
                static_cast<unsigned>(board::the_board().window_bytes(node.ports())));
    co_return Status::ok;
}
