// How a node of a simulation stops that cannot go on: the others live in the same process.
#pragma once

#include "wire/host_messages.hpp"

#include <cstdint>

namespace mesh::board {

/// Takes the node that runs out of the simulation; must not return. `pc` of the record is counted
/// from the start of the program in memory.
using Stop = void (*)(void* context, const wire::FaultRecord& record);

/// From now on this is done for CHECKs, halt() and programs that give up; nullptr: no node runs,
/// and the process ends.
void set_stop(Stop stop, void* context);

/// An address of this program as a record says it.
std::uint32_t code_offset(std::uintptr_t address);

} // namespace mesh::board
