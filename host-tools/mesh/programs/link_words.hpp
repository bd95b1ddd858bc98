// A linker's usual complaints in words of this project.
#pragma once

#include <string>

namespace mesh::host {

/// Refuses a program, `output`, for which there is no room at `place`, or in which a function is
/// missing that has a name here. Returns if the linker has `said` something else. UsageError.
void explain_link(const std::string& said, const std::string& output, const std::string& place);

} // namespace mesh::host
