#include "libc/digits.hpp"

#include "libc/divide.hpp"

#include <algorithm>

namespace mesh::stdio {

std::uint32_t divide(std::uint64_t& value, std::uint32_t divisor) {
    std::uint32_t rest = 0;
    for (unsigned bit = 0; bit < 64; ++bit) {
        rest = (rest << 1) | static_cast<std::uint32_t>(value >> 63);
        value <<= 1;
        if (rest >= divisor) {
            rest -= divisor;
            value |= 1;
        }
    }
    return rest;
}

Digits::Digits(const Binary& value) {
    const auto [mantissa, exponent] = value;
    if (exponent >= 0) {
        set_whole(mantissa, exponent);
    } else {
        const bool has_whole = exponent > -64;
        const std::uint64_t whole = has_whole ? mantissa >> -exponent : 0;
        set_whole(whole, 0);
        set_part(has_whole ? mantissa - (whole << -exponent) : mantissa, -exponent);
    }
    if (mantissa == 0)
        return;
    first_ = static_cast<int>(9 * groups_);
    do {
        next_group();
        first_ -= 9;
    } while (group_ == 0);
    first_ += 8;
    for (; group_ < unit_; --first_)
        unit_ /= 10;
}

void Digits::set_whole(std::uint64_t value, int doublings) {
    while (value != 0)
        whole_[groups_++] = divide(value, kGroup);
    constexpr int kStep = 29; // group << 29 and a carry fit 64 bits, and the carry a group
    for (; doublings > 0; doublings -= kStep) {
        std::uint64_t carry = 0;
        for (unsigned at = 0; at < groups_; ++at) {
            carry += std::uint64_t{whole_[at]} << std::min(doublings, kStep);
            whole_[at] = divide(carry, kGroup);
        }
        if (carry != 0)
            whole_[groups_++] = static_cast<std::uint32_t>(carry);
    }
}

/// bits * 2^-places, less than 1.
void Digits::set_part(std::uint64_t bits, int places) {
    words_ = static_cast<unsigned>(places + 31) / 32;
    part_.fill(0);
    const unsigned up = 32 * words_ - static_cast<unsigned>(places);
    const std::uint64_t low = bits << up;
    part_[words_ - 1] = static_cast<std::uint32_t>(low);
    if (words_ > 1)
        part_[words_ - 2] = static_cast<std::uint32_t>(low >> 32);
    if (words_ > 2 && up != 0)
        part_[words_ - 3] = static_cast<std::uint32_t>(bits >> (64 - up));
    drop_zeros();
}

void Digits::drop_zeros() {
    while (words_ != 0 && part_[words_ - 1] == 0)
        --words_;
}

void Digits::next_group() {
    unit_ = kGroup / 10;
    if (groups_ != 0) {
        group_ = whole_[--groups_];
        return;
    }
    std::uint64_t carry = 0;
    for (unsigned at = words_; at-- != 0;) {
        carry += std::uint64_t{part_[at]} * kGroup;
        part_[at] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    group_ = static_cast<std::uint32_t>(carry);
    drop_zeros();
}

unsigned Digits::next() {
    if (unit_ == 0)
        next_group();
    const unsigned digit = group_ / unit_;
    group_ %= unit_;
    unit_ /= 10;
    return digit;
}

bool Digits::rest_is_zero() const {
    return group_ == 0 && words_ == 0 &&
           std::all_of(whole_.begin(), whole_.begin() + groups_,
                       [](std::uint32_t group) { return group == 0; });
}

Rounding rounded(const Binary& value, int count, bool fixed) {
    constexpr int kDigitsMax = 800; // of a double at most 767 are not zeros
    Digits digits(value);
    const int kept = fixed ? digits.first() + 1 + count : count;
    Rounding result{digits.first(), std::max(kept, 0), std::max(kept, 0), false, 0};
    if (kept < 0)
        return result;
    unsigned last = 0;
    int not_nine = -1;
    for (int at = 0; at < std::min(kept, kDigitsMax); ++at) {
        last = digits.next();
        if (last != 9)
            not_nine = at;
        if (last != 0)
            result.significant = at + 1;
    }
    const unsigned beyond = kept > kDigitsMax ? 0 : digits.next();
    const bool half = beyond == 5 && digits.rest_is_zero();
    if (beyond < 5 || (half && (last & 1u) == 0))
        return result;
    result.carried = not_nine < 0;
    result.raised = std::max(not_nine, 0);
    result.significant = result.raised + 1;
    if (result.carried) {
        ++result.first;
        result.kept += fixed ? 1 : 0;
    }
    return result;
}

char RoundedDigits::next() {
    const int at = at_++;
    if (at >= rounding_.kept || at > rounding_.raised)
        return '0';
    if (at == rounding_.raised && rounding_.carried)
        return '1';
    return static_cast<char>('0' + digits_.next() + (at == rounding_.raised ? 1u : 0u));
}

} // namespace mesh::stdio
