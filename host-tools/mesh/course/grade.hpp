// `mesh grade DIR`: the checks of a lab on what a student wrote, and the points that they earn.
//
// The checks are the sections of the lab's check.toml, which is a file of `mesh matrix`
// (matrix_file.hpp) with further keys. A check has earned its points when all of its runs are
// good; at the first one that is not, it says what was seen, and how to see it again. Files that
// `app` and `tree` name are the student's, those of `expect` and `input` the lab's.
#pragma once

#include <string>

namespace mesh::host {

struct GradeArguments {
    std::string folder;     // of the student
    std::string lab;        // as lab_named() takes it; "": what the folder says
    std::string variant;    // whose secrets are drawn; "": a new one
    std::string json;       // file for the grade; "": none
    std::string junit;      // the same as JUnit's XML
    std::string gradescope; // the same as Gradescope's autograder reads it
    std::string program;    // that makes the runs, as it was called
};

/// The keys of check.toml beside those of a matrix, for the help.
std::string describe_check_keys();

/// Prints a line for each check, and the score. Writes failed.html into the folder, the page of the
/// first run that failed. True if all points are earned. UsageError.
bool run_grade(const GradeArguments& arguments);

} // namespace mesh::host
