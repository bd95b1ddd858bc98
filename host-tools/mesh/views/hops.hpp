// Hops: the crossings of links by the packets of a recording, each one once, however often its
// frame was sent, with its place in model time.
#pragma once

#include "recording.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mesh::host {

/// A packet crosses a link.
struct PacketHop {
    const Passage* first = nullptr; // that carried it
    wire::ModelTime begin = 0;      // when it takes the link, in ticks
    wire::ModelTime end = 0;        // when it is at the other end
    unsigned sends = 1;             // frames that carried it
    bool arrived = false;
    std::string notes; // faults and repetitions of its frames; "" if none
};

/// All hops, as their packets were first sent. Hops of control packets, which take no model time,
/// are left out, as in the report's `hops`.
std::vector<PacketHop> hops_of(const Recording& recording);

/// One after the other: hops of which each could begin only when the one before was over.
struct CriticalPath {
    std::vector<std::size_t> hops; // places, first to last
    wire::ModelTime on_links = 0;  // their durations, in ticks
    wire::ModelTime waits = 0;     // the times between them
};

/// The chain that ends with the last hop that came. Before each hop stands the hop that brought its
/// packet, or any packet, to its node at that time, or the hop that kept the node's port.
CriticalPath critical_path(const std::vector<PacketHop>& hops);

/// Packets over each link, [node][port], as the report's `link_packets`.
std::vector<std::vector<std::uint32_t>> loads_of(const Recording& recording,
                                                 const std::vector<PacketHop>& hops);

} // namespace mesh::host
