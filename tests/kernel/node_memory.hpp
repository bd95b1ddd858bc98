// The memory of one node, for tests that join a board of their own to it.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mesh::test {

struct NodeMemory {
    NodeMemory(std::size_t buffer_count, std::size_t ports, std::size_t process_count,
               std::size_t arena_words = 1024)
        : buffers(buffer_count),
          slots(buffer_count * ports),
          links(ports),
          processes(process_count),
          peers(64),
          arena(arena_words) {}

    /// Of a node that lives no longer than this.
    operator Memory() {
        return {buffers, slots, links, processes, peers, std::as_writable_bytes(std::span{arena}),
                {}};
    }

    std::vector<PacketBuffer> buffers;
    std::vector<PortSlot> slots;
    std::vector<Link> links;
    std::vector<ProcessSlot> processes;
    std::vector<Peer> peers;
    std::vector<std::uint64_t> arena;
};

} // namespace mesh::test
