// Any bytes as a board.json: refused, or a board whose sizes are such as a board can have.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/own_folder.hpp"
#include "host-tools/mesh/rig/board_facts.hpp"
#include "input_file.hpp"
#include "require.hpp"

#include <cstdint>
#include <filesystem>

namespace {

using namespace mesh;

/// The input, and a folder with it as board.json.
struct World {
    World() { std::filesystem::create_symlink(file.path(), folder / "board.json"); }
    fuzz::InputFile file;
    host::TemporaryFolder folder{"board"};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const World world;
    world.file.fill(data, size);
    try {
        const host::BoardFacts board = host::read_board(world.folder.path());
        require(!board.machine.empty() && board.ports() >= 1);
        require(board.sockets(1) == (board.serial() ? 2u : 1u));
        require(board.window_bytes(1) == 0 || board.window_bytes(1) >= 1);
    } catch (const host::UsageError&) { // no board
    }
    return 0;
}
