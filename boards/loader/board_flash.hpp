// The flash in which a loader keeps images: that of the board's own flash.hpp, class Flash, if the
// board has one.
#pragma once

#include "hal/flash.hpp"

#if __has_include(<flash.hpp>)
#include <flash.hpp>
#else
namespace mesh::board {
using Flash = hal::NullFlash;
}
#endif

namespace mesh::board {

static_assert(hal::HasFlash<Flash>);

} // namespace mesh::board
