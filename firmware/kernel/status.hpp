// How calls into the outside world end. Bugs of our own are CHECKs instead (hal/check.hpp).
#pragma once

#include <cstdint>

namespace mesh {

enum class [[nodiscard]] Status : std::uint8_t{
    ok,
    no_memory,    // process arena or packet pool too small for what was asked
    unreachable,  // every way to the destination lies behind a dead link
    bad_argument, // node, tag, size or rule out of range
    truncated,    // the message was longer than the buffer; the rest was discarded
    failed,       // an application's own verdict
};

} // namespace mesh
