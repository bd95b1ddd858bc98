// The reader of numbers and text against the host's C library: every conversion with widths and
// lengths, on text that fits and text that does not, and thousands of random pairs of both.
#include "libc/scan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace mesh::stdio {
namespace scan_test {

/// What a reading left: the count, all bytes of its places, and how much of the text it took.
struct Outcome {
    static constexpr std::size_t kPlaces = 4, kBytes = 64;
    int count = 0;
    alignas(long double) std::array<std::array<char, kBytes>, kPlaces> places{};
    std::ptrdiff_t taken = 0;
    bool operator==(const Outcome&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    out << outcome.count << " stored, " << outcome.taken << " taken:";
    for (const auto& place : outcome.places) {
        out << "  ";
        for (std::size_t at = 0; at < 16; ++at)
            out << static_cast<unsigned>(static_cast<unsigned char>(place[at])) << ' ';
    }
    return out;
}

int ours(const Source& source, const char* format, ...) {
    std::va_list values;
    va_start(values, format);
    const int count = scan(source, format, values);
    va_end(values);
    return count;
}

/// A reading of a stream, whose place in the text is known afterwards.
Outcome by_us(const std::string& text, const std::string& format) {
    Outcome outcome;
    struct At {
        const std::string& text;
        std::size_t at = 0;
    } from{text};
    const Source source{[](void* context) -> int {
                            At& place = *static_cast<At*>(context);
                            return place.at == place.text.size()
                                       ? kEndOfFile
                                       : static_cast<unsigned char>(place.text[place.at++]);
                        },
                        [](void* context, int) { --static_cast<At*>(context)->at; }, &from};
    auto& to = outcome.places;
    outcome.count =
        ours(source, format.c_str(), to[0].data(), to[1].data(), to[2].data(), to[3].data());
    outcome.taken = static_cast<std::ptrdiff_t>(from.at);
    return outcome;
}

Outcome by_the_library(std::string text, const std::string& format) {
    Outcome outcome;
    auto& to = outcome.places;
    char nothing = '\0';
    FILE* const file =
        text.empty() ? fmemopen(&nothing, 1, "r") : fmemopen(text.data(), text.size(), "r");
    if (text.empty())
        std::fgetc(file);
    outcome.count =
        std::fscanf(file, format.c_str(), to[0].data(), to[1].data(), to[2].data(), to[3].data());
    outcome.taken = text.empty() ? 0 : std::ftell(file);
    std::fclose(file);
    return outcome;
}

void expect_same(const std::string& text, const std::string& format) {
    EXPECT_EQ(by_us(text, format), by_the_library(text, format))
        << "sscanf(\"" << text << "\", \"" << format << "\")";
}

TEST(Scan, EveryConversionReadsAsTheLibraryDoes) {
    const std::vector<std::string> texts{"",
                                         " ",
                                         "12",
                                         "-12 7",
                                         "+5",
                                         "0x1F",
                                         "0777",
                                         "08",
                                         "- 3",
                                         "abc",
                                         "a b c",
                                         " \t\nx",
                                         "1.5e3",
                                         "-.5",
                                         "1e",
                                         "1e+",
                                         ".",
                                         "inf",
                                         "-inf",
                                         "NaN",
                                         "INFINITY",
                                         "infin",
                                         "0x1.8p3",
                                         "1,2,3",
                                         "99999999999999999999999",
                                         "-99999999999999999999",
                                         "4294967296",
                                         "9223372036854775808",
                                         "1e400",
                                         "4.9e-324",
                                         "0000000000000000000012",
                                         "3.14159265358979323846264338327950288",
                                         "12abc34",
                                         "%5",
                                         "a-z]"};
    for (const char* const conversion :
         {"d",      "i",    "u",      "o",  "x",  "hd",  "hhd",   "ld",   "lld",  "zu",
          "jd",     "lu",   "3d",     "2x", "*d", "f",   "lf",    "g",    "le",   "4lf",
          "*f",     "c",    "3c",     "s",  "2s", "*s",  "[a-z]", "[^,]", "[]a]", "[^]]",
          "2[0-9]", "[a-]", "*[a-c]", "%",  "n",  "hhn", "p"})
        for (const std::string& text : texts)
            for (const char* const frame : {"%", " %", "x%"})
                expect_same(text, std::string(frame) + conversion);
}

TEST(Scan, DirectivesFollowOneAnother) {
    expect_same("3 4 5", "%d %d %d");
    expect_same("3,4;5", "%d,%d,%d");
    expect_same("name=value # why", "%[^=]=%s%n");
    expect_same("  7 % of 9", "%d %% of %d");
    expect_same("2026-11-29T18:13", "%d-%d-%dT%d");
    expect_same("12345", "%2d%2d%d%d");
    expect_same("12 abc", "%d%d");
    expect_same("12", "%d%d%n");
    expect_same("a1b2", "%c%1d%c%c");
}

TEST(Scan, RandomPairsReadAsTheLibraryDoes) {
    std::mt19937 random(1);
    const auto one_of = [&random](const auto& all) { return all[random() % std::size(all)]; };
    const std::array<const char*, 24> parts{"1",  "23", "-",  "+", ".", "e", "0x1", "a",
                                            "f",  " ",  "\n", ",", "0", "9", "x",   "z",
                                            "7e", "-4", "k",  "t", "%", "]", "p",   "0.5"};
    const std::array<const char*, 26> orders{
        "%d",  "%i",  "%u",  "%x",     "%o",      "%f",  "%lf", "%s",   "%c",
        "%3d", "%2s", "%4f", "%[0-9]", "%[^ ]",   "%*d", "%*s", "%lld", "%hd",
        "%n",  " ",   ",",   "%%",     "%2[a-f]", "a",   "%5c", "%1x"};
    for (int round = 0; round < 50'000; ++round) {
        std::string text, format;
        for (std::size_t left = random() % 8; left != 0; --left)
            text += one_of(parts);
        for (std::size_t left = 1 + random() % 4; left != 0; --left)
            format += one_of(orders);
        expect_same(text, format);
        if (HasFailure())
            break;
    }
}

} // namespace scan_test
} // namespace mesh::stdio
