// A page loads no programs, so there is no memory of theirs.
#include "boards/host/program_memory.hpp"

namespace mesh::board {

void set_heap_bytes(std::size_t /*bytes*/) {}
void guard(std::span<std::byte> /*pages*/, CheckId /*beyond*/) {}

} // namespace mesh::board
