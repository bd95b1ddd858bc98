// Which packets a node may take in, so that forwarding cannot deadlock: the forward-count
// controller of Toueg and Ullman (1979).
//
// Every packet knows an upper bound on the links it may still cross: the height of its rule minus
// the links crossed. A node takes a packet in only if more buffers are free than that bound. Why no
// packet is stuck then, whatever the network and however rules are mixed, is shown in
// ARCHITECTURE.md.
#pragma once

#include "kernel/base/here.hpp"
#include "kernel/base/packet_pool.hpp"

#include <cstdint>

namespace mesh {

class Admission {
public:
    /// Buffers of the node itself: those of the board's `receivers` for frames to come, and the
    /// host port's.
    static constexpr unsigned nodes_own(unsigned receivers) { return receivers + 1; }

    Admission(const PacketPool& pool, const Here& here, unsigned receivers)
        : pool_(pool),
          here_(here),
          nodes_own_(static_cast<std::uint8_t>(nodes_own(receivers))) {}

    /// Most links that a packet of `rule` may still cross after `hops`.
    std::uint16_t remaining(Rule rule, unsigned hops) const {
        const unsigned longest = here_.longest(rule);
        return static_cast<std::uint16_t>(longest > hops ? longest - hops : 0);
    }
    /// A packet that may still cross `remaining` links may come in from a neighbour.
    bool admits(std::uint16_t remaining) const { return pool_.free() > remaining && !closed_; }
    /// A process may start a packet of `rule` now.
    bool may_start(Rule rule) const { return pool_.free() > here_.longest(rule); }
    /// False if may_start() would never hold: the pool is too small for the rule's paths, or the
    /// image does not have the rule.
    bool can_carry(Rule rule) const {
        const unsigned longest = here_.longest(rule);
        return longest != 0 && pool_.capacity() > longest + nodes_own_;
    }

    /// Nothing comes in while `closed`: there would be no room to tell the sender what became of
    /// it.
    void close(bool closed) { closed_ = closed; }
    bool closed() const { return closed_; }

private:
    const PacketPool& pool_;
    const Here& here_;
    std::uint8_t nodes_own_;
    bool closed_ = false;
};

} // namespace mesh
