// What the packets of a recording did: each crossing of a link once, however often its frame was
// sent, with its place in model time.
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
    std::string notes; // what befell its frames, "" if nothing did
};

/// All hops, as their packets were first sent. Those of control that takes no model time are left
/// out, as in the report's `hops`.
std::vector<PacketHop> hops_of(const Recording& recording);

/// One after the other: hops of which each could begin only when the one before was over.
struct CriticalPath {
    std::vector<std::size_t> hops; // places, first to last
    wire::ModelTime on_links = 0;  // what they take, in ticks
    wire::ModelTime waits = 0;     // what lies between them
};

/// The chain that ends with the last hop that came: before a hop comes what brought the packet, or
/// anything, to its node at that time, or what kept the node's port.
CriticalPath critical_path(const std::vector<PacketHop>& hops);

/// Packets over each link, [node][port], as the report's `link_packets`.
std::vector<std::vector<std::uint32_t>> loads_of(const Recording& recording,
                                                 const std::vector<PacketHop>& hops);

} // namespace mesh::host
