// `mesh view`: pictures and tables of a capture, made from the file alone.
#pragma once

#include <string>
#include <vector>

namespace mesh::host {

struct ViewArguments {
    std::string file;
    std::string format = "text";
    std::string beside; // of html: a second capture on the same clock; "": none
    std::string output; // "": standard output
};

/// The values of --format.
std::vector<std::string_view> view_formats();

/// UsageError, RunError.
void view_command(const ViewArguments& arguments);

/// The page of a capture that is open as `file`, for --report FILE.html. RunError.
std::string page_of(int file);

} // namespace mesh::host
