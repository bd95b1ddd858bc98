// Finds uses of things that other systems have and no node has: a heap, streams, threads, files, a
// calendar. Some of these would link, and end a node when it runs, or work in a simulation only; so
// the objects that the compiler made are searched for them.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace mesh::host {

/// For each such use a line that names the function, and the one to use instead. `source`: the file
/// that the object was made of; `listing`: its machine code, as objdump shows it with relocations,
/// line numbers and demangled names; `own`: functions that the program itself has. `has_main`: it
/// has a main(), and with it some of these.
std::vector<std::string> what_a_node_lacks(const std::string& source, const std::string& listing,
                                           const std::set<std::string>& own, bool has_main);

/// The names of all functions of meshputer and MPI that the object refers to, without namespaces.
std::vector<std::string> library_calls(const std::string& source, const std::string& listing);

/// A line that names the first function with a call of one of <cmath>, such as sin(), whose last
/// bits the C libraries of boards and of this machine do not have alike; "" if there is none.
std::string what_engines_round(const std::string& source, const std::string& listing);

} // namespace mesh::host
