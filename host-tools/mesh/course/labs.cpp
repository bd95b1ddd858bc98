#include "labs.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/list_format.hpp"
#include "host-tools/mesh/common/nearest.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>

#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPage = "README.md";
constexpr const char* kChecks = "check.toml";
constexpr const char* kOfStudent = "lab.toml";
constexpr const char* kLabKey = "lab";

Lab lab_in(const fs::path& folder) {
    const fs::path whole = fs::absolute(folder).lexically_normal();
    Lab lab{whole, (whole.has_filename() ? whole : whole.parent_path()).filename().string(), {}};
    std::ifstream page(whole / kPage);
    std::getline(page, lab.title);
    lab.title.erase(0, lab.title.find_first_not_of("# "));
    return lab;
}

bool is_lab(const fs::path& folder) {
    std::error_code error;
    return fs::exists(folder / kChecks, error);
}

/// True if the lab's name begins with this number.
bool has_number(const Lab& lab, std::string_view word) {
    const auto number = number_in<unsigned>(word);
    return number &&
           number == number_in<unsigned>(std::string_view(lab.name).substr(0, lab.name.find('-')));
}

void list_labs(bool json) {
    std::vector<std::vector<std::string>> rows;
    for (const Lab& lab : labs())
        rows.push_back({lab.name, lab.title});
    if (json)
        return print_json(std::array<std::string_view, 2>{"name", "title"}, rows);
    for (const std::vector<std::string>& row : rows)
        fmt::print("{:<14} {}\n", row.at(0), row.at(1));
}

bool has_language(const Lab& lab, Language language) {
    return std::ranges::any_of(student_files(lab, language), is_answer);
}

/// The first that the lab has, if `word` is "".
Language language_named(const Lab& lab, std::string_view word) {
    if (word.empty())
        return has_language(lab, Language::cpp) ? Language::cpp : Language::c;
    if (word != "c++" && word != "c")
        refuse("--language '{}': allowed: c++, c", word);
    const Language language = word == "c" ? Language::c : Language::cpp;
    if (has_language(lab, language))
        return language;
    std::vector<std::string> names;
    for (const Lab& other : labs())
        if (has_language(other, language))
            names.push_back(other.name);
    refuse("--language {}: {} has no start in it; those that have: {}", word, lab.name,
           fmt::join(names, ", "));
}

void start_lab(const LabArguments& arguments) {
    const Lab lab = lab_named(arguments.lab);
    const Language language = language_named(lab, arguments.language);
    const fs::path folder = arguments.folder;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_empty(folder, error))
        refuse("'{}': {}", arguments.folder,
               error ? error.message() : "is not empty: give a new folder");
    for (const std::string& name : student_files(lab, language)) {
        fs::copy_file(lab.folder / name, folder / name, error);
        if (error)
            refuse("'{}': {}", (folder / name).string(), error.message());
        fs::permissions(folder / name, fs::perms::owner_write, fs::perm_options::add, error);
    }
    // A lab that came with the tool is found by its name, wherever the tool is.
    const std::string known = lab_in(toolkit_folder() / "labs" / lab.name).folder == lab.folder
                                  ? lab.name
                                  : lab.folder.string();
    if (!(std::ofstream(folder / kOfStudent)
          << fmt::format("{} = '{}'\n", kLabKey, known) << std::flush))
        refuse("'{}': cannot be written", (folder / kOfStudent).string());
    fmt::print("{}: {}; read {}, then mesh grade {}\n", arguments.folder, lab.title,
               (folder / kPage).string(), arguments.folder);
}

} // namespace

std::vector<Lab> labs() {
    std::vector<Lab> all;
    std::error_code error;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(toolkit_folder() / "labs", error))
        if (is_lab(entry.path()))
            all.push_back(lab_in(entry.path()));
    std::ranges::sort(all, {}, &Lab::name);
    return all;
}

Lab lab_named(const std::string& word) {
    const std::vector<Lab> all = labs();
    for (const Lab& lab : all)
        if (lab.name == word || has_number(lab, word))
            return lab;
    if (is_lab(word))
        return lab_in(word);
    std::vector<std::string> names;
    for (const Lab& lab : all)
        names.push_back(lab.name);
    refuse("no lab '{}'; {}allowed: its number, {}, or a folder with a {}", word,
           did_you_mean(word, names), fmt::join(names, ", "), kChecks);
}

Lab lab_of(const fs::path& folder) {
    const std::string path = (folder / kOfStudent).string();
    std::error_code error;
    if (!fs::exists(path, error))
        refuse("'{}': no {} in it; begin by mesh lab start LAB DIR, or give --lab LAB",
               folder.string(), kOfStudent);
    try {
        const toml::table file = toml::parse_file(path);
        if (const auto lab = file[kLabKey].value<std::string>())
            return lab_named(*lab);
    } catch (const toml::parse_error& error_of_file) {
        refuse("{}:{}: {}", path, error_of_file.source().begin.line, error_of_file.description());
    }
    refuse("{}: no line {} = 'NAME'", path, kLabKey);
}

bool is_given(std::string_view name) { return name.starts_with("given."); }

bool is_answer(std::string_view name) { return name.starts_with("answer."); }

Language language_of(const Lab& lab, const fs::path& folder) {
    std::error_code error;
    for (const std::string& name : student_files(lab, Language::c))
        if (is_answer(name) && fs::exists(folder / name, error))
            return Language::c;
    return Language::cpp;
}

std::vector<std::string> student_files(const Lab& lab, Language language) {
    std::error_code error;
    const bool has_c =
        fs::exists(lab.folder / "answer.c", error) || fs::exists(lab.folder / "answer.h", error);
    std::vector<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(lab.folder)) {
        std::string name = entry.path().filename().string();
        const bool in_c = has_c && (name.ends_with(".c") || name.ends_with(".h"));
        const bool code = is_given(name) || is_answer(name);
        if (name == kPage || (code && in_c == (language == Language::c)))
            names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
}

void lab_command(const LabArguments& arguments) {
    if (arguments.what == "list" && arguments.lab.empty())
        list_labs(is_json(arguments.format));
    else if (arguments.what == "start" && !arguments.folder.empty())
        start_lab(arguments);
    else if (arguments.what == "start" && !arguments.lab.empty())
        refuse("mesh lab start {}: DIR is missing, the new folder for it", arguments.lab);
    else
        refuse("mesh lab {}: {}allowed: list, or start LAB DIR", arguments.what,
               did_you_mean(arguments.what, std::array{"list", "start"}));
}

} // namespace mesh::host
