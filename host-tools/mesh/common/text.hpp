// Bytes of files and nodes, read as text.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace mesh::host {

/// The bytes as characters, for as long as they live.
inline std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

} // namespace mesh::host
