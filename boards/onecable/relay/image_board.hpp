// The board of an image for a mesh with one host cable.
#pragma once

#include "board.hpp"
#include "boards/cortex-m/resets.hpp"
#include "onecable/relay_board.hpp"

namespace mesh::board {

/// The only one of its kind in an image.
class ImageBoard : public CountedBoard<RelayBoard<Board>> {
public:
    ImageBoard();
};
static_assert(hal::Board<ImageBoard>);
static_assert(hal::HasPreemption<ImageBoard> == hal::HasPreemption<Board>);

} // namespace mesh::board
