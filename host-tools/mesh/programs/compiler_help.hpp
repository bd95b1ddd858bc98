// A help for the usual mistakes: compilers name a type or an operator, which is right and tells a
// beginner nothing. As rustc does, a line `help: ...` below such an error says what to write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// The advice about a function that nothing defines, if it has a name of MPI; "" else.
std::string_view words_of_missing(std::string_view function);

/// The output of a compiler with a line `help: ...` below the source text of each error that has
/// one; of several errors in one line of a file, only below the first.
std::string with_help(std::string_view said);

/// The lines of it that tell of a warning, FILE:LINE:COLUMN: warning: ..., without colours.
std::vector<std::string> warnings_in(std::string_view said);

} // namespace mesh::host
