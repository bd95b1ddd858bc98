// The links of one node and the parts that they need, with nothing above: the test is the cables,
// the neighbours and the clock.
#pragma once

#include "kernel/links/links.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace mesh::test {

struct BareLinks {
    static constexpr unsigned kPortsMax = 6;
    std::array<PacketBuffer, 16> buffers{};
    std::array<PortSlot, 16 * kPortsMax> slots{};
    std::array<Link, kPortsMax> link;
    const Here here;
    Links links;
    Counters& counters = links.context().counters;
    PacketPool& pool = links.context().pool;
    Timebase& time = links.context().time;
    Admission admission{pool, here, 1};

    /// `ports`: that the board has.
    BareLinks(const wire::Identity& identity, unsigned ports)
        : here{identity, rules_of(identity.network.topology)},
          links{
              here, std::span{link}.first(ports), {buffers, slots, kPortsMax}, {4096}, admission} {}

    /// The hello of the neighbour at `port`, in its first life.
    wire::LinkHeader hello(unsigned port, wire::Kind kind = wire::Kind::hello) const {
        const Network network = here.network();
        const unsigned topology = static_cast<unsigned>(network.topology);
        return {.kind = kind,
                .port = port_at(port),
                .sequence = static_cast<std::uint16_t>(topology << 8 | network.dim),
                .refused = index(here.neighbor(port_at(port))),
                .free_buffers = 0};
    }
    Links::Arrived bring(unsigned port, const wire::LinkHeader& header) {
        return links.on_frame(port_at(port), header, nullptr);
    }
    /// The next frame for a port of `ready`, if there is one.
    std::optional<wire::LinkHeader> next(PortSet ready = ~PortSet{0}) {
        wire::LinkHeader header;
        PacketBuffer* packet = nullptr;
        if (!links.next_frame(header, packet, ready))
            return {};
        return header;
    }
    /// The ports by which frames leave until there are no more.
    PortSet ports_that_speak() {
        PortSet ports = 0;
        while (const auto header = next())
            ports |= bit_of(header->port);
        return ports;
    }
};

} // namespace mesh::test
