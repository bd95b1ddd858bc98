// A device of the chip that neither board nor kernel uses: for programs (hal/interrupts.hpp).
#pragma once

#include <cstdint>

namespace mesh::board {

struct FreeDevice {
    std::uintptr_t address;
    unsigned interrupt;
};

} // namespace mesh::board
