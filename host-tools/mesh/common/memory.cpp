#include "memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <system_error>
#include <unistd.h>
#include <vector>

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

/// The groups that this process is in, the root of all first.
std::vector<fs::path> own_groups(const fs::path& processes, const fs::path& root) {
    std::vector<fs::path> groups{root};
    std::ifstream file(processes / "self" / "cgroup");
    constexpr std::string_view kVersion2 = "0::/";
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(kVersion2))
            for (const fs::path& step : fs::path(line.substr(kVersion2.size())))
                groups.push_back(groups.back() / step);
    return groups;
}

/// All threads of a user's processes.
std::uint64_t threads_of(unsigned user, const fs::path& processes) {
    std::uint64_t count = 0;
    std::error_code gone; // processes come and go meanwhile
    for (const auto& entry : fs::directory_iterator(processes, gone)) {
        const fs::path status = entry.path() / "status";
        if (number_in(status, "Uid:", kNoLimit) == user)
            count += number_in(status, "Threads:", 0);
    }
    return count;
}

} // namespace

std::uint64_t available_kbyte(const fs::path& processes, const fs::path& groups) {
    std::uint64_t kbyte = number_in(processes / "meminfo", "MemAvailable:", kNoLimit);
    for (const fs::path& group : own_groups(processes, groups))
        kbyte = std::min(kbyte, left_in(group) / 1024);
    return kbyte;
}

UserLimit UserLimit::own() {
    rlimit limit{};
    getrlimit(RLIMIT_NPROC, &limit);
    const bool any = getuid() == 0 || limit.rlim_cur == RLIM_INFINITY;
    return {getuid(), any ? kNoLimit : std::uint64_t{limit.rlim_cur}};
}

std::uint64_t available_threads(const UserLimit& limit, const fs::path& processes,
                                const fs::path& groups) {
    std::uint64_t left = limit.threads;
    if (limit.threads != kNoLimit)
        left -= std::min(left, threads_of(limit.user, processes));
    for (const fs::path& group : own_groups(processes, groups)) {
        const std::uint64_t most = number_in(group / "pids.max", "", kNoLimit); // a number or max
        if (most != kNoLimit)
            left = std::min(left, most - std::min(most, number_in(group / "pids.current", "", 0)));
    }
    return left;
}

} // namespace mesh::host
