// The functions that a board gives fault.cpp, so that a node can tell its end. None of them trusts
// the rest of the firmware: interrupts are held back, and a frame may be broken off anywhere.
#pragma once

#include "hal/concepts.hpp"
#include "wire/identity.hpp"

#include <cstddef>
#include <span>

namespace mesh::board {

/// Defined once by each board: the identity as it was given, whether it is good or not.
wire::Mac given_address();

/// Defined once by each board: sends a frame by `port` and forgets all other transfers.
void send_last_frame(Port port, const hal::Head& head, std::span<const std::byte> packet);

/// Sets the sender and the port of crash records from now on. Before, the node has the given
/// address and a host port.
void send_crash_record_as(const wire::Mac& address, Port port);

} // namespace mesh::board
