// Text for a person, in the columns of a terminal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mesh::host {

/// Columns of a terminal that does not tell its size, and of text that goes elsewhere.
inline constexpr std::size_t kTextColumns = 80;

/// Each line that is longer than `columns` goes on in further lines, which begin with `indent`
/// blanks. Lines are broken at blanks only, so a longer word stays whole. Columns are counted as
/// bytes.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

/// A row of a help text: a name, and beside it its meaning, in lines of kTextColumns.
std::string in_columns(const std::string& name, const std::string& meaning);

/// "1 node", "3 nodes".
std::string counted(std::uint64_t count, std::string_view what);

} // namespace mesh::host
