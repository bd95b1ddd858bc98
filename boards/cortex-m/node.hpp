// The kernel on this board, compiled once: node.cpp.
#pragma once

#include "board.hpp"
#include "kernel/node.hpp"

extern template class mesh::Node<mesh::board::Board>;
