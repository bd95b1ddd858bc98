// strtod() and its kin by their C names, in place of the C library's: without a heap, and always
// the nearest number, halves to an even one.
//
// A guess is right or wrong by few steps. It is tried against the numbers halfway to its
// neighbours, whose digits are exact (digits.hpp).
#include "libc/digits.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <type_traits>

namespace {

using mesh::stdio::Binary;
using mesh::stdio::Digits;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
char small(char letter) { return letter >= 'A' && letter <= 'Z' ? letter + ('a' - 'A') : letter; }
unsigned digit_of(char letter) {
    letter = small(letter);
    return is_digit(letter)                 ? static_cast<unsigned>(letter - '0')
           : letter >= 'a' && letter <= 'f' ? static_cast<unsigned>(letter - 'a' + 10)
                                            : 16u;
}

/// A number as it is written: its digits from the first that is not zero on, among which a point
/// may stand, and the power of ten of the first.
struct Decimal {
    const char* begin = nullptr;
    const char* end = nullptr;
    int first = 0;

    bool is_zero() const { return begin == end; }
};

constexpr int kPowerMax = 100'000; // more than any that matters, with room to count on

/// An exponent behind `letter`, and its end; none moves nothing.
int take_exponent(const char*& at, char letter) {
    if (small(*at) != letter)
        return 0;
    const char* next = at + 1;
    const bool negative = *next == '-';
    if (negative || *next == '+')
        ++next;
    if (!is_digit(*next))
        return 0;
    int value = 0;
    for (; is_digit(*next); ++next)
        value = value < kPowerMax ? value * 10 + (*next - '0') : value;
    at = next;
    return negative ? -value : value;
}

/// Moves behind the number; false, and does not move, if there is none.
bool take_decimal(const char*& at, Decimal& number) {
    const char* next = at;
    const char* point = nullptr;
    bool any = false;
    for (; is_digit(*next) || (*next == '.' && point == nullptr); ++next) {
        if (*next == '.') {
            point = next;
            continue;
        }
        any = true;
        if (number.begin == nullptr && *next != '0')
            number.begin = next;
    }
    if (!any)
        return false;
    number.end = next;
    if (number.begin == nullptr)
        number.begin = next;
    if (point == nullptr)
        point = next;
    const auto places = static_cast<int>(point - number.begin);
    number.first = places > 0 ? places - 1 : places;
    at = next;
    number.first += take_exponent(at, 'e');
    return true;
}

/// Less than, equal to or greater than zero, as the number is less than, equal to or greater than
/// `value`, which is not zero.
int compare(const Decimal& number, const Binary& value) {
    Digits digits(value);
    if (number.first != digits.first())
        return number.first < digits.first() ? -1 : 1;
    for (const char* at = number.begin; at != number.end; ++at) {
        if (*at == '.')
            continue;
        const int difference = (*at - '0') - static_cast<int>(digits.next());
        if (difference != 0)
            return difference;
    }
    return digits.rest_is_zero() ? 0 : -1;
}

template <class Float>
using BitsOf = std::conditional_t<sizeof(Float) == 8, std::uint64_t, std::uint32_t>;

/// The number halfway from a finite Float of these bits to the next larger one.
template <class Float>
Binary halfway(BitsOf<Float> bits) {
    constexpr int kFraction = std::numeric_limits<Float>::digits - 1;
    constexpr int kLeast = std::numeric_limits<Float>::min_exponent - 1 - kFraction;
    const std::uint64_t fraction = bits & ((BitsOf<Float>{1} << kFraction) - 1);
    const auto biased = static_cast<int>(bits >> kFraction);
    if (biased == 0)
        return {2 * fraction + 1, kLeast - 1};
    return {2 * (fraction | std::uint64_t{1} << kFraction) + 1, kLeast - 1 + biased - 1};
}

/// value * 10^power, but for some steps.
double by_power(double value, int power) {
    constexpr std::array<double, 11> kPowers{1e0, 1e1, 1e2, 1e3, 1e4, 1e5,
                                             1e6, 1e7, 1e8, 1e9, 1e10};
    const bool divides = power < 0;
    for (int left = divides ? -power : power; left > 0; left -= 10) {
        const double factor = kPowers[static_cast<std::size_t>(left < 10 ? left : 10)];
        value = divides ? value / factor : value * factor;
    }
    return value;
}

template <class Float>
Float nearest(const Decimal& number) {
    using Limits = std::numeric_limits<Float>;
    if (number.is_zero() || number.first < Limits::min_exponent10 - 2 * Limits::max_digits10)
        return 0;
    if (number.first > Limits::max_exponent10)
        return Limits::infinity();
    constexpr std::uint64_t kTen = 10;
    std::uint64_t head = 0;
    int power = number.first + 1;
    const char* at = number.begin;
    for (; at != number.end && head < UINT64_MAX / kTen / kTen; ++at)
        if (*at != '.') {
            head = head * kTen + static_cast<unsigned>(*at - '0');
            --power;
        }
    const double guess = by_power(static_cast<double>(head), power);
    constexpr auto kInfinity = std::bit_cast<BitsOf<Float>>(Limits::infinity());
    auto bits = std::bit_cast<BitsOf<Float>>(static_cast<Float>(guess));
    if (bits == kInfinity)
        --bits;
    const auto is_over = [](int difference, bool odd) {
        return difference > 0 || (difference == 0 && odd);
    };
    while (bits != kInfinity && is_over(compare(number, halfway<Float>(bits)), (bits & 1u) != 0))
        ++bits;
    while (bits != 0 && !is_over(compare(number, halfway<Float>(bits - 1)), (bits & 1u) == 0))
        --bits;
    return std::bit_cast<Float>(bits);
}

/// Digits of base 16 behind 0x; false, and does not move, if there are none.
template <class Float>
bool take_hexadecimal(const char*& at, Float& value) {
    const char* next = at + 2;
    const char* point = nullptr;
    std::uint64_t bits = 0;
    int power = 0;
    bool any = false;
    for (; digit_of(*next) < 16 || (*next == '.' && point == nullptr); ++next) {
        if (*next == '.') {
            point = next;
            continue;
        }
        any = true;
        if (bits >> 60 == 0)
            bits = bits << 4 | digit_of(*next);
        else { // the lowest bit says whether anything is behind
            bits |= digit_of(*next) != 0 ? 1u : 0u;
            power += 4;
        }
        power -= point != nullptr ? 4 : 0;
    }
    if (!any)
        return false;
    at = next;
    value = std::ldexp(static_cast<Float>(bits), power + take_exponent(at, 'p'));
    return true;
}

/// True if this word stands there, in letters of any size; moves behind it.
bool take_word(const char*& at, std::string_view word) {
    const char* next = at;
    for (const char letter : word)
        if (small(*next++) != letter)
            return false;
    at = next;
    return true;
}

/// Moves behind the number; false, and does not move, if there is none.
template <class Float>
bool take_magnitude(const char*& at, Float& value) {
    using Limits = std::numeric_limits<Float>;
    if (*at == '0' && small(at[1]) == 'x' && take_hexadecimal(at, value))
        return true;
    Decimal number;
    if (take_decimal(at, number)) {
        value = nearest<Float>(number);
        if (!number.is_zero() && (value < Limits::min() || value > Limits::max()))
            errno = ERANGE;
        return true;
    }
    const bool nan = take_word(at, "nan");
    value = nan ? Limits::quiet_NaN() : Limits::infinity();
    return nan || take_word(at, "infinity") || take_word(at, "inf");
}

template <class Float>
Float parse(const char* text, char** end) {
    const char* at = text;
    while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
        ++at;
    const bool negative = *at == '-';
    if (negative || *at == '+')
        ++at;
    Float value = 0;
    const bool any = take_magnitude(at, value);
    if (end != nullptr)
        *end = const_cast<char*>(any ? at : text);
    if (!any)
        return 0;
    return negative ? -value : value;
}

} // namespace

// Headers of a C library may have a body of atof().
double atof_of_node(const char* text) noexcept asm("atof");
double atof_of_node(const char* text) noexcept { return parse<double>(text, nullptr); }

extern "C" {
double strtod(const char* text, char** end) noexcept { return parse<double>(text, end); }
float strtof(const char* text, char** end) noexcept { return parse<float>(text, end); }
}
