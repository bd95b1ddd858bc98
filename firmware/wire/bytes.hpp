// Unaligned little-endian loads and stores.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace mesh::wire {

static_assert(std::endian::native == std::endian::little, "the wire is little-endian, as we are");

/// The value at `offset`; the caller has checked that it lies inside.
template <class T>
T load(std::span<const std::byte> bytes, std::size_t offset) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

/// Puts `value` at `offset`; the caller has checked that it fits.
template <class T>
void store(std::span<std::byte> bytes, std::size_t offset, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// A trivially copyable value as bytes.
template <class T>
std::span<const std::byte> bytes_of(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return std::as_bytes(std::span<const T, 1>{&value, 1});
}

} // namespace mesh::wire
