#include "boards/c/node.hpp"

namespace mesh::board {

bool CNode::is_valid(const mesh_setup& setup) {
    const Network network{static_cast<Topology>(setup.topology),
                          static_cast<std::uint8_t>(setup.dimension)};
    return setup.topology <= MESH_STAR && setup.dimension <= UINT8_MAX && valid(network) &&
           node_count(network) <= MESH_C_NODES && port_count(network) <= MESH_C_PORTS &&
           setup.node < node_count(network);
}

Memory CNode::memory_for_node() {
    const Network network = state_.identity.network;
    Memory memory = memory_.for_node(port_count(network), node_count(network));
    memory.workspace = std::as_writable_bytes(std::span{static_cast<mesh_node*>(this), 1});
    return memory;
}

void CNode::start() {
    const Call call{state_};
    board_.start();
    node_.start();
}

std::uint32_t CNode::turn() {
    const Call call{state_};
    if (ring.any())
        kernel->scheduler().touch();
    state_.sleep_us = 0;
    state_.alarm_us = UINT32_MAX;
    node_.turn();
    return ring.any() ? 0 : state_.sleep_us;
}

void CNode::on_interrupt(unsigned port) {
    const Call call{state_};
    board_.on_line_interrupt(port);
}

} // namespace mesh::board

std::uint32_t mesh_turn(mesh_node* node) { return static_cast<mesh::board::CNode*>(node)->turn(); }

void mesh_on_interrupt(mesh_node* node, unsigned port) {
    static_cast<mesh::board::CNode*>(node)->on_interrupt(port);
}
