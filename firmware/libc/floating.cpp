// Floating-point conversions. Rounding comes first, so the length is known and the digits need no
// memory.
#include "libc/digits.hpp"
#include "libc/writer.hpp"

#include <algorithm>
#include <bit>

namespace mesh::stdio {

namespace {

constexpr int kFractionBits = 52;
constexpr std::uint64_t kFraction = (std::uint64_t{1} << kFractionBits) - 1;
constexpr int kExponentMask = 0x7FF;
constexpr int kExponentLeast = -1074; // of the last bit of the smallest doubles

Binary binary_of(std::uint64_t bits) {
    const int biased = static_cast<int>(bits >> kFractionBits) & kExponentMask;
    const std::uint64_t fraction = bits & kFraction;
    if (biased == 0)
        return {fraction, kExponentLeast};
    return {fraction | (kFraction + 1), biased + kExponentLeast - 1};
}

bool is_upper(char conversion) { return conversion < 'a'; }

void write_fixed(Writer& out, const Spec& spec, std::string_view sign, const Binary& value,
                 const Rounding& rounding) {
    RoundedDigits digits(value, rounding);
    const int first = rounding.first;
    const int whole = std::max(first, 0) + 1;
    const bool point = spec.precision != 0 || spec.alternate;
    out.begin_field(spec, sign, whole + (point ? 1 : 0) + spec.precision);
    for (int place = whole - 1; place >= -spec.precision; --place) {
        out.put(place > first ? '0' : digits.next());
        if (place == 0 && point)
            out.put('.');
    }
    out.end_field();
}

void write_scientific(Writer& out, const Spec& spec, std::string_view sign, const Binary& value,
                      const Rounding& rounding) {
    RoundedDigits digits(value, rounding);
    const int first = rounding.first;
    const auto power = static_cast<unsigned>(first < 0 ? -first : first); // at most 324
    const bool point = spec.precision != 0 || spec.alternate;
    out.begin_field(spec, sign, 5 + (point ? 1 : 0) + spec.precision + (power > 99 ? 1 : 0));
    out.put(digits.next());
    if (point)
        out.put('.');
    for (int left = spec.precision; left > 0; --left)
        out.put(digits.next());
    out.put(is_upper(spec.conversion) ? 'E' : 'e');
    out.put(first < 0 ? '-' : '+');
    if (power > 99)
        out.put(static_cast<char>('0' + power / 100));
    out.put(static_cast<char>('0' + power / 10 % 10));
    out.put(static_cast<char>('0' + power % 10));
    out.end_field();
}

/// %g: the shorter of the two, with `precision` digits in all, and no zeros at the end.
void write_general(Writer& out, Spec spec, std::string_view sign, const Binary& value) {
    const int wanted = std::max(spec.precision, 1);
    const Rounding rounding = rounded(value, wanted, false);
    const int shown = spec.alternate ? wanted : std::max(rounding.significant, 1);
    const bool fixed = rounding.first >= -4 && rounding.first < wanted;
    spec.precision = std::max(shown - 1 - (fixed ? rounding.first : 0), 0);
    (fixed ? write_fixed : write_scientific)(out, spec, sign, value, rounding);
}

} // namespace

void write_floating(Writer& out, Spec spec, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = (bits >> 63) != 0;
    const std::string_view sign = sign_of(spec, negative);
    if ((static_cast<int>(bits >> kFractionBits) & kExponentMask) == kExponentMask) {
        spec.zeros = false;
        const bool upper = is_upper(spec.conversion);
        const bool nan = (bits & kFraction) != 0;
        const std::string_view text = nan ? upper ? "NAN" : "nan" : upper ? "INF" : "inf";
        // The sign of a NaN says nothing: 0/0 gives another one on each kind of processor.
        out.begin_field(spec, nan ? sign_of(spec, false) : sign, static_cast<int>(text.size()));
        out.put(text);
        out.end_field();
        return;
    }
    if (spec.precision < 0)
        spec.precision = 6;
    const Binary number = binary_of(bits);
    const char kind = static_cast<char>(spec.conversion | 0x20);
    if (kind == 'g') {
        write_general(out, spec, sign, number);
        return;
    }
    const bool fixed = kind == 'f';
    const Rounding rounding = rounded(number, spec.precision + (fixed ? 0 : 1), fixed);
    (fixed ? write_fixed : write_scientific)(out, spec, sign, number, rounding);
}

} // namespace mesh::stdio
