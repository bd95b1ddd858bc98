// Programs that have a main() instead of an app_main(): plain C, most of them. What is different
// when they are linked: the library has an app_main() that calls it (firmware/fiber/).
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

/// A program that has a function of this name is such a program.
inline constexpr const char* kMain = "main";

/// The functions of the object whose table of symbols this is, as objdump shows it.
std::set<std::string> functions_in(const std::string& symbols);

/// A program with a main() has this function of C, which others do not have.
bool main_has(std::string_view function);

struct MainProgram {
    std::set<std::string> own; // functions that it has itself
    bool has_cxx = false;      // a file of it is in C++
    bool on_board = false;     // whose C library has no heap
};

/// The words of a command that gives functions of the object other names: main() and exit(), which
/// the host tool and the image have as well, those of time, since a node has model time, those that
/// read files, which lie at the host tool, and malloc() and its kin, since a node has a heap of its
/// own. Not those that the program has itself.
std::vector<std::string> renaming_main(const std::string& objcopy, const std::string& object,
                                       const MainProgram& program);

/// The libraries, which `words` name, for a linker: on a board the C++ library finds in them what
/// it takes from that of C.
std::vector<std::string> libraries_for_main(std::vector<std::string> words,
                                            const MainProgram& program);

/// Adds to the words of a linker that app_main() comes from the library. A board may have a linker
/// script for such programs, BOARD-main.ld beside BOARD.ld: it takes its place.
void link_with_main(std::vector<std::string>& words);

} // namespace mesh::host
