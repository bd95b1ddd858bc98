// The decimal digits of a double, exactly, one after the other, in memory of fixed size.
//
// The part before the point is a number of groups of nine digits; the part behind it stays binary,
// and is multiplied by 10^9 for the next nine. Of a double at most one of the two is long.
#pragma once

#include <array>
#include <cstdint>

namespace mesh::stdio {

/// A finite double that is not negative: mantissa * 2^exponent.
struct Binary {
    std::uint64_t mantissa;
    int exponent;
};

class Digits {
public:
    explicit Digits(const Binary& value);

    /// The power of ten of the first digit, which is not zero unless all of them are; 0 then.
    int first() const { return first_; }
    /// The next digit, 0 to 9; at the end zeros for ever.
    unsigned next();
    /// True if all digits that are to come are zeros.
    bool rest_is_zero() const;

private:
    static constexpr std::uint32_t kGroup = 1'000'000'000;

    void set_whole(std::uint64_t value, int doublings);
    void set_part(std::uint64_t bits, int places);
    void drop_zeros();
    void next_group();

    std::array<std::uint32_t, 36> whole_; // 10^9 each, the least first; 2^1024 has 309 digits
    std::array<std::uint32_t, 34> part_;  // 2^-32 each, the largest first; down to 2^-1074
    unsigned groups_ = 0;                 // of whole_ that are to come
    unsigned words_ = 0;                  // of part_ behind which all is zero
    std::uint32_t group_ = 0;             // what is left of the nine digits at hand
    std::uint32_t unit_ = 0;              // of the next one of them
    int first_ = 0;
};

/// How many digits of a value are printed, and what rounding does to them.
struct Rounding {
    int first;       // power of ten of the first digit
    int kept;        // digits from there on; all others are zeros
    int raised;      // number of the digit that is one more, with zeros behind it; `kept`: none is
    bool carried;    // every digit was a nine, or there was none: a one takes the first place
    int significant; // digits up to the last that is not zero
};

/// Rounds to so many digits, or, if `fixed`, to so many behind the point: to the nearest, halves to
/// an even digit.
Rounding rounded(const Binary& value, int digits, bool fixed);

/// The digits of a value as rounding left them.
class RoundedDigits {
public:
    RoundedDigits(const Binary& value, const Rounding& rounding)
        : digits_(value),
          rounding_(rounding) {}
    /// The next digit as a character.
    char next();

private:
    Digits digits_;
    Rounding rounding_;
    int at_ = 0;
};

} // namespace mesh::stdio
