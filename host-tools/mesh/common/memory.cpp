#include "memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The number behind a word of a file; without a word, at its beginning.
std::uint64_t number_in(const fs::path& path, std::string_view key, std::uint64_t otherwise) {
    std::ifstream file(path);
    std::string word;
    while (!key.empty() && word != key)
        if (!(file >> word))
            return otherwise;
    std::uint64_t number = 0;
    return file >> number ? number : otherwise;
}

/// The memory that a group may still take; its cache of files counts as free.
std::uint64_t left_in(const fs::path& group) {
    const std::uint64_t limit = number_in(group / "memory.max", "", kNoLimit); // a number or max
    if (limit == kNoLimit)
        return kNoLimit;
    const std::uint64_t used = number_in(group / "memory.current", "", 0);
    const std::uint64_t files = number_in(group / "memory.stat", "inactive_file", 0);
    return limit - std::min(limit, used - std::min(used, files));
}

/// The group that this process is in, relative to the root of all.
fs::path own_group(const fs::path& processes) {
    std::ifstream file(processes / "self" / "cgroup");
    constexpr std::string_view kVersion2 = "0::/";
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(kVersion2))
            return line.substr(kVersion2.size());
    return {};
}

} // namespace

std::uint64_t available_kbyte(const fs::path& processes, const fs::path& groups) {
    std::uint64_t kbyte = number_in(processes / "meminfo", "MemAvailable:", kNoLimit);
    fs::path group = groups;
    kbyte = std::min(kbyte, left_in(group) / 1024);
    for (const fs::path& step : own_group(processes)) {
        group /= step;
        kbyte = std::min(kbyte, left_in(group) / 1024);
    }
    return kbyte;
}

} // namespace mesh::host
