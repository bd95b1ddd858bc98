// The type of a value that is sent, as a simulation notes it, and the types that every engine
// refuses.
#pragma once

#include "core/base/order.hpp"
#include "hal/notes.hpp"
#include "kernel/processes/arena.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <utility>

/// The compiler's text about a value with a pointer in it.
#define MESH_NO_POINTERS                                                                           \
    "a message goes as its bytes, and a pointer in them means nothing on another node: send what " \
    "it points to"

namespace mesh::detail {

/// A number of a name (FNV-1a).
constexpr std::uint32_t word_of_name(std::string_view name) {
    std::uint32_t word = 2166136261u;
    for (const char letter : name)
        word = (word ^ static_cast<unsigned char>(letter)) * 16777619u;
    return word;
}

/// "Reading", as GCC writes it.
template <class T>
consteval std::string_view name_of_type() {
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("T = ") + std::string_view("T = ").size());
    const auto others = name.rfind("; std::string_view = ");
    return name.substr(0, others != std::string_view::npos ? others : name.rfind(']'));
}

/// The type of an array's elements.
template <class T>
struct Element {
    using Type = std::remove_cv_t<T>;
};
template <class T, std::size_t N>
struct Element<T[N]> : Element<T> {};
template <class T, std::size_t N>
struct Element<std::array<T, N>> : Element<T> {};

/// TypeNote::word. Integers and enums of one size may be taken for one another, an array for what
/// it is made of, and bytes for anything.
template <class T>
consteval std::uint32_t word_of_type() {
    using One = typename Element<T>::Type;
    if constexpr (std::is_same_v<One, std::byte> || std::is_same_v<One, char> ||
                  std::is_same_v<One, unsigned char>)
        return 0;
    else if constexpr (std::is_integral_v<One> || std::is_enum_v<One>)
        return sizeof(One);
    else if constexpr (std::is_floating_point_v<One>)
        return 0x100 + sizeof(One);
    else
        return word_of_name(name_of_type<One>()) | 0x8000'0000u;
}

template <class T>
inline constexpr TypeNote kTypeNote{name_of_type<T>(), word_of_type<T>()};

#if MESH_FILLS_FRAMES
/// CHECK at `place`: a number is not made of the bytes that fill a frame.
template <class T>
void check_is_set(const T& value, const void* place) {
    if constexpr (sizeof(T) >= 4 && (std::is_arithmetic_v<T> || std::is_enum_v<T>)) {
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), &value, sizeof value);
        if (!any_of(bytes, [](std::byte byte) { return byte != kFrameFill; }))
            check_failed(Misuse::value_never_set, place);
    }
}
#else
template <class T>
constexpr void check_is_set(const T& /*value*/) {}
#endif

/// Converts to any pointer, or to any number, and to nothing else.
struct AnyPointer {
    template <class T>
    operator T*() const; // NOLINT(google-explicit-constructor)
};
template <class T>
concept Scalar = std::is_scalar_v<T>;
struct AnyScalar {
    template <Scalar T>
    operator T() const; // NOLINT(google-explicit-constructor)
};

/// The member behind as many numbers or pointers as there are places is a pointer.
template <class T, std::size_t... Places>
consteval bool has_pointer_behind(std::index_sequence<Places...>) {
    return requires { T{(static_cast<void>(Places), AnyScalar{})..., AnyPointer{}}; };
}

/// True if one of the first 16 numbers and pointers in a struct is a pointer. Not seen are those in
/// a class with constructors of its own, and whatever stands behind one.
template <class T>
consteval bool holds_pointer() {
    if constexpr (std::is_aggregate_v<T>) {
        const auto any_of = []<std::size_t... Places>(std::index_sequence<Places...>) {
            return (has_pointer_behind<T>(std::make_index_sequence<Places>{}) || ...);
        };
        return any_of(std::make_index_sequence<16>{});
    }
    return false;
}

} // namespace mesh::detail
