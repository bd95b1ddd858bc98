#include "toolkit.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

/// The folder of the toolkit, which may have blanks in it, takes the place of each @.
std::vector<std::string> words_of(const std::string& text) {
    const std::string folder = toolkit_folder().string();
    std::istringstream stream(text);
    std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    for (std::string& word : words)
        for (auto at = word.find('@'); at != std::string::npos;
             at = word.find('@', at + folder.size()))
            word.replace(at, 1, folder);
    return words;
}

/// The lines of a file as names with a phrase each.
std::vector<std::pair<std::string, std::string>> phrases_in(const char* name) {
    std::vector<std::pair<std::string, std::string>> all;
    std::ifstream file(toolkit_folder() / name);
    for (std::string line; std::getline(file, line);) {
        const std::size_t blank = std::min(line.find(' '), line.size());
        all.emplace_back(line.substr(0, blank), line.substr(std::min(blank + 1, line.size())));
    }
    return all;
}

std::vector<std::string> names_of(const std::vector<std::pair<std::string, std::string>>& phrases) {
    std::vector<std::string> names;
    for (const auto& [name, phrase] : phrases)
        names.push_back(name);
    return names;
}

fs::path program_folder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error)
        refuse("/proc/self/exe: {}: mesh needs /proc to be mounted", error.message());
    return program.parent_path();
}

} // namespace

fs::path toolkit_folder() {
    static const fs::path folder = [] {
        std::error_code error;
        const fs::path above = program_folder().parent_path();
        const fs::path installed = above / "share" / "meshputer";
        return fs::exists(installed, error) ? installed : above;
    }();
    return folder;
}

fs::path library_folder() {
    std::error_code error;
    const fs::path installed = program_folder().parent_path() / "lib" / "meshputer";
    return fs::exists(installed, error) ? installed : program_folder();
}

std::vector<std::pair<std::string, std::string>> apps() { return phrases_in("apps.txt"); }

std::vector<std::string> app_names() { return names_of(apps()); }

std::vector<std::pair<std::string, std::string>> boards() { return phrases_in("boards.txt"); }

std::vector<std::string> board_names() { return names_of(boards()); }

std::string default_board() {
    const auto names = board_names();
    return names.empty() ? std::string{} : names.front();
}

fs::path image_of(std::string_view name, std::string_view board) {
    return toolkit_folder() / board / fmt::format("{}.elf", name);
}

Compiler compiler_for(std::string_view place) {
    const fs::path path = toolkit_folder() / place / "program.json";
    std::ifstream file(path);
    if (!file)
        refuse("{}: not there; `make` or `make install` puts it there", path.string());
    const nlohmann::json words = nlohmann::json::parse(file);
    const auto all = [&](std::initializer_list<const char*> keys) {
        std::string text;
        for (const char* key : keys)
            text += words.at(key).get<std::string>() + " ";
        return words_of(text);
    };
    Compiler compiler{.cxx = all({"cxx", "compile", "compile_cxx"}),
                      .cc = all({"cc", "compile"}),
                      .objcopy = all({"objcopy", "renamed"}),
                      .link = all({"cxx", "link"}),
                      .traced = all({"traced"}),
                      .libraries = all({"libraries"}),
                      .add_section = words.at("objcopy").get<std::string>(),
                      .objdump = words.at("objdump").get<std::string>()};
    if (words.at("renamed").get<std::string>().empty())
        compiler.objcopy.clear();
    return compiler;
}

} // namespace mesh::host
