// A board that lacks a part of the contract is refused by name of that part.
// EXPECT: HasClock
#include "boards/host/board.hpp"
#include "kernel/node/node.hpp"

#ifdef MESH_COMPILES
using TheBoard = mesh::board::HostBoard;
#else
struct TheBoard : mesh::board::HostBoard {
    void now_us() = delete;
};
#endif

template class mesh::Node<TheBoard>;
