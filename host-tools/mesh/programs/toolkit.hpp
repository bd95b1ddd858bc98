// The toolkit beside this tool: boards, the images of apps for them, and all that `mesh build`
// needs to make more. Its layout is the same in the folder of a build and where `make install` puts
// it (firmware/programs.mk).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

/// The folder of the toolkit.
std::filesystem::path toolkit_folder();

/// The folder of what the tool loads into other programs: its own, or where `make install` puts it.
std::filesystem::path library_folder();

/// The apps that came with this tool: name, and a phrase about it.
std::vector<std::pair<std::string, std::string>> apps();
std::vector<std::string> app_names();

/// The boards that images are made for, in the same way. The first one is meant where no board is
/// named.
std::vector<std::pair<std::string, std::string>> boards();
std::vector<std::string> board_names();
/// "" where nothing is built for a board.
std::string default_board();

/// The image of such an app, or of an op's program, for a board.
std::filesystem::path image_of(std::string_view name, std::string_view board);

/// How a compiler is called, as words; @ is replaced by the toolkit's folder.
struct Compiler {
    std::vector<std::string> cxx;
    std::vector<std::string> cc;
    std::vector<std::string> objcopy; // with what gives names of the C library to our own functions
    std::vector<std::string> link;
    std::vector<std::string> traced;    // before the libraries: the kernel tells what processes do
    std::vector<std::string> libraries; // behind the program's own objects
    std::string add_section;            // the tool that puts a section into a file
    std::string objdump;                // the one that lists what an object refers to
};

/// The compiler for a board; `host`: for the simulation. UsageError: it is not installed.
Compiler compiler_for(std::string_view place);

} // namespace mesh::host
