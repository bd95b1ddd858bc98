// What programs of other systems use and no node has: a heap, streams, threads, files, a calendar.
// Some of it would link, and end a node when it runs, or work in a simulation only; so it is looked
// for in what the compiler made.
#pragma once

#include <string>
#include <vector>

namespace mesh::host {

/// For each such use a line that names the function, and what there is instead. `source`: what the
/// object was made of; `listing`: its machine code, as objdump shows it with relocations and
/// demangled names.
std::vector<std::string> what_a_node_lacks(const std::string& source, const std::string& listing);

} // namespace mesh::host
