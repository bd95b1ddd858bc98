// The kernel on this board, compiled once: node.cpp.
#pragma once

#include "kernel/node/node.hpp"

#include <image_board.hpp> // boards/cortex-m, or boards/onecable before it

extern template class mesh::Node<mesh::board::ImageBoard>;
