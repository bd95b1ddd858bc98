// Calls that wait, kept in a variable that nobody looks at: such a call never begins. A compiler
// only warns of the variable, as of any other, and does not tell its type.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// Places, FILE:LINE:COLUMN, and names of the variables that a compiler warns of.
struct UnusedVariable {
    std::string place;
    std::string name;
};
std::vector<UnusedVariable> unused_variables(std::string_view said);

/// A line `PLACE: error: ...` for each of them that holds a call that waits. `listing`: the debug
/// information of the object, as objdump --dwarf=info shows it.
std::string never_awaited(const std::vector<UnusedVariable>& unused, const std::string& listing);

} // namespace mesh::host
