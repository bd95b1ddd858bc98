// What one part of the tool takes for granted of another, checked where it is relied upon. Input of
// a user or a node never breaks a promise: that is a UsageError, or the node's end.
#pragma once

#include <fmt/format.h>

#include <source_location>
#include <stdexcept>

namespace mesh::host {

/// A bug of mesh itself. main() says where, and ends with 1; nodes end as after any failure.
struct BrokenPromise : std::logic_error {
    using std::logic_error::logic_error;
};

/// Throws BrokenPromise with file, line and `what` unless it is kept. Costs a branch.
inline void promise(bool kept, const char* what,
                    std::source_location at = std::source_location::current()) {
    if (!kept) [[unlikely]]
        throw BrokenPromise(fmt::format("{}:{}: {}", at.file_name(), at.line(), what));
}

} // namespace mesh::host
