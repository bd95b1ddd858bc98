// The board of an image for a mesh with one host cable (relay.cpp), or for one that stands alone
// (alone.cpp): the chip's board in a RelayBoard or an AloneBoard, as MESH_ONE_CABLE says.
#pragma once

#include "board.hpp"
#include "boards/cortex-m/resets.hpp"
#include "onecable/alone_board.hpp"

namespace mesh::board {

/// "BOARD/relay KERNEL": what a host must have its program for. All images of a board say the same.
inline constexpr std::string_view kMadeFor =
#include "made_for.inc"
    ;

/// The only one of its kind in an image.
class ImageBoard : public CountedBoard<MESH_ONE_CABLE<Board>> {
public:
    ImageBoard();
};
static_assert(hal::Board<ImageBoard>);
static_assert(hal::HasPreemption<ImageBoard> == hal::HasPreemption<Board>);

} // namespace mesh::board
