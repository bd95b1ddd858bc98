// The note of a simulation about messages that a program gives up before they are taken. Images
// have no code for it, as for those of hal/notes.hpp.
#pragma once

#include "hal/notes.hpp"

#include <cstdint>

namespace mesh::detail {

#if MESH_NOTES
/// So many messages of this node's program went with the outbox that they lay in.
void note_given_up(std::uint32_t node, unsigned messages);
#else
constexpr void note_given_up(std::uint32_t /*node*/, unsigned /*messages*/) {}
#endif

} // namespace mesh::detail
