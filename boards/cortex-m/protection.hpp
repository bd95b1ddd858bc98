// The memory that can be read, written and executed.
#pragma once

namespace mesh::board {

/// Code and constants can only be read, data not executed; an access outside all regions is a
/// fault. Called once, by start-up.
void protect_memory();

} // namespace mesh::board
