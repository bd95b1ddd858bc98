// The built-in operators of reductions.
#include "collectives/reduction.hpp"
#include "wire/bytes.hpp"

#include <array>

namespace mesh {

namespace {

using Combine = decltype(Combiner::combine);

template <class T, T (*op)(T, T)>
void combine_each(const void*, std::span<const std::byte> left, std::span<const std::byte> right,
                  std::span<std::byte> result) {
    for (std::size_t at = 0; at + sizeof(T) <= result.size(); at += sizeof(T))
        wire::store(result, at, op(wire::load<T>(left, at), wire::load<T>(right, at)));
}

template <class T>
constexpr T sum_of(T left, T right) {
    return left + right;
}
template <class T>
constexpr T min_of(T left, T right) {
    return left < right ? left : right;
}
template <class T>
constexpr T max_of(T left, T right) {
    return left > right ? left : right;
}

using Word = std::uint32_t;
using Signed = std::int32_t;
/// Orders the bits of floats as IEEE 754 orders all its values.
constexpr Signed rank(Word bits) {
    return static_cast<Signed>((bits >> 31) != 0 ? bits ^ 0x7FFF'FFFFu : bits);
}
constexpr Word lower_float(Word left, Word right) {
    return rank(left) < rank(right) ? left : right;
}
constexpr Word upper_float(Word left, Word right) {
    return rank(left) > rank(right) ? left : right;
}
constexpr Word and_of(Word left, Word right) { return left & right; }
constexpr Word or_of(Word left, Word right) { return left | right; }
constexpr Word xor_of(Word left, Word right) { return left ^ right; }

// Rows as in Operator, columns as in ElementType.
constexpr unsigned kTypes = 3;
constexpr std::array<std::array<Combine, kTypes>, 6> kCombiners{{
    {combine_each<Word, sum_of>, combine_each<Word, sum_of>, combine_each<float, sum_of>},
    {combine_each<Signed, min_of>, combine_each<Word, min_of>, combine_each<Word, lower_float>},
    {combine_each<Signed, max_of>, combine_each<Word, max_of>, combine_each<Word, upper_float>},
    {combine_each<Word, and_of>, combine_each<Word, and_of>, nullptr},
    {combine_each<Word, or_of>, combine_each<Word, or_of>, nullptr},
    {combine_each<Word, xor_of>, combine_each<Word, xor_of>, nullptr},
}};

} // namespace

std::optional<Combiner> combiner(Operator op, ElementType type) {
    const auto row = static_cast<std::size_t>(op);
    const auto column = static_cast<std::size_t>(type);
    if (row >= kCombiners.size() || column >= kTypes || kCombiners[row][column] == nullptr)
        return std::nullopt;
    return Combiner{kCombiners[row][column], sizeof(Word)};
}

} // namespace mesh
