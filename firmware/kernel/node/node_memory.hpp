// The memory of a node whose sizes are known when it is compiled, as an image's are:
//
//   [[gnu::section(".noinit")]] mesh::NodeMemory<{.ports = 4, .buffers = 80, ...}> memory;
//   mesh::Node node{board, memory.of(ports), program};
//
// A node of a process that has a heap may keep what Memory names wherever it likes.
#pragma once

#include "hal/check.hpp"
#include "kernel/node/kernel.hpp"

#include <array>
#include <cstddef>
#include <memory>

namespace mesh {

struct NodeSizes {
    std::size_t ports = 0;     // of the board; the network may have fewer
    std::size_t buffers = 0;   // at least limits::pool_buffers_min()
    std::size_t processes = 0; // at a time, limits::kProcessesMax at most
    std::size_t nodes = 0;     // of the largest network
    std::size_t arena_bytes = 0;
    std::size_t workspace_bytes = 0; // 0: the program has no use for it
};

/// Nothing in it has an initial value, so it needs neither flash nor start-up code, and its section
/// may be one that nobody clears.
template <NodeSizes kSizes>
class NodeMemory {
public:
    /// For the life of a node that begins now, with `ports` ports, at most kSizes.ports. One node
    /// at a time.
    Memory of(std::size_t ports) {
        MESH_CHECK(ports <= kSizes.ports, no_such_node);
        Link* const links = reinterpret_cast<Link*>(links_.data());
        std::uninitialized_value_construct_n(links, ports);
        peers_.fill({}); // as the kernel wants them
        return {.buffers = buffers_,
                .slots = std::span{slots_}.first(kSizes.buffers * ports),
                .links = {links, ports},
                .processes = {reinterpret_cast<ProcessSlot*>(processes_.data()), kSizes.processes},
                .peers = peers_,
                .arena = arena_,
                .workspace = workspace_};
    }

private:
    template <class T>
    using Room = std::array<std::byte, sizeof(T)>;

    std::array<PacketBuffer, kSizes.buffers> buffers_;
    std::array<PortSlot, kSizes.buffers * kSizes.ports> slots_;
    std::array<Peer, kSizes.nodes> peers_;
    alignas(8) std::array<std::byte, kSizes.arena_bytes> arena_;
    alignas(8) std::array<std::byte, kSizes.workspace_bytes> workspace_;
    // Bytes: these have initial values, which the node gives them.
    alignas(ProcessSlot) std::array<Room<ProcessSlot>, kSizes.processes> processes_;
    alignas(Link) std::array<Room<Link>, kSizes.ports> links_;
};

} // namespace mesh
