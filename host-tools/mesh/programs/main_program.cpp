#include "main_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace mesh::host {

namespace {
constexpr std::array<std::string_view, 20> kRenamed{
    "main",           "exit",          "atexit",  "time",     "clock",
    "gettimeofday",   "clock_gettime", "sleep",   "usleep",   "nanosleep",
    "malloc",         "calloc",        "realloc", "free",     "aligned_alloc",
    "posix_memalign", "strdup",        "strndup", "asprintf", "vasprintf"};
constexpr std::string_view kScriptEnd = ".ld";
} // namespace

bool defines_main(std::string_view symbols) {
    // "00000000 g     F .text.startup	00000040 main"
    for (std::size_t at = 0; at < symbols.size();) {
        const std::size_t end = std::min(symbols.find('\n', at), symbols.size());
        const std::string_view line = symbols.substr(at, end - at);
        if (line.ends_with(" main") && line.find(" F ") != std::string_view::npos)
            return true;
        at = end + 1;
    }
    return false;
}

bool main_has(std::string_view function) {
    return std::ranges::find(kRenamed, function) != kRenamed.end();
}

std::vector<std::string> renaming_main(const std::string& objcopy, const std::string& object) {
    std::vector<std::string> words{objcopy};
    for (const std::string_view name : kRenamed) {
        words.emplace_back("--redefine-sym");
        words.push_back(fmt::format("{0}=mesh_{0}", name));
    }
    words.push_back(object);
    return words;
}

void link_with_main(std::vector<std::string>& words) {
    for (std::string& word : words) {
        if (!word.ends_with(kScriptEnd))
            continue;
        const std::string other =
            word.substr(0, word.size() - kScriptEnd.size()) + "-main" + std::string(kScriptEnd);
        if (std::filesystem::is_regular_file(other))
            word = other;
    }
    words.emplace_back("-Wl,-u,_Z8app_mainRN4mesh6KernelE"); // app_main(mesh::Kernel&)
}

} // namespace mesh::host
