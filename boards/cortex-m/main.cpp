// The image's main: one board, one node, the memory that the kernel works in, and the program that
// the image was made for.
#include "boards/cortex-m/node.hpp"
#include "boards/cortex-m/pool.hpp"
#include "chip.hpp"
#include "hal/check.hpp"
#include "hal/console.hpp"
#include "kernel/processes/process_watch.hpp"

#include <algorithm>
#include <array>
#include <memory>

mesh::Process app_main(mesh::Kernel& kernel);

namespace mesh::board {
namespace {

using MeshNode = Node<ImageBoard>;

constexpr unsigned kProcesses = chip::kProcesses;
static_assert(ImageBoard::capabilities().receivers == Board::capabilities().receivers);

/// What the board of this image needs beyond the chip's own comes out of it.
constexpr std::size_t kWorkspaceBytes =
    chip::kWorkspaceBytes - (sizeof(ImageBoard) - sizeof(Board));

[[gnu::section(".noinit")]] std::array<PacketBuffer, kBuffers> buffers;
[[gnu::section(".noinit")]] std::array<PortSlot, kBuffers * Board::kPorts> slots;
[[gnu::section(".noinit")]] std::array<Peer, chip::kNodesMax> peers;
[[gnu::section(".noinit")]] alignas(8) std::array<std::byte, chip::kArenaBytes> arena;
[[gnu::section(".noinit")]] alignas(8) std::array<std::byte, kWorkspaceBytes> workspace;
[[gnu::section(".noinit")]] alignas(
    ProcessSlot) std::array<std::byte, kProcesses * sizeof(ProcessSlot)> process_memory;
// Built at start-up, so that flash need not hold their initial values.
alignas(Link) std::array<std::byte, Board::kPorts * sizeof(Link)> link_memory;

MeshNode* the_node = nullptr;

Memory memory_for(unsigned ports) {
    Link* const links = reinterpret_cast<Link*>(link_memory.data());
    std::uninitialized_default_construct_n(links, ports);
    peers.fill({}); // as the kernel wants them
    return {buffers,        std::span{slots}.first(kBuffers * ports),
            {links, ports}, {reinterpret_cast<ProcessSlot*>(process_memory.data()), kProcesses},
            peers,          arena,
            workspace};
}

} // namespace
} // namespace mesh::board

void mesh::console_write(std::span<const char> text) { board::the_node->kernel().print(text); }

void mesh::console_flush() { board::the_node->kernel().flush_print(); }

void mesh::send_trace(const wire::ProcessTrace& trace, std::span<const std::byte> object) {
    board::the_node->kernel().host_send(wire::HostTag::trace, wire::bytes_of(trace), object);
}

int main() {
    using namespace mesh;
    static board::ImageBoard board;
    MESH_CHECK(board.identity().node != kNoNode, no_such_node);
    const unsigned ports = std::min(port_count(board.identity().network), board::Board::kPorts);
    static board::MeshNode node{board, board::memory_for(ports), app_main};
    board::the_node = &node;
    node.run();
}
