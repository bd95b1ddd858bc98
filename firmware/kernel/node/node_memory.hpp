// The memory of a node as one object, whose sizes are known when it is compiled.
#pragma once

#include "kernel/node/kernel.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace mesh {

struct NodeSizes {
    std::size_t ports = 0;
    std::size_t buffers = 0;   // at least limits::pool_buffers_min()
    std::size_t processes = 0; // at a time, limits::kProcessesMax at most
    std::size_t nodes = 0;     // of the largest network that it may be a node of
    std::size_t arena_bytes = 0;
    std::size_t workspace_bytes = 0; // 0: the program has no use for it
};

/// The sizes that the host tool reads from the file of an image. The slots of the processes are at
/// the beginning of the memory, which is a variable of the name node_memory.
struct NodeMemoryRecord {
    std::uint32_t processes = 0;
    std::uint32_t workspace_bytes = 0;
    std::uint32_t arena_bytes = 0;
};

/// `[[gnu::section(".noinit")]] NodeMemory<NodeSizes{...}> memory;`: needs no initial value. It
/// must stay as long as the node.
template <NodeSizes kSizes>
class NodeMemory {
public:
    static constexpr NodeMemoryRecord kRecord{kSizes.processes, kSizes.workspace_bytes,
                                              kSizes.arena_bytes};

    /// The memory of a node that begins now, with so many ports, of a network of so many nodes;
    /// kSizes has the most of both. What a smaller network does not need is not touched.
    Memory for_node(std::size_t ports = kSizes.ports, std::size_t nodes = kSizes.nodes) {
        Link* const links = reinterpret_cast<Link*>(links_.data());
        std::uninitialized_value_construct_n(links, ports);
        const std::span peers = std::span{peers_}.first(nodes);
        std::ranges::fill(peers, Peer{});
        return {.buffers = buffers_,
                .slots = std::span{slots_}.first(kSizes.buffers * ports),
                .links = {links, ports},
                .processes = {reinterpret_cast<ProcessSlot*>(processes_.data()), kSizes.processes},
                .peers = peers,
                .arena = arena_,
                .workspace = workspace_};
    }

private:
    template <class T, std::size_t kCount>
    using Room =
        std::array<std::byte, kCount * sizeof(T)>; // for objects of for_node() and the kernel

    alignas(ProcessSlot) Room<ProcessSlot, kSizes.processes> processes_;
    alignas(Link) Room<Link, kSizes.ports> links_;
    alignas(8) std::array<std::byte, kSizes.arena_bytes> arena_;
    alignas(8) std::array<std::byte, kSizes.workspace_bytes> workspace_;
    std::array<PacketBuffer, kSizes.buffers> buffers_;
    std::array<PortSlot, kSizes.buffers * kSizes.ports> slots_;
    std::array<Peer, kSizes.nodes> peers_;
};

} // namespace mesh

/// Puts a record into the section; the linker script and the host tool know it by this name too.
#define MESH_NODE_MEMORY_RECORD [[gnu::section("mesh_memory"), gnu::used]]
