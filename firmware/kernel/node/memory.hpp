// The memory of a node, as its kernel gets it. NodeMemory (node_memory.hpp) makes it of sizes.
#pragma once

#include "kernel/base/packet_pool.hpp"
#include "kernel/links/links.hpp"
#include "kernel/packets/forwarder.hpp"
#include "kernel/processes/scheduler.hpp"

#include <cstddef>
#include <span>

namespace mesh {

/// Memory of a node; the caller's, for as long as the node lives.
struct Memory {
    std::span<PacketBuffer> buffers;  // more than the longest path of any rule in use has links
    std::span<PortSlot> slots;        // buffers.size() * links.size()
    std::span<Link> links;            // one per port
    std::span<ProcessSlot> processes; // one for each that may live at a time, kProcessesMax at most
    Peers peers;                      // one for each node of the network, all zero
    std::span<std::byte> arena;       // frames of processes, 8-byte aligned
    std::span<std::byte> workspace;   // for the program: messages, data
    [[no_unique_address]] Interleaving interleaving = {}; // of nodes: their buffers and slots
};

} // namespace mesh
