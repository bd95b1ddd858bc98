// Every limit of the kernel, with how it is derived. Change it here and nowhere else.
#pragma once

#include "wire/frame.hpp"

#include <cstddef>
#include <cstdint>

namespace mesh::limits {

/// Frames in flight on one link: fits the 32-bit `refused` mask of an acknowledgement twice over.
inline constexpr unsigned kWindowFrames = 16;

} // namespace mesh::limits
