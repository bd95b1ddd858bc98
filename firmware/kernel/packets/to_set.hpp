// Packets for a set of nodes on their way (core/multicast.hpp). Apart from the forwarder, so that
// the linker takes it only for programs that multicast (collectives/multicast.hpp).
#pragma once

#include "core/multicast.hpp"
#include "kernel/base/here.hpp"
#include "kernel/base/packet_pool.hpp"

#include <cstddef>
#include <span>

namespace mesh {

/// Where a single packet (Service::packet) goes from here that has the destination kToSet; nowhere
/// for any other one, and for one that does not fit this network. Takes any packet, and only reads
/// it.
Route way_to_set(const Here& here, Port arrival, PacketBuffer& buffer);

/// Writes the set of `members`, nodes of the network, to the beginning of the payload of a packet
/// for them. Whoever makes such packets calls it; so their way is linked.
void put_set(std::span<std::byte> payload, std::uint32_t nodes, std::span<const NodeId> members);

} // namespace mesh
