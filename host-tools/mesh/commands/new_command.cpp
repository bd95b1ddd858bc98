#include "new_command.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kProgram = R"(// Adds up the numbers of all nodes; node 0 prints the sum.
#include "meshputer.hpp"

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    if (me != 0)
        co_return co_await mesh::send_value(node, me, mesh::NodeId{0});
    unsigned sum = 0;
    for (unsigned others = 1; others < node.nodes(); ++others) {
        unsigned number = 0;
        const mesh::Received got = co_await mesh::receive_value(node, number);
        if (got.status != mesh::Status::ok)
            co_return got.status;
        sum += number;
    }
    mesh::print("the numbers of all nodes make {}\n", sum);
    co_return mesh::Status::ok;
}
)";

constexpr std::string_view kMakefile = R"make(# make: builds ./@NAME@; make run; make test
MESH ?= mesh

@NAME@: main.cpp
	"$(MESH)" build $^ -o $@

run: @NAME@
	"$(MESH)" run --engine sim --dim 3 --app ./@NAME@

test: @NAME@
	"$(MESH)" run --engine sim --dim 3 --app ./@NAME@ --expect expected.txt
	"$(MESH)" run --engine qemu --dim 3 --app ./@NAME@ --expect expected.txt

clean:
	rm -f @NAME@

.PHONY: run test clean
)make";

constexpr std::string_view kExpected = "[0] the numbers of all nodes make 28\n";

constexpr std::string_view kCmakeLists =
    R"(# cmake -B build -DCMAKE_TOOLCHAIN_FILE=toolchain.cmake && cmake --build build
# makes build/@NAME@.elf, for --engine qemu alone; `make` makes a program for both engines.
cmake_minimum_required(VERSION 3.13)
project(@NAME@ CXX)
add_executable(@NAME@.elf main.cpp)
)";

constexpr std::string_view kToolchain =
    R"(# How CMake builds images for a board: -DBOARD= and -DMESH= say which, and by what tool.
set(MESH mesh CACHE STRING "the host tool")
set(BOARD @BOARD@ CACHE STRING "the board")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MESH BOARD)
foreach(what compiler compile link libraries)
  execute_process(COMMAND "${MESH}" build --board ${BOARD} --show ${what}
    OUTPUT_VARIABLE mesh_${what} OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "'${MESH} build --show ${what}' failed: give -DMESH=/path/to/mesh")
  endif()
endforeach()
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_CXX_COMPILER ${mesh_compiler})
set(CMAKE_CXX_FLAGS_INIT "${mesh_compile}")
# CMake links with the flags of the compiler, too; checks need no library here.
set(CMAKE_EXE_LINKER_FLAGS_INIT "${mesh_link} -fno-sanitize=all")
set(CMAKE_CXX_STANDARD_LIBRARIES "${mesh_libraries}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
)";

constexpr std::array<std::pair<const char*, std::string_view>, 5> kFiles{
    {{"main.cpp", kProgram},
     {"Makefile", kMakefile},
     {"expected.txt", kExpected},
     {"CMakeLists.txt", kCmakeLists},
     {"toolchain.cmake", kToolchain}}};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what))
        text.replace(at, what.size(), by);
    return text;
}

/// `text` with the names of the project and of the board in place.
std::string named(std::string_view text, std::string_view name) {
    return replaced(replaced(std::string(text), "@NAME@", name), "@BOARD@", default_board());
}

} // namespace

void new_command(const NewArguments& arguments) {
    const fs::path folder = fs::absolute(arguments.folder).lexically_normal();
    const std::string name =
        (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-.";
    if (name.empty() || name.find_first_not_of(kLetters) != std::string::npos)
        refuse("'{}': allowed for a project: letters, digits, - _ and .", name);
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_empty(folder, error))
        refuse("'{}': {}", arguments.folder,
               error ? error.message() : "is not empty: give a new folder");
    for (const auto& [file, text] : kFiles)
        if (!(std::ofstream(folder / file) << named(text, name) << std::flush))
            refuse("'{}': {} cannot be written", arguments.folder, file);
    fmt::print("{}: main.cpp, what builds it, and its test: cd {} && make test\n", arguments.folder,
               shell_word(arguments.folder));
}

} // namespace mesh::host
