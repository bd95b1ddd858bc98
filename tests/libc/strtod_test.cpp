// strtod() and strtof() against the host's C library: forms, ends, and numbers next to and halfway
// between those that there are.
#include <gtest/gtest.h>

#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

// The names that ours have on the host (firmware/libc/names.mk).
extern "C" double mesh_app_strtod(const char* text, char** end) noexcept;
extern "C" float mesh_app_strtof(const char* text, char** end) noexcept;

namespace mesh::stdio {
namespace strtod_test {

struct Parsed {
    std::uint64_t bits; // of all NaNs the same
    std::ptrdiff_t taken;
    int error;
    bool operator==(const Parsed&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Parsed& parsed) {
    return out << std::hex << parsed.bits << ", " << parsed.taken << " taken, error "
               << parsed.error;
}

template <class Function>
Parsed parsed_by(Function function, const std::string& text) {
    char* end = nullptr;
    errno = 0;
    const double value = function(text.c_str(), &end);
    return {std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value), end - text.c_str(), errno};
}

void expect_same(const std::string& text) {
    EXPECT_EQ(parsed_by(mesh_app_strtod, text), parsed_by(strtod, text)) << text;
    EXPECT_EQ(parsed_by(mesh_app_strtof, text), parsed_by(strtof, text)) << text;
}

template <class Number>
std::string printed(const char* format, int digits, Number number) {
    std::string text(1200, '\0');
    text.resize(
        static_cast<std::size_t>(std::snprintf(text.data(), text.size(), format, digits, number)));
    return text;
}

TEST(Strtod, TakesWhatTheLibraryTakesOfEveryForm) {
    for (const char* const text : {"",
                                   "-",
                                   "+.",
                                   "1",
                                   "-0",
                                   "0.0e9",
                                   "1e",
                                   "1e+",
                                   "1e5x",
                                   ".",
                                   "..5",
                                   "5..",
                                   "5.e1",
                                   ".e1",
                                   "0x",
                                   "0x.",
                                   "0xg",
                                   "0x1p",
                                   "0x1.8p3",
                                   "-0x.4",
                                   "0x00.0001p16",
                                   "0xffffffffffffffffffff",
                                   "0x1.fffffffffffff8p0",
                                   "0x1.fffffffffffff7ffffp0",
                                   "0x1p-1074",
                                   "0x1p1024",
                                   "inf",
                                   "-Infinity",
                                   "infinit",
                                   "nan",
                                   "NaNx",
                                   "1e400",
                                   "-1e400",
                                   "1e-400",
                                   "1e-5000000000",
                                   "1e99999999999",
                                   "2.4703282292062327e-324",
                                   "2.4703282292062328e-324",
                                   "1.7976931348623158e308",
                                   "1.7976931348623159e308",
                                   "9007199254740993",
                                   "9007199254740993.00000000000000000001",
                                   "0.00000000000000000000000000000001e33",
                                   "1000000000000000000000000000000000000000e-39",
                                   " \t\n12",
                                   "x1"})
        expect_same(text);
}

TEST(Strtod, GivesTheNearestOfAllNumbers) {
    std::mt19937_64 random(1);
    const auto drawn = [&random](unsigned end) { return static_cast<int>(random() % end); };
    for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
        const auto number = std::bit_cast<double>(random());
        const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isfinite(number) || !std::isfinite(single))
            continue;
        expect_same(printed("%.*e", drawn(25), number));
        expect_same(printed("%.*g", drawn(800), number));
        expect_same(printed("%.*f", drawn(10), drawn(1 << 30) / 1000.0));
        expect_same(printed("%.*g", drawn(30), static_cast<double>(single)));
    }
}

TEST(Strtod, RoundsHalvesToAnEvenNumberAndMoreThanThatUp) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 2000 && !testing::Test::HasFailure(); ++round) {
        const std::uint64_t bits = random() >> 1;
        const auto number = std::bit_cast<double>(bits), next = std::bit_cast<double>(bits + 1);
        const auto single = std::bit_cast<float>(static_cast<std::uint32_t>(random() >> 33));
        const float beyond = std::nextafter(single, HUGE_VALF);
        if (!std::isfinite(next) || !std::isfinite(beyond))
            continue;
        for (const std::string& half :
             {printed("%.*Le", 1100, (static_cast<long double>(number) + next) / 2),
              printed("%.*e", 400, (static_cast<double>(single) + beyond) / 2)}) {
            expect_same(half);
            const std::size_t exponent = half.find('e');
            expect_same(half.substr(0, exponent) + "0001" + half.substr(exponent));
        }
    }
}

} // namespace strtod_test
} // namespace mesh::stdio
