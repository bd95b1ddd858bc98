// A serial line of this machine, as bytes.
#pragma once

#include "host-tools/mesh/common/child_process.hpp"

#include <string>
#include <vector>

namespace mesh::host {

/// Rates that a line can have, in bits a second.
std::vector<unsigned> baud_rates();

/// Opens a device for reading and writing without waiting: eight bits, no parity, no flow control,
/// what lies in it thrown away. RunError. `baud` is one of baud_rates() (promise).
Fd open_serial(const std::string& device, unsigned baud);

} // namespace mesh::host
