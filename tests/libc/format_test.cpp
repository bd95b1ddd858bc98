// The formatter against the host's C library: every conversion with every flag, and thousands of
// random values.
#include "libc/format.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace mesh::stdio {
namespace format_test {

struct Printed {
    std::string text;
    int count;
    bool operator==(const Printed&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Printed& printed) {
    return out << printed.count << " characters: " << printed.text;
}

Printed ours(const char* text, ...) {
    Printed printed;
    std::va_list values;
    va_start(values, text);
    printed.count = format({[](void* to, std::span<const char> part) {
                                static_cast<std::string*>(to)->append(part.data(), part.size());
                            },
                            &printed.text},
                           text, values);
    va_end(values);
    return printed;
}

Printed the_librarys(const char* text, ...) {
    std::va_list values;
    va_start(values, text);
    std::va_list again;
    va_copy(again, values);
    const int count = std::vsnprintf(nullptr, 0, text, values);
    std::string room(static_cast<std::size_t>(count) + 1, '\0');
    std::vsnprintf(room.data(), room.size(), text, again);
    va_end(again);
    va_end(values);
    room.pop_back();
    return {room, count};
}

template <class... Values>
void expect_same(const std::string& text, Values... values) {
    EXPECT_EQ(ours(text.c_str(), values...), the_librarys(text.c_str(), values...)) << text;
}

/// All sets of the flags -, +, blank, #, 0, with each of these widths and precisions.
template <class Use>
void for_each_spec(const std::vector<std::string>& widths,
                   const std::vector<std::string>& precisions, Use&& use) {
    for (unsigned set = 0; set < 32; ++set) {
        std::string flags = "%";
        for (unsigned flag = 0; flag < 5; ++flag)
            if ((set >> flag & 1u) != 0)
                flags += "-+ #0"[flag];
        for (const std::string& width : widths)
            for (const std::string& precision : precisions)
                use(flags + width + precision);
    }
}

const std::vector<std::string> kWidths{"", "1", "12"};

template <class T>
std::vector<T> edges() {
    using Limits = std::numeric_limits<T>;
    return {T{0}, T{1}, static_cast<T>(-1), T{9}, T{10}, T{42}, Limits::min(), Limits::max()};
}

template <class Signed, class Unsigned>
void expect_integers(const std::string& length) {
    for_each_spec(kWidths, {"", ".", ".0", ".1", ".12"}, [&](const std::string& spec) {
        for (const Signed value : edges<Signed>())
            for (const char* conversion : {"d", "i"})
                expect_same(spec + length + conversion, value);
        for (const Unsigned value : edges<Unsigned>())
            for (const char* conversion : {"u", "o", "x", "X"})
                expect_same(spec + length + conversion, value);
    });
}

TEST(Format, IntegersOfEveryLengthAreAsCSays) {
    expect_integers<int, unsigned>("");
    expect_integers<signed char, unsigned char>("hh");
    expect_integers<short, unsigned short>("h");
    expect_integers<long, unsigned long>("l");
    expect_integers<long long, unsigned long long>("ll");
    expect_integers<std::intmax_t, std::uintmax_t>("j");
    expect_integers<ssize_t, std::size_t>("z");
    expect_integers<std::ptrdiff_t, std::size_t>("t");
    expect_same("%hhd %hd %hhu %hu", 300, 70000, 300, 70000);
}

TEST(Format, TextIsCutAndFilledAsCSays) {
    for_each_spec(kWidths, {"", ".", ".0", ".3", ".30"}, [](const std::string& spec) {
        if (spec.find('0') == std::string::npos || spec.find(".0") != std::string::npos) {
            expect_same(spec + "s", "words");
            expect_same(spec + "s", "");
        }
    });
    for (const char* spec : {"%c", "%-5c|", "%5c"})
        expect_same(spec, 'x');
    const std::array<char, 3> no_end{'a', 'b', 'c'};
    expect_same("%.3s", no_end.data());
    expect_same("%s", static_cast<const char*>(nullptr));
}

TEST(Format, WidthAndPrecisionMayBeValues) {
    for (const int width : {-12, -1, 0, 1, 12})
        for (const int precision : {-3, -1, 0, 1, 5}) {
            expect_same("%*d|%.*d|%*.*d", width, 42, precision, 42, width, precision, 42);
            expect_same("%*.*f|%*s", width, precision, 2.5, width, "text");
        }
}

TEST(Format, PointersPercentSignsAndTextBetween) {
    const int value = 0;
    expect_same("%p|%20p|%-20p|", static_cast<const void*>(&value), &value, &value);
    EXPECT_EQ(ours("%p", nullptr).text, "0x0");
    expect_same("100 %% of %d, %s", 7, "all");
    expect_same("");
    expect_same("no conversion at all, and longer than what the writer keeps at a time: %s", "yes");
}

TEST(Format, WhatItDoesNotKnowComesOutAsItStands) {
    EXPECT_EQ(ours("%d %ls %d", 1, L"wide", 2).text, "1 %ls %d");
    EXPECT_EQ(ours("%d %n", 1, nullptr).text, "1 %n");
    EXPECT_EQ(ours("%d %a", 1, 2.5).text, "1 %a");
    EXPECT_EQ(ours("%d %", 1).text, "1 %");
}

void expect_double(const std::string& spec, double value) {
    for (const char* conversion : {"f", "F", "e", "E", "g", "G"}) {
        const std::string text = spec + conversion;
        if (std::isnan(value)) // without a sign, which 0/0 has on some processors only
            EXPECT_EQ(ours(text.c_str(), value), the_librarys(text.c_str(), std::fabs(value)));
        else
            expect_same(text, value);
    }
}

TEST(Format, FloatingPointAtItsEdgesIsAsCSays) {
    const std::vector<double> values{0.0,     1.0,     0.5,          1.5,         2.5,
                                     9.5,     0.05,    0.25,         99.95,       999998.5,
                                     1e-5,    1e-4,    123456789.0,  1e15,        9.999999e22,
                                     DBL_MAX, DBL_MIN, DBL_TRUE_MIN, DBL_EPSILON, 0x1p64,
                                     0x1p-64, 0x1p-65, 0x1.8p63,     INFINITY,    NAN};
    for_each_spec(kWidths, {"", ".", ".0", ".1", ".3", ".17", ".40"}, [&](const std::string& spec) {
        for (const double value : values)
            for (const double sign : {1.0, -1.0})
                expect_double(spec, std::copysign(value, sign));
    });
}

// glibc 2.36 drops the zeros that '#' asks for when rounding brings a digit more.
TEST(Format, ADigitMoreByRoundingTakesNoZerosAway) {
    const double value = 999999.5;
    EXPECT_EQ(ours("%#g", value).text, "1.00000e+06");
    expect_same("%g %f %.0f %e", value, value, value, value);
}

TEST(Format, AllDigitsOfADoubleAreExact) {
    for (const double value : {DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 1.0 / 3, 0x1.FFFFFFFFFFFFFp-1})
        for (const char* precision : {"%.1100", "%.766", "%.767", "%.800", "%.801"})
            expect_double(precision, value);
}

TEST(Format, RandomDoublesAreRoundedAsTheLibraryDoes) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 5'000; ++round) {
        const auto any = std::bit_cast<double>(random());
        const double decimal = static_cast<double>(random() % 100'000) / 1000; // near halves
        const std::string precision = "%." + std::to_string(random() % 25);
        expect_double(precision, any);
        expect_double(precision, decimal);
        expect_double(precision, static_cast<double>(random()));
    }
}

TEST(Format, RandomIntegersAreAsTheLibrarysAre) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 20'000; ++round) {
        const auto value = static_cast<long long>(random() >> random() % 64);
        expect_same("%lld %llu %llx %llo %d", value, value, value, value, static_cast<int>(value));
    }
}

} // namespace format_test
} // namespace mesh::stdio
