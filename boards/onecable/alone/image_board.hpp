// The board of an image for a mesh that stands alone.
#pragma once

#include "board.hpp"
#include "boards/cortex-m/resets.hpp"
#include "onecable/alone_board.hpp"

namespace mesh::board {

/// The only one of its kind in an image.
class ImageBoard : public CountedBoard<AloneBoard<Board>> {
public:
    ImageBoard();
};
static_assert(hal::Board<ImageBoard>);
static_assert(hal::HasPreemption<ImageBoard> == hal::HasPreemption<Board>);

} // namespace mesh::board
