// Bytes of files and nodes, read as text; text, read as numbers.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

namespace mesh::host {

/// The bytes as characters, for as long as they live.
inline std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The number that the whole text is, as std::from_chars reads a T; nothing if it is none.
template <class T>
std::optional<T> number_in(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

} // namespace mesh::host
