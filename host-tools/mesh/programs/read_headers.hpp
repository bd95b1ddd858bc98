// The headers of the library as a compiler keeps them when it has read them once: reading them is
// four fifths of the time that it takes for a short program.
#pragma once

#include <string>
#include <vector>

namespace mesh::host {

/// True if the compiler of this C++ file can take headers that it has read before: the file
/// includes meshputer.hpp.
bool includes_the_library(const std::string& file);

/// For a C++ file that includes meshputer.hpp: the words by which a compiler includes headers of
/// the standard that the file, or one of its own headers beside it, uses before it includes them.
/// meshputer.hpp once included them, and programs of that time are still to build.
std::vector<std::string> includes_of_before(const std::string& file);

/// The folder to name by -I, behind all others, to the compiler that is called by `words`; "" if
/// there is none.
///
/// The second call for these words, and each after a header has changed, lets the compiler read the
/// headers, which takes about two programs' time and 110 MB of the cache folder; who builds one
/// program alone waits for nothing. Several runs of this tool at once let it read them once. Files
/// that nobody has used for a month go. Where there is no room, or the compiler fails, programs are
/// compiled without.
std::string folder_of_read_headers(const std::vector<std::string>& words);

} // namespace mesh::host
