// The one semihosting call in use: leaving the emulator.
#pragma once

#include <cstdint>

namespace mesh::board {

/// Ends QEMU (started with `-semihosting-config enable=on,target=gdb`) with exit status
/// `status`. On hardware without a debugger the processor locks up, which stops it as well.
[[noreturn]] void leave_emulator(std::uint32_t status);

} // namespace mesh::board
