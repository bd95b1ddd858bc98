// Any bytes as a board.json: refused, or a board whose sizes are such as a board can have.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/rig/board_facts.hpp"
#include "input_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace {

using namespace mesh;
namespace fs = std::filesystem;

void require(bool condition) {
    if (!condition)
        std::abort();
}

/// A folder with a board.json that is another file.
fs::path folder_with(const std::string& file) {
    std::string folder = (fs::temp_directory_path() / "board-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
        std::abort();
    fs::create_symlink(file, fs::path(folder) / "board.json");
    return folder;
}

/// The input, and the folder in which it is looked for, which goes with the process.
struct World {
    ~World() { fs::remove_all(folder); }
    fuzz::InputFile file;
    fs::path folder = folder_with(file.path());
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const World world;
    world.file.fill(data, size);
    try {
        const host::BoardFacts board = host::read_board(world.folder);
        require(!board.machine.empty() && board.ports() >= 1);
        require(board.sockets(1) == (board.serial() ? 2u : 1u));
        require(board.window_bytes(1) == 0 || board.window_bytes(1) >= 1);
    } catch (const host::UsageError&) { // no board
    }
    return 0;
}
