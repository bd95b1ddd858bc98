// A help for the usual mistakes: compilers name a type or an operator, which is right and tells a
// beginner nothing. As rustc does, a line `help: ...` below such an error says what to write.
#pragma once

#include <string>
#include <string_view>

namespace mesh::host {

/// The output of a compiler with a line `help: ...` below the source text of each error that has
/// one; of several errors in one line of a file, only below the first.
std::string with_help(std::string_view said);

/// A line `note: ...` for each co_return of a program's text that waits in one branch only, as in
/// `co_return c ? co_await f() : g`: GCC 12 to 14 wait there in any case, and say nothing.
std::string branches_that_wait(std::string_view file, std::string_view text);

} // namespace mesh::host
