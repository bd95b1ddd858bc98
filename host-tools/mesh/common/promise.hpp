// Promises between parts of the tool: one part relies on another, and checks it there. Input of a
// user or a node never breaks a promise: bad input is a UsageError, or the node's end.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

namespace mesh::host {

/// A bug of mesh itself. main() says where, and ends with 1; nodes end as after any failure.
struct BrokenPromise : std::logic_error {
    using std::logic_error::logic_error;
};

/// Throws BrokenPromise with file, line and `what` unless it is kept. Costs a branch. (The place is
/// that of the call; clang 14 has no std::source_location.)
inline void promise(bool kept, const char* what, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE()) {
    if (!kept) [[unlikely]]
        throw BrokenPromise(fmt::format("{}:{}: {}", file, line, what));
}

} // namespace mesh::host
