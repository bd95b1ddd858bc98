// A node whose board is made of C functions: struct mesh_driver of c/include/meshputer.h.
//
// The lines are those of boards/serial. Their chip is the driver of the node that is called now:
// each function of the interface says which one that is, and an interrupt says so for itself alone.
// The owner of the node sleeps, not the board: wait() ends at once, and tells for how long it would
// have slept.
#pragma once

#include "boards/serial/serial_board.hpp"
#include "c/node.hpp"
#include "core/network.hpp"
#include "kernel/base/limits.hpp"
#include "kernel/node/node.hpp"
#include "kernel/node/node_memory.hpp"
#include "wire/identity.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

// Of the largest mesh that a node may be a node of: MESHPUTER_PORTS and MESHPUTER_NODES of CMake.
#ifndef MESH_C_PORTS
#define MESH_C_PORTS 2
#endif
#ifndef MESH_C_NODES
#define MESH_C_NODES (1 << MESH_C_PORTS)
#endif
#ifndef MESH_C_BITS_PER_SECOND
#define MESH_C_BITS_PER_SECOND 500'000
#endif

namespace mesh::board {

class CBoard;

/// The part of a node that its driver is called with, and the word for its owner. When one is made
/// its node is the one that is called.
struct CNodeState {
    explicit CNodeState(const mesh_setup& given)
        : driver(*given.driver),
          context(given.context),
          identity(
              {static_cast<Topology>(given.topology), static_cast<std::uint8_t>(given.dimension)},
              node_at(given.node)) {
        identity.birth = given.birth;
        running = this;
    }

    /// The node that is called now.
    static inline CNodeState* running = nullptr;

    const mesh_driver& driver;
    void* const context;
    wire::Identity identity;
    std::uint32_t sleep_us = 0; // in which nothing is to be done
    std::uint32_t alarm_us = 0; // the same, if it sleeps
    CBoard* board = nullptr;
};

/// The functions of SerialChip. The line behind those of the ports leads nowhere.
struct CChip {
    static constexpr unsigned kPorts = MESH_C_PORTS;
    static constexpr std::uint32_t kBitsPerSecond = MESH_C_BITS_PER_SECOND;
    static constexpr std::uint32_t kRingBytes = 2048;

    struct Guard {
        Guard() : held_(state().driver.hold(state().context)) {}
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;
        ~Guard() { state().driver.release(state().context, held_); }

    private:
        std::uint32_t held_;
    };
    /// A process never computes for long, so there are no ticks.
    struct Timer {
        void wake_after(std::uint64_t time_us) {
            state().alarm_us =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(time_us, UINT32_MAX));
        }
        void start_ticks(std::uint32_t, void (*)(void*), void*) {}
        void stop_ticks() {}
        void on_interrupt() {}
    };

    static CNodeState& state() { return *CNodeState::running; }
    static wire::Mac address() { return wire::to_mac(state().identity); }
    static void init(unsigned line) { listen(line, true); }
    static void listen(unsigned line, bool on) {
        if (line != kPorts)
            state().driver.tell_received(state().context, line, on);
    }
    static unsigned waiting(unsigned line) {
        return line != kPorts ? state().driver.waiting(state().context, line) : 0;
    }
    static std::byte read(unsigned line) {
        return static_cast<std::byte>(state().driver.read(state().context, line));
    }
    static unsigned room(unsigned line) {
        return line != kPorts ? state().driver.room(state().context, line) : 1;
    }
    static void write(unsigned line, std::byte byte) {
        if (line != kPorts)
            state().driver.write(state().context, line, std::to_integer<std::uint8_t>(byte));
    }
    static void tell_room(unsigned line, bool on) {
        if (line != kPorts)
            state().driver.tell_room(state().context, line, on);
    }
    static bool drained(unsigned line) {
        return line == kPorts || state().driver.drained(state().context, line);
    }
    static std::uint32_t counter_us() { return state().driver.now_us(state().context); }
    static void sleep();
    static void silence() {}
};

/// A number of its own at each power-on makes others hear a node that has forgotten all.
class CBoard : public SerialBoard<CChip> {
public:
    CBoard() { CNodeState::running->board = this; }
    wire::Identity identity() const { return CNodeState::running->identity; }
};

inline void CChip::sleep() {
    state().sleep_us = state().alarm_us;
    state().board->end_wait();
}

namespace c_node {
/// The largest network of a topology that a node has ports and places for.
constexpr Network largest(Topology topology) {
    unsigned dim = topology == Topology::star ? MESH_C_PORTS + 1 : MESH_C_PORTS;
    while (dim > 1 && (node_count({topology, static_cast<std::uint8_t>(dim)}) > MESH_C_NODES ||
                       (topology == Topology::uhc && dim % 2 != 0)))
        --dim;
    return {topology, static_cast<std::uint8_t>(dim)};
}
constexpr unsigned kLinksMax = std::max({height(largest(Topology::cube), Rule::disjoint),
                                         height(largest(Topology::uhc), Rule::disjoint),
                                         height(largest(Topology::star), Rule::disjoint)});
/// One process receives; frames of its two processes are the arena's.
constexpr NodeSizes kSizes{.ports = MESH_C_PORTS,
                           .buffers = limits::pool_buffers_min(kLinksMax, kLinksMax, 1),
                           .processes = 2,
                           .nodes = MESH_C_NODES,
                           .arena_bytes = 1536,
                           .workspace_bytes = 0};
} // namespace c_node

/// A whole node. It needs no initial value but what it is made of.
class CNode : public mesh_node {
public:
    /// The driver of the first node that is made is asked at once. Precondition: is_valid(setup).
    explicit CNode(const mesh_setup& setup)
        : mesh_node({static_cast<std::byte*>(setup.posts), setup.posts_bytes}),
          state_(setup),
          node_(board_, memory_for_node(), c::serve) {
        kernel = &node_.kernel();
    }

    /// There is such a node, and it is none of a mesh too large for it.
    static bool is_valid(const mesh_setup& setup);
    /// Interrupts come from here on.
    void start();
    std::uint32_t turn();
    void on_interrupt(unsigned port);

private:
    /// Makes a node the one that is called.
    class Call {
    public:
        explicit Call(CNodeState& state) : before_(std::exchange(CNodeState::running, &state)) {}
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        ~Call() { CNodeState::running = before_; }

    private:
        CNodeState* before_;
    };

    Memory memory_for_node();

    CNodeState state_; // running, for those behind it
    CBoard board_;
    NodeMemory<c_node::kSizes> memory_;
    Node<CBoard> node_;
};

} // namespace mesh::board
