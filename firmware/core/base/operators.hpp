// The element types and operators of reductions: the names that nodes and host share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mesh {

/// 4 bytes each, little-endian, at any address.
enum class ElementType : std::uint8_t { i32, u32, f32 };

/// Integer sums wrap around. min and max of f32 order all values as IEEE 754's totalOrder does, so
/// that the order of combining does not matter: -NaN, -infinity .. -0, +0 .. infinity, NaN.
enum class Operator : std::uint8_t { sum, min, max, band, bor, bxor };

inline constexpr std::array<std::string_view, 3> kElementNames{"i32", "u32", "f32"};
inline constexpr std::array<std::string_view, 6> kOperatorNames{"sum",  "min", "max",
                                                                "band", "bor", "bxor"};

} // namespace mesh
