#include "node_lacks.hpp"

#include "main_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

namespace mesh::host {

namespace {

/// A function and something that it refers to.
struct Reference {
    std::string from;
    std::string to;
};

struct Lack {
    std::string_view why;
    std::vector<std::string_view> names; // those that do not end in a letter are beginnings
};

const std::array<Lack, 6> kLacks{
    {{"a node has no heap, so no new, malloc(), std::vector or std::string: use std::array, a "
      "static array, or Kernel::make()",
      {"operator new(", "operator new[](", "malloc", "calloc", "realloc", "strdup",
       "aligned_alloc"}},
     {"a node has no streams: write with print() or printf()",
      {"std::ios_base:", "std::cout", "std::cerr", "std::locale:"}},
     {"a node has no calendar: Kernel::now() gives model time, mesh::cycles() that of the "
      "processor",
      {"time", "clock", "gettimeofday", "clock_gettime", "std::chrono:"}},
     {"a node has no threads: its processes are begun by par() or Kernel::spawn()",
      {"std::thread:", "std::this_thread:", "pthread_", "sleep", "usleep", "nanosleep"}},
     {"a node has no files: read_line() and read_input() take what --input names, write_output() "
      "fills --output",
      {"fopen", "open", "std::basic_filebuf<", "scanf", "__isoc99_scanf", "__isoc23_scanf",
       "getchar", "fgets", "gets", "getline"}},
     {"a node has no chance: mesh::Random and std::mt19937 begin with a number that you give them",
      {"std::random_device:", "getentropy", "getrandom", "arc4random"}}}};

/// Functions whose results differ in their last bits between the C libraries of boards and of this
/// machine; also with an f, for float.
constexpr std::array<std::string_view, 30> kOtherBits{
    "sin",   "cos",   "tan",   "asin",  "acos", "atan", "atan2",  "sinh",   "cosh",   "tanh",
    "exp",   "exp2",  "exp10", "expm1", "log",  "log2", "log10",  "log1p",  "pow",    "cbrt",
    "hypot", "asinh", "acosh", "atanh", "erf",  "erfc", "lgamma", "tgamma", "sincos", "j0"};

/// A symbol of C without its offset.
std::string_view c_name(std::string_view symbol) {
    return symbol.substr(0, symbol.find_first_of("+-@"));
}

/// The function of kOtherBits that a symbol of C is; "" if it is none.
std::string_view rounded_by(std::string_view symbol) {
    std::string_view name = c_name(symbol);
    const auto known = [](std::string_view function) {
        return std::ranges::find(kOtherBits, function) != kOtherBits.end();
    };
    if (known(name) || (name.ends_with('f') && known(name.substr(0, name.size() - 1))))
        return name;
    return {};
}

/// A name of C is followed by nothing but an offset. A name of C++ has its parameters, so a
/// function of the user's own that is called open() is not taken for the one of C.
bool names(std::string_view name, std::string_view symbol) {
    if (!symbol.starts_with(name))
        return false;
    const std::string_view rest = symbol.substr(name.size());
    return std::ispunct(static_cast<unsigned char>(name.back())) != 0 || rest.empty() ||
           std::string_view("+-@").find(rest[0]) != std::string_view::npos;
}

const Lack* lack_of(std::string_view symbol) {
    const auto found = std::ranges::find_if(kLacks, [symbol](const Lack& lack) {
        return std::ranges::any_of(lack.names, [symbol](auto name) { return names(name, symbol); });
    });
    return found == kLacks.end() ? nullptr : &*found;
}

/// "0000 <f(int)>:" begins a function, "3a: R_ARM_ABS32  g()" is a reference of it.
std::vector<Reference> references_in(const std::string& listing) {
    std::vector<Reference> all;
    std::string function;
    std::istringstream lines(listing);
    for (std::string line; std::getline(lines, line);) {
        const auto open = line.find(" <");
        if (line.ends_with(">:") && open != std::string::npos)
            function = line.substr(open + 2, line.size() - open - 4);
        const auto kind = line.find(": R_");
        const auto blank = kind == std::string::npos ? kind : line.find_first_of("\t ", kind + 2);
        const auto name = blank == std::string::npos ? blank : line.find_first_not_of("\t ", blank);
        if (name != std::string::npos)
            all.push_back({function, line.substr(name)});
    }
    return all;
}

bool of_the_library(std::string_view function) {
    return function.starts_with("std::") || function.find(" std::") < function.find('(');
}

/// The user's function on whose behalf a function of the C++ library refers to something.
std::string user_of(const std::vector<Reference>& all, std::string function) {
    for (std::size_t step = 0; of_the_library(function) && step < all.size(); ++step) {
        const auto caller = std::ranges::find_if(all, [&function](const Reference& reference) {
            return reference.to.starts_with(function) && reference.from != function;
        });
        if (caller == all.end())
            break;
        function = caller->from;
    }
    return function;
}

/// "in f: ", as its author wrote it; nothing if it is none of his. A coroutine has several
/// functions of its name.
std::string place_words(std::string name) {
    if (of_the_library(name))
        return {};
    constexpr std::string_view kUnnamed = "(anonymous namespace)::";
    for (auto at = name.find(kUnnamed); at != std::string::npos; at = name.find(kUnnamed))
        name.erase(at, kUnnamed.size());
    if (name.starts_with("_GLOBAL__"))
        return "before app_main begins: ";
    return fmt::format("in {}: ", name.substr(0, name.find_first_of("([<")));
}

} // namespace

std::vector<std::string> what_a_node_lacks(const std::string& source, const std::string& listing,
                                           bool has_main) {
    const std::vector<Reference> all = references_in(listing);
    std::vector<std::string> words;
    for (const Reference& reference : all)
        if (const Lack* const lack = lack_of(reference.to);
            lack != nullptr && !(has_main && main_has(c_name(reference.to))))
            words.push_back(fmt::format("{}: {}{}", source,
                                        place_words(user_of(all, reference.from)), lack->why));
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
}

std::string what_engines_round(const std::string& source, const std::string& listing) {
    const std::vector<Reference> all = references_in(listing);
    const auto found = std::ranges::find_if(
        all, [](const Reference& reference) { return !rounded_by(reference.to).empty(); });
    if (found == all.end())
        return {};
    return fmt::format("{}: {}{}() is not the same in its last bits on a board and in a "
                       "simulation: compare within a tolerance",
                       source, place_words(user_of(all, found->from)), rounded_by(found->to));
}

} // namespace mesh::host
