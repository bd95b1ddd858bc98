#include "read_headers.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/own_folder.hpp"
#include "kept_files.hpp"
#include "tool_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <system_error>
#include <utility>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::string_view kFolders = "headers-";
constexpr std::string_view kHeader = "meshputer.hpp";
constexpr std::string_view kLock = "used"; // also says when a run has used the folder last
constexpr std::uintmax_t kRoom = std::uintmax_t{1} << 30; // bytes that are to be free
constexpr auto kMonth = std::chrono::hours(30 * 24);

/// The part of the compiler that reads headers, with the time when it was installed: another
/// compiler cannot use what this one keeps.
std::string reader_of(const std::string& compiler) {
    std::string path;
    if (!run_tool({compiler, "-print-prog-name=cc1plus"}, path))
        return {};
    path.resize(path.find_last_not_of('\n') + 1);
    std::error_code error;
    const auto written = fs::last_write_time(path, error);
    if (error)
        return {};
    return fmt::format("{} {} {}", path, fs::file_size(path, error),
                       written.time_since_epoch().count());
}

void remove_unused(const fs::path& cache) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(cache, error)) {
        if (!entry.path().filename().string().starts_with(kFolders))
            continue;
        const auto used = fs::last_write_time(entry.path() / kLock, error);
        if (!error && used + kMonth < fs::file_time_type::clock::now())
            fs::remove_all(entry.path(), error);
    }
}

/// Lets the compiler read the headers into `made`. The wrapper's own folder is not one of the
/// system's, but those of the headers that it names are: their warnings stay silent.
bool read_headers(Words words, const fs::path& made) {
    const fs::path folder = made.parent_path();
    std::error_code error;
    if (fs::space(folder, error).available < kRoom || error)
        return false;
    const std::string wrapper = (folder / kHeader).string();
    std::ofstream(wrapper) << fmt::format("#include_next <{}>\n", kHeader);
    const std::string next = made.string() + ".new";
    const std::string rule = made.string() + ".d";
    for (const std::string& word : {std::string("-MD"), std::string("-MF"), rule, std::string("-x"),
                                    std::string("c++-header"), wrapper, std::string("-o"), next})
        words.push_back(word);
    std::string said;
    if (!run_tool(words, said)) {
        fs::remove(next, error);
        return false;
    }
    fs::rename(next, made, error);
    if (error)
        return false;
    keep_list(made, files_in_rule(rule));
    return true;
}

std::string text_of(const std::string& file) {
    std::ifstream text(file);
    return {std::istreambuf_iterator<char>(text), {}};
}

/// The text of a file, with those of its own headers beside it where it includes them first.
std::string text_with_headers(const fs::path& file, std::set<fs::path>& read) {
    static const std::regex include(R"x(#[ \t]*include[ \t]*"([^"\n]+)")x");
    const std::string own = text_of(file.string());
    std::string text;
    auto rest = own.begin();
    for (auto at = std::sregex_iterator(own.begin(), own.end(), include);
         at != std::sregex_iterator(); ++at) {
        const fs::path header = (file.parent_path() / (*at)[1].str()).lexically_normal();
        std::error_code error;
        text.append(rest, (*at)[0].first);
        if (fs::is_regular_file(header, error) && read.insert(header).second)
            text += text_with_headers(header, read);
        rest = (*at)[0].second;
    }
    return text.append(rest, own.end());
}

} // namespace

bool includes_the_library(const std::string& file) {
    return text_of(file).find(kHeader) != std::string::npos;
}

Words includes_of_before(const std::string& file) {
    static const std::array<std::pair<const char*, std::regex>, 6> headers{{
        {"algorithm",
         std::regex(R"(\bstd::(ranges::)?(all_of|any_of|none_of|for_each|find\w*|count\w*|equal|)"
                    R"(mismatch|search|copy\w*|move_backward|swap_ranges|transform|replace\w*|)"
                    R"(fill\w*|generate\w*|remove\w*|unique|reverse|rotate|shuffle|partition|)"
                    R"(\w*sort\w*|nth_element|lower_bound|upper_bound|binary_search|merge|)"
                    R"(\w*_heap|min|max|minmax|min_element|max_element|minmax_element|clamp|)"
                    R"(\w*_permutation|lexicographical_compare)\s*[(<])")},
        {"atomic", std::regex(R"(\bstd::(atomic|memory_order))")},
        {"functional", std::regex(R"(\bstd::(plus|minus|multiplies|divides|modulus|negate|less\w*|)"
                                  R"(greater\w*|equal_to|not_equal_to|bit_and|bit_or|bit_xor|)"
                                  R"(logical_\w+|function|invoke|ref|cref|hash|identity)\b)")},
        {"memory", std::regex(R"(\bstd::(unique_ptr|make_unique|shared_ptr|addressof|\w+_at)\b)")},
        {"numeric", std::regex(R"(\bstd::(accumulate|iota|inner_product|reduce|gcd|lcm)\b)")},
        {"ranges", std::regex(R"(\bstd::(views|ranges)::)")},
    }};
    std::set<fs::path> read;
    const std::string text = text_with_headers(file, read);
    Words words;
    std::smatch use;
    for (const auto& [header, uses] : headers)
        if (std::regex_search(text, use, uses) && text.find(fmt::format("#include <{}>", header)) >
                                                      static_cast<std::size_t>(use.position()))
            words.insert(words.end(), {"-include", header});
    return words;
}

std::string folder_of_read_headers(const Words& words) {
    const std::string reader = reader_of(words.front());
    if (reader.empty())
        return {};
    const fs::path cache = cache_folder();
    const fs::path folder =
        cache /
        fmt::format("{}{:016x}", kFolders,
                    std::hash<std::string>{}(fmt::format("{} {}", reader, fmt::join(words, " "))));
    if (!make_own_folder(folder))
        return {};
    std::error_code error;
    const bool is_first = !fs::exists(folder / kLock, error);
    const Fd lock(open((folder / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (is_first || lock.get() < 0 || flock(lock.get(), LOCK_EX) != 0)
        return {};
    fs::last_write_time(folder / kLock, fs::file_time_type::clock::now(), error);
    const fs::path made = folder / fmt::format("{}.gch", kHeader);
    if (is_fresh(made))
        return folder.string();
    remove_unused(cache);
    return read_headers(words, made) ? folder.string() : std::string{};
}

} // namespace mesh::host
