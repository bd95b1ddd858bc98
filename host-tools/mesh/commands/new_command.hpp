// `mesh new DIR`: a small project to begin with: a program, its build file, and its test.
#pragma once

#include <string>

namespace mesh::host {

struct NewArguments {
    std::string folder;
};

/// UsageError: the folder is there and not empty, or cannot be made.
void new_command(const NewArguments& arguments);

} // namespace mesh::host
