// The two ways in which a command fails. main() turns them into one line and an exit code.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace mesh::host {

/// The kinds of refusals. A combination is of values that are right, and do not go together; a
/// product of options has some, so a matrix may allow them, and nothing else.
enum class Refusal : std::uint8_t { combination, value, file, build };

constexpr std::string_view name_of(Refusal about) {
    switch (about) {
    case Refusal::combination: return "combination";
    case Refusal::value: return "value";
    case Refusal::file: return "file";
    case Refusal::build: return "build";
    }
    return "";
}

/// A bad argument or a machine that cannot run what was asked: exit 2. The text says what is wrong
/// and what is allowed.
struct UsageError : std::runtime_error {
    explicit UsageError(const std::string& text, Refusal what = Refusal::value,
                        std::string words = {})
        : std::runtime_error(text),
          about(what),
          said(std::move(words)) {}

    Refusal about;
    std::string said; // all that a compiler had to say, to be shown in place of the text
};

/// Throws the UsageError with this text.
template <class... T>
[[noreturn]] void refuse(fmt::format_string<T...> text, T&&... values) {
    throw UsageError(fmt::format(text, std::forward<T>(values)...));
}
/// The same about something else than a value.
template <class... T>
[[noreturn]] void refuse(Refusal about, fmt::format_string<T...> text, T&&... values) {
    throw UsageError(fmt::format(text, std::forward<T>(values)...), about);
}

/// Values that are right, and do not go together.
inline constexpr Refusal kCombination = Refusal::combination;

/// A run that failed: exit 1. The text names the node or link and what was seen.
struct RunError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace mesh::host
