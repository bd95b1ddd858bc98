// print("node {} has {:.2f}\n", id, x): printf whose words are checked when it is compiled.
//
// {} stands for the next value. Behind a colon may stand what printf has between % and its letters:
// flags, a width, a precision; and x for an integer in hexadecimal digits, f, e or g for a float.
// A number of values that is not that of the {}, or words that do not fit a value, do not compile.
// Every value is printed by its own type, so there is no letter to get wrong: 64 bits, NodeId, bool
// and Status as well.
#pragma once

#include "core/base/order.hpp"
#include "core/base/types.hpp"
#include "kernel/api/type_notes.hpp"
#include "kernel/base/status.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <type_traits>

namespace mesh {

namespace detail {

/// The form in which a value is printed.
enum class Printed { integer, floating, text, none };

template <class T>
constexpr Printed printed_as() {
    using Value = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<Value, bool> || std::is_same_v<Value, Status> ||
                  std::is_same_v<Value, char>)
        return Printed::text;
    else if constexpr (std::integral<Value> || std::is_same_v<Value, NodeId>)
        return Printed::integer;
    else if constexpr (std::floating_point<Value>)
        return Printed::floating;
    else if constexpr (std::is_convertible_v<T, std::string_view>)
        return Printed::text;
    else
        return Printed::none;
}

// Called only where words are wrong, so that the compiler names them.
void print_has_more_values_than_braces();
void print_has_fewer_values_than_braces();
void print_has_a_brace_that_is_not_closed();
void print_cannot_print_a_value_in_this_way();

inline constexpr std::size_t kSpecMax = 12;

/// True if the words of a {} fit a value.
constexpr bool fits(std::string_view spec, Printed kind) {
    constexpr std::string_view kFlags = "0123456789-+ .#";
    const std::size_t letter = least(spec.find_first_not_of(kFlags), spec.size());
    const std::string_view letters = spec.substr(letter);
    if (spec.size() > kSpecMax || letters.size() > 1 || kind == Printed::none)
        return false;
    if (letters.empty())
        return kind == Printed::floating || spec.find('.') == std::string_view::npos;
    return kind == Printed::integer
               ? letters == "x"
               : kind == Printed::floating && letters.find_first_of("feg") == 0;
}

/// The text before the first {}, the words in it, and the text behind.
struct Part {
    std::string_view before;
    std::string_view spec;
    std::string_view rest;
    bool brace;
    bool closed;
};

constexpr Part next_part(std::string_view text) {
    const std::size_t open = least(text.find('{'), text.size());
    const std::size_t close = least(text.find('}', open), text.size());
    const bool brace = open < text.size();
    std::string_view spec = brace ? text.substr(open + 1, close - open - 1) : std::string_view{};
    if (spec.starts_with(':'))
        spec.remove_prefix(1);
    return {text.substr(0, open), spec, text.substr(least(close + 1, text.size())), brace,
            close < text.size()};
}

} // namespace detail

/// The words of print() for values of these types.
template <class... Values>
class PrintWords {
public:
    /// Checks the words when they are compiled: see the head of this file for what fits. The text
    /// must be a literal, which is not copied.
    template <std::convertible_to<std::string_view> Text>
    consteval PrintWords(const Text& text) : text_(text) { // NOLINT(google-explicit-constructor)
        std::string_view rest = text_;
        constexpr std::array<detail::Printed, sizeof...(Values) + 1> kinds{
            detail::printed_as<Values>()..., detail::Printed::none};
        for (std::size_t at = 0; at < sizeof...(Values); ++at) {
            const detail::Part part = detail::next_part(rest);
            if (!part.brace)
                detail::print_has_more_values_than_braces();
            if (!part.closed)
                detail::print_has_a_brace_that_is_not_closed();
            if (!detail::fits(part.spec, kinds[at]))
                detail::print_cannot_print_a_value_in_this_way();
            rest = part.rest;
        }
        if (detail::next_part(rest).brace)
            detail::print_has_fewer_values_than_braces();
    }
    /// The words.
    constexpr std::string_view text() const { return text_; }

private:
    std::string_view text_;
};

namespace detail {

inline void print_text(std::string_view text) {
    printf("%.*s", static_cast<int>(text.size()), text.data());
}

/// printf's words for a value: % spec letters.
inline std::array<char, kSpecMax + 6> printf_words(std::string_view spec,
                                                   std::string_view letters) {
    std::array<char, kSpecMax + 6> words{'%'};
    copy_row(letters.begin(), letters.size(),
             copy_row(spec.begin(), spec.size(), words.begin() + 1));
    return words;
}

template <class T>
void print_value(std::string_view spec, const T& value) {
    const bool letter = !spec.empty() && spec.back() >= 'a';
    const std::string_view flags = spec.substr(0, spec.size() - (letter ? 1 : 0));
    if constexpr (std::is_same_v<T, NodeId>) {
        print_value(spec, index(value));
    } else if constexpr (std::is_same_v<T, bool>) {
        print_value(spec, std::string_view(value ? "true" : "false"));
    } else if constexpr (std::is_same_v<T, Status>) {
        print_value(spec, words_of(value));
    } else if constexpr (std::is_same_v<T, char>) {
        print_value(spec, std::string_view(&value, 1));
    } else if constexpr (std::unsigned_integral<T>) {
        printf(printf_words(flags, letter ? "llx" : "llu").data(),
               static_cast<unsigned long long>(value));
    } else if constexpr (std::signed_integral<T>) {
        printf(printf_words(flags, letter ? "llx" : "lld").data(), static_cast<long long>(value));
    } else if constexpr (std::floating_point<T>) {
        printf(printf_words(flags, letter ? spec.substr(flags.size()) : "g").data(),
               static_cast<double>(value));
    } else if constexpr (std::is_pointer_v<T>) { // as printf() prints a null pointer
        print_value(spec, std::string_view(value != nullptr ? value : "(null)"));
    } else { // text: its own length is its precision
        const std::string_view text = value;
        printf(printf_words(flags, ".*s").data(), static_cast<int>(text.size()), text.data());
    }
}

/// Prints words that fit the values.
template <class... Values>
[[gnu::always_inline]] inline void print_parts(std::string_view rest, const Values&... values) {
    [[maybe_unused]] const auto print_next = [&rest](const auto& value) {
        const Part part = next_part(rest);
        print_text(part.before);
        print_value(part.spec, value);
        rest = part.rest;
    };
    (print_next(values), ...);
    print_text(rest);
}

} // namespace detail

/// Prints on the console of this node. In a simulation a number that is a variable without a value
/// is told (CHECK).
template <class... Values>
MESH_NOTED_INLINE void print(PrintWords<std::type_identity_t<Values>...> words,
                             const Values&... values) {
    (detail::check_is_set(values MESH_HERE), ...);
    detail::print_parts(words.text(), values...);
}

} // namespace mesh
