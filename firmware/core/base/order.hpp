// The functions of `<algorithm>` that headers need. That header, `<functional>`, `<ranges>`,
// `<memory>` and `<atomic>` are 45,000 lines for each program that includes meshputer.hpp, so
// headers do without them; objects use the standard's functions.
#pragma once

namespace mesh {

/// The smaller one of two values; the first if they are equal.
template <class T>
constexpr T least(T one, T other) {
    return other < one ? other : one;
}
/// The greater one of two values; the first if they are equal.
template <class T>
constexpr T greatest(T one, T other) {
    return one < other ? other : one;
}
/// True if `test` is of one element, or more, of the row.
template <class Row, class Test>
constexpr bool any_of(const Row& row, Test test) {
    for (const auto& element : row)
        if (test(element))
            return true;
    return false;
}
/// Copies `count` elements, or letters, from `from` on to `to` on, forwards. Gives the end there.
template <class From, class To, class Count>
constexpr To copy_row(From from, Count count, To to) {
    for (Count at = 0; at < count; ++at)
        *to++ = *from++;
    return to;
}

} // namespace mesh
