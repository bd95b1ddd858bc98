// The labs of the course: folders with a page, a start and checks, beside the toolkit or anywhere.
//
// A lab's folder has README.md, whose first line is its title, check.toml (see grade.hpp), what a
// student begins with (answer.*), and what must stay as it is (given.*); in C, if it has answer.c
// or answer.h, beside C++. Other files of it are the checks' own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

struct Lab {
    std::filesystem::path folder;
    std::string name; // of the folder, as 02-ring
    std::string title;
};

/// The labs that came with this tool, in order.
std::vector<Lab> labs();

/// The lab that `word` names: a number, the name of a folder, or the path of one that has a
/// check.toml. UsageError: there is none; what there is.
Lab lab_named(const std::string& word);

/// The lab that a student's folder names. UsageError: the folder has no lab.toml.
Lab lab_of(const std::filesystem::path& folder);

enum class Language : std::uint8_t { cpp, c };

/// In which of the lab's languages a student's folder has an answer.
Language language_of(const Lab& lab, const std::filesystem::path& folder);

/// The names of the files that a student gets, in order.
std::vector<std::string> student_files(const Lab& lab, Language language);

/// True for a file that the lab gives and a student does not change.
bool is_given(std::string_view name);
/// True for a file that a student writes.
bool is_answer(std::string_view name);

struct LabArguments {
    std::string what;            // list, start
    std::string lab;             // as lab_named() takes it
    std::string folder;          // a new one, or an empty one
    std::string language;        // c++, c; "": the first that the lab has
    std::string format = "text"; // of the list, or json
};

/// `mesh lab list`, and `mesh lab start LAB DIR`. UsageError.
void lab_command(const LabArguments& arguments);

} // namespace mesh::host
