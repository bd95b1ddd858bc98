// The check of the fuzzers: libFuzzer keeps the input that ends the process.
#pragma once

#include <cstdlib>

namespace mesh {

inline void require(bool condition) {
    if (!condition)
        std::abort();
}

} // namespace mesh
