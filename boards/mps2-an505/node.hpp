// The kernel on this board, compiled once: node.cpp.
#pragma once

#include "boards/mps2-an505/board.hpp"
#include "kernel/node.hpp"

extern template class mesh::Node<mesh::board::Board>;
