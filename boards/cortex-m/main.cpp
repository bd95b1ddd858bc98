// The image's main: one board, one node, the memory that the kernel works in, and the program that
// the image was made for.
#include "boards/cortex-m/node.hpp"
#include "boards/cortex-m/pool.hpp"
#include "boards/cortex-m/resets.hpp"
#include "chip.hpp"
#include "hal/check.hpp"
#include "hal/console.hpp"
#include "kernel/node/node_memory.hpp"
#include "kernel/processes/process_watch.hpp"
#include "wire/bytes.hpp"

#include <algorithm>

mesh::Process app_main(mesh::Kernel& kernel);

namespace mesh::board {
namespace {

using MeshNode = Node<ImageBoard>;

static_assert(ImageBoard::capabilities().receivers == Board::capabilities().receivers);

/// Memory that the board of this image needs beyond the chip's own comes out of the workspace.
constexpr std::size_t kMoreBytes = sizeof(ImageBoard) - sizeof(Board);
static_assert(chip::kWorkspaceBytes >= kMoreBytes,
              "kWorkspaceBytes of chip.hpp is too small for an image of relay/ or alone/, which "
              "takes some 10 KB of it");
constexpr std::size_t kWorkspaceBytes = chip::kWorkspaceBytes - kMoreBytes;

constexpr NodeSizes kSizes{.ports = Board::kPorts,
                           .buffers = kBuffers,
                           .processes = chip::kProcesses,
                           .nodes = chip::kNodesMax,
                           .arena_bytes = chip::kArenaBytes,
                           .workspace_bytes = kWorkspaceBytes};

[[gnu::section(".noinit")]] NodeMemory<kSizes> node_memory;
MESH_NODE_MEMORY_RECORD constinit const NodeMemoryRecord kRecord = node_memory.kRecord;

MeshNode* the_node = nullptr;

/// An AloneBoard may say that no host will begin the program. A host hears first of all
/// that the node was reset, so it is in time for whatever comes next.
template <class B>
[[noreturn]] void work(B& board, MeshNode& node) {
    if constexpr (requires { board.stands_alone(); })
        if (board.stands_alone()) {
            node.start();
            for (;;)
                node.turn();
        }
    if (resets() != 0)
        node.kernel().host_send(wire::HostTag::began_anew,
                                wire::bytes_of(wire::BeganAnew{resets(), kept_may_begin_again()}));
    node.run();
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
    const Network network = board.identity().network;
    const unsigned ports = std::min(port_count(network), board::Board::kPorts);
    const auto nodes = std::min<std::size_t>(node_count(network), board::chip::kNodesMax);
    static board::MeshNode node{board, board::node_memory.for_node(ports, nodes), app_main};
    board::the_node = &node;
    board::work(board, node);
}
