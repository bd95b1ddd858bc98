// Waits in a branch of an expression, which GCC 12 to 14 translate wrongly in some places: the wait
// is made whatever the condition says, and the compiler says nothing.
#pragma once

#include <string>
#include <string_view>

namespace mesh::host {

/// A line `note: ...` for each line of a program's text with such a wait: behind `? :`, `&&` or
/// `||` in a co_return, in an argument, in the condition of a loop, in what is added or assigned
/// to std::ignore; and behind `? :` in the condition of an if. Where a variable is made of the
/// expression, or the expression is a statement, GCC is right.
std::string branches_that_wait(std::string_view file, std::string_view text);

} // namespace mesh::host
