// `mesh build`: makes a program of C++ and C files that may lie anywhere, by the compilers of the
// board and of this machine. Their error messages are shown as they are, with a line of help below
// the usual ones (compiler_help.hpp).
#pragma once

#include "toolkit.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::host {

struct BuildArguments {
    std::vector<std::string> files;
    std::string output;
    std::string board = default_board();
    std::string kind;   // of images, a folder of the board's: "relay", "loaded"; "": neither
    std::string engine; // "": both
    bool debug = false;
    bool trace = false;
    bool strict = false;  // no program with a warning
    bool watched = false; // each load and store is told to mpi/buffers/accesses.cpp; for the sim
    std::string optimise; // "2", "s", ...
    std::vector<std::string> includes;
    std::vector<std::string> defines;
    std::vector<std::string> folders; // of libraries
    std::vector<std::string> libraries;
    std::string show; // words that another build tool needs
};

/// A file of this name is one that a program is built of.
bool is_source(std::string_view file);
/// UsageError, with what a compiler has said is wrong.
void build_command(const BuildArguments& arguments);

/// Options that a program of one file is built with, as in BuildArguments.
struct BuiltWith {
    std::vector<std::string> defines{}; // NAME=VALUE
    bool watched = false;
};

/// The program of one source file for an engine, in the user's cache folder; built if it is not
/// there, or older than the files that it is made of. `place`: a board, or BOARD/relay or
/// BOARD/loaded, as its images are called. UsageError.
std::filesystem::path built_program(const std::string& source, const std::string& engine,
                                    const std::string& place, const BuiltWith& with = {});

/// The names of the functions of meshputer and of MPI that the program of this source file calls,
/// in a simulation, in alphabetical order; built if need be. Explained, UsageError.
std::vector<std::string> calls_of(const std::string& source);

} // namespace mesh::host
