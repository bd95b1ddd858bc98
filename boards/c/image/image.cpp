// The parts that an image of somebody else's has once: the memory of its node, and how that stops.
#include "boards/c/node.hpp"
#include "hal/check.hpp"
#include "hal/concepts.hpp"

#include <cstddef>
#include <new>

using mesh::board::CNode;
using mesh::board::CNodeState;

namespace {
alignas(CNode) constinit std::byte place[sizeof(CNode)];
bool is_open = false;

[[noreturn]] void stop(std::uint32_t check) {
    const CNodeState& state = *CNodeState::running;
    state.driver.failed(state.context, check);
    for (;;) {
    }
}
} // namespace

void mesh::check_failed(CheckId id) { stop(id.number); }
void mesh::halt(const wire::CrashRecord& record) { stop(record.cause); }

mesh_status mesh_open(mesh_node** node, const mesh_setup* setup) {
    if (!CNode::is_valid(*setup))
        return MESH_BAD_ARGUMENT;
    if (is_open)
        return MESH_NO_MEMORY;
    is_open = true;
    CNode* const opened = new (place) CNode(*setup);
    *node = opened;
    opened->start();
    return MESH_OK;
}
