#include "kept_files.hpp"

#include "host-tools/mesh/common/own_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

/// The words of a rule of make, as compilers write it: a backslash is before a blank of a name, a
/// hash or the end of a line, a dollar is twice there.
std::vector<std::string> words_of_rule(std::string_view rule) {
    std::vector<std::string> words(1);
    for (std::size_t at = 0; at < rule.size(); ++at) {
        const char next = at + 1 < rule.size() ? rule[at + 1] : '\n';
        const bool escaped =
            (rule[at] == '\\' && (next == ' ' || next == '#')) || (rule[at] == '$' && next == '$');
        if (escaped)
            words.back() += rule[++at];
        else if (rule[at] == ' ' || rule[at] == '\n' || (rule[at] == '\\' && next == '\n'))
            words.emplace_back();
        else
            words.back() += rule[at];
    }
    std::erase(words, "");
    return words;
}

} // namespace

fs::path cache_folder() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    const char* const home = std::getenv("HOME");
    fs::path folder;
    std::error_code error;
    if (cache != nullptr && *cache == '/')
        folder = fs::path(cache) / "meshputer";
    else if (home != nullptr && *home == '/' && fs::is_directory(home, error))
        folder = fs::path(home) / ".cache" / "meshputer";
    if (!folder.empty() && make_own_folder(folder))
        return folder;
    folder = temporary_folder() / fmt::format("meshputer-{}", geteuid());
    if (make_own_folder(folder))
        return folder;
    static const TemporaryFolder own("mesh-cache");
    return own.path();
}

fs::path list_beside(const fs::path& made) { return made.string() + ".files"; }

bool is_fresh(const fs::path& made) {
    std::error_code error;
    const auto when = fs::last_write_time(made, error);
    std::ifstream files(list_beside(made));
    if (error || !files)
        return false;
    for (std::string file; std::getline(files, file);) {
        const auto written = fs::last_write_time(file, error);
        if (error || written >= when)
            return false;
    }
    return true;
}

void keep_list(const fs::path& made, const std::vector<std::string>& sources) {
    std::ofstream file(list_beside(made));
    for (const std::string& name : sources)
        file << name << '\n';
}

std::vector<std::string> files_in_rule(const std::string& file) {
    std::ifstream text(file);
    const std::string rule{std::istreambuf_iterator<char>(text), {}};
    std::vector<std::string> files;
    for (const std::string& word : words_of_rule(rule))
        if (!word.ends_with(':'))
            files.push_back(fs::absolute(word).string());
    return files;
}

} // namespace mesh::host
