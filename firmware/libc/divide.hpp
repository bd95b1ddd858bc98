// Division of 64 bits by 32, in 30 bytes of code where the compiler's library takes 800.
#pragma once

#include <cstdint>

namespace mesh::stdio {

/// Divides `value` and gives the remainder; `divisor` is below 2^31.
std::uint32_t divide(std::uint64_t& value, std::uint32_t divisor);

} // namespace mesh::stdio
