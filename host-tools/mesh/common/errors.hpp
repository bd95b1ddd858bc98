// The two ways in which a command fails. main() turns them into one line and an exit code.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace mesh::host {

/// A bad argument or a machine that cannot run what was asked: exit 2. The text says what is wrong
/// and what is allowed.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The same when a compiler has explained the error already: exit 2 without a word more.
struct Explained : UsageError {
    Explained() : UsageError("") {}
};

/// Throws the UsageError with this text.
template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> text, T&&... values) {
    throw UsageError(fmt::format(text, std::forward<T>(values)...));
}

/// A run that failed: exit 1. The text names the node or link and what was seen.
struct RunError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace mesh::host
