// The files of `mesh run --app ... --input FILE --output FILE`: any node reads any part of the one
// and writes any part of the other. They cost no model time.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstdint>
#include <span>

namespace mesh {

/// Bytes of the input; 0 without one.
inline std::uint32_t input_bytes(const Kernel& kernel) { return kernel.job().input_bytes; }

/// Fills `out` from the input at `position`. By one process of a node at a time. bad_argument: the
/// input does not reach that far.
Task<Status> read_input(Kernel& kernel, std::uint32_t position, std::span<std::byte> out);

/// Puts `data` into the output at `position`; it grows as needed, and bytes that no node writes are
/// 0. Without --output nothing happens.
void write_output(Kernel& kernel, std::uint32_t position, std::span<const std::byte> data);

} // namespace mesh
