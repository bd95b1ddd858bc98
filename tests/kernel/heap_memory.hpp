// The memory of a node whose sizes a test knows when it runs.
#pragma once

#include "kernel/node/node_memory.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace mesh::test {

struct HeapMemory {
    explicit HeapMemory(const NodeSizes& sizes)
        : buffers(sizes.buffers),
          slots(sizes.buffers * sizes.ports),
          links(sizes.ports),
          processes(sizes.processes),
          peers(sizes.nodes),
          arena(sizes.arena_bytes / sizeof(std::uint64_t)),
          workspace(sizes.workspace_bytes) {}

    /// The memory for a node that lives no longer than this object.
    operator Memory() {
        return {.buffers = buffers,
                .slots = slots,
                .links = links,
                .processes = processes,
                .peers = peers,
                .arena = std::as_writable_bytes(std::span{arena}),
                .workspace = workspace};
    }

    std::vector<PacketBuffer> buffers;
    std::vector<PortSlot> slots;
    std::vector<Link> links;
    std::vector<ProcessSlot> processes;
    std::vector<Peer> peers;
    std::vector<std::uint64_t> arena;
    std::vector<std::byte> workspace;
};

} // namespace mesh::test
