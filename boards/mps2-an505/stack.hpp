// How much of the stack was ever used.
#pragma once

#include <cstddef>

namespace mesh::board {

/// High-water mark of the main stack since reset, in bytes (start-up painted it). Walks the unused
/// part: not for the hot path.
std::size_t stack_bytes_used();

} // namespace mesh::board
