// The packets that a node may take in, so that forwarding cannot deadlock: the forward-count
// controller of Toueg and Ullman (1979).
//
// Every packet knows an upper bound on the links it may still cross: the height of its rule minus
// the links crossed and, if it will be answered, the longest way back, since the answer takes its
// buffer. A node takes a packet in only if more buffers are free than that bound, beside those that
// are kept for packets that wait for a process (PacketPool::room()). No packet is stuck then,
// whatever the network: see ARCHITECTURE.md. In brackets: what it is in tests/verify/proof.
#pragma once

#include "kernel/base/here.hpp"
#include "kernel/base/packet_pool.hpp"
#include "kernel/base/service.hpp"

#include <cstdint>

namespace mesh {

/// The decision about packets that come in or start here. It reads the pool and remembers no
/// packet.
class Admission {
public:
    /// Buffers of the node itself: those of the board's `receivers` for frames to come, and the
    /// host port's [size].
    static constexpr unsigned nodes_own(unsigned receivers) { return receivers + 1; }

    /// `pool` and `here` must outlive it. `receivers`: of the board, as in Cables.
    Admission(const PacketPool& pool, const Here& here, unsigned receivers)
        : pool_(pool),
          here_(here),
          nodes_own_(static_cast<std::uint8_t>(nodes_own(receivers))),
          way_back_(static_cast<std::uint8_t>(here.longest(Rule::disjoint))) {}

    /// Most links of a packet's way out [travels]; 0 for a rule that the image does not have.
    unsigned way_out(const wire::PacketHeader& header) const { return here_.longest(header.rule); }
    /// Most links that the answer to a packet crosses, from wherever it is made
    /// [all_kinds_descend]; 0 if there is none.
    unsigned way_back(const wire::PacketHeader& header) const {
        const auto service = static_cast<Service>(header.service);
        if (!is_answered(service))
            return 0;
        return service == Service::look ? here_.longest(Path::of_word(header.position).rule)
                                        : way_back_;
    }
    /// A packet that may still cause `remaining` links to be crossed may come in [takes, cross].
    bool admits(unsigned remaining) const { return pool_.room() > remaining; }
    /// A process, or the kernel, may start this packet now [takes, start].
    bool may_start(const wire::PacketHeader& header) const {
        return pool_.room() > way_out(header) + way_back(header);
    }
    /// The kernel may start a question to one node [takes, start].
    [[gnu::noinline]] bool may_ask() const { return pool_.room() > 2u * way_back_; }
    /// False if may_start() would never hold: the pool is too small for the rule's paths, or the
    /// image does not have the rule [room, descends].
    bool can_carry(Rule rule, Service service = Service::packet) const {
        const unsigned longest = here_.longest(rule);
        const unsigned back = is_answered(service) ? way_back_ : 0;
        return longest != 0 && pool_.capacity() > longest + back + nodes_own_ + pool_.reserve();
    }

private:
    const PacketPool& pool_;
    const Here& here_;
    std::uint8_t nodes_own_;
    std::uint8_t way_back_; // of answers that go to one node
};

} // namespace mesh
