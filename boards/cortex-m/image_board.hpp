// The board of an image whose node has a host port of its own. Images for a mesh with one host
// cable have that of boards/onecable in its place.
#pragma once

#include "board.hpp"
#include "boards/cortex-m/resets.hpp"

namespace mesh::board {

using ImageBoard = CountedBoard<Board>;

} // namespace mesh::board
