// The UHC's trees that need no source in the header: bt2 with its tag, bt1 with a 2-bit hop count.
//
// With odd dim one more bit of the tag says that the packet has crossed the top dimension: without
// it a node of the far half could not tell itself from the one that sends across.
// (huang-yang-tseng-2001, 4; the count and the bit are not in the paper)
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/rules.hpp"
#include "core/uhc/trees.hpp"
#include "core/uhc/view.hpp"

#include <cstdint>

namespace mesh {

/// Set in a tag once the packet has crossed the top dimension of an odd network. Below it: the tag
/// of the paper + 1, or the count.
inline constexpr unsigned kTagCrossed = 0x10;
/// No tag is larger: five bits.
inline constexpr unsigned kTagMax = 2 * kTagCrossed - 1;
static_assert(kDimMax / 2 + 1 < kTagCrossed);

/// Where a tagged packet goes, and with what tag on all ports but the straight one.
struct TaggedStep {
    std::uint32_t ports = 0;
    unsigned tag = 0;
};

/// Tag of bt2, + 1: the number of the in-port by which the sender got the packet, dim/2 from the
/// source, on the last superdimension a countdown 1, 0, -1. This is algorithm 1, its conditions
/// read in the printed order: what a node does that got `tag` by in-port number `i`. Ends for any
/// tag.
/// Example (bt2, n = 4): root 0000 sends tag 4/2 + 1 = 3. Node 0100 gets it by dimension 2, in-port
/// 1. The tag is the number of the in-port + 2, so it sends on out-ports 1 and 0, the dimensions 3
/// and 1, with tag 1 + 1 = 2. Node 0110 gets that by dimension 1, in-port 0: the countdown, on 0
/// only, with tag 1. Node 0111 sends on 1, with tag 0, and 0101, which gets that, sends nothing.
constexpr TaggedStep bt2_step(std::uint32_t out, unsigned i, unsigned tag) {
    if (tag == 0)
        return {0, 0};
    if (i == 0 && tag <= 2)
        return {out & low_bits(2), tag - 1};
    const unsigned top = tag > i + 2 ? i + 2 : tag == i + 2 ? i + 1 : i;
    return {out & low_bits(2 * top), i + 1};
}

/// One hop of bt2 or of bt1 counted. Where a bt1 packet goes straight on in its superdimension, its
/// count goes up; on all other ports it begins again at 1.
/// Example (bt1-counted, n = 4): 1100 gets count 2 by dimension 3. Two are fewer than three: it
/// sends on 2, straight on in the same superdimension, with count 3, and on 0 with count 1. 1000
/// gets count 3 by dimension 2: it sends below that superdimension only, on 1, with count 1.
constexpr Route tagged_route(UniHypercube net, bool counted, const Hop& hop) {
    constexpr unsigned kHopsMax = 3;
    const unsigned dim = half_dim(net);
    const std::uint32_t own = net.out_ports(hop.self);
    const unsigned arrival = index(hop.arrival);
    const bool starts = hop.arrival == kNoPort;
    unsigned crossed = hop.tag & kTagCrossed;
    const unsigned from_root = counted ? 1 : dim / 2 + 1;
    TaggedStep step{own, from_root};
    unsigned straight_tag = from_root;
    if (arrival >= dim) { // the source, or that of the other half
        crossed = starts ? 0 : kTagCrossed;
    } else {
        const std::uint32_t out = own & low_bits(dim);
        const unsigned got = hop.tag & (kTagCrossed - 1);
        straight_tag = got + 1;
        if (counted)
            step.ports = out & low_bits((arrival & ~1u) + (got < kHopsMax ? 2 : 0));
        else
            step = bt2_step(out, arrival / 2, got);
        if (got == from_root && arrival >= dim - 2 && crossed == 0)
            step.ports |= own ^ out; // the top dimension, if it is one of this node's
    }
    if (!counted)
        straight_tag = step.tag;
    return {PortSequence::descending(step.ports),
            !starts,
            {static_cast<std::uint8_t>(step.tag | crossed),
             static_cast<std::uint8_t>(straight_tag | crossed), port_at(arrival ^ 1u)}};
}

/// First hop of the bt2 path to a node `ahead` (relative to this one, not 0): the top
/// superdimension that still differs if its own dimension does, else the one below, which exchanges
/// the roles.
/// Example (bt2, one path, n = 4): from 0000 to 1001. The top superdimension (bits 2, 3) differs in
/// bit 3, which is not an own one of 0000: so out-port 0, to 0001. This node sends on 3: to 1001.
/// On the way the tag was 3, then 1.
constexpr std::uint32_t bt2_toward(std::uint32_t out, std::uint32_t ahead) {
    const std::uint32_t pair = superdimension_bits(highest_bit(ahead));
    const bool here = (ahead & out & pair) != 0 || pair == 3;
    return out & (here ? pair : pair >> 2);
}

/// How a bt2 packet comes to a node: by this port, with this tag.
struct Bt2Arrival {
    unsigned port = 0;
    unsigned tag = 0;
};

/// Follows the path from the source, at most dim+1 hops. Precondition: not the root.
constexpr Bt2Arrival bt2_arrival(const UhcView& view, unsigned dim) {
    MESH_EXPECT(view.relative != 0);
    UhcView at{0, view.out, view.in};
    if (odd_weight(view.relative))
        at = at.across(0);
    Bt2Arrival arrival{0, dim / 2 + 1};
    for (unsigned hop = 0; hop <= dim && at.relative != view.relative; ++hop) {
        if (hop != 0)
            arrival.tag = bt2_step(at.out, arrival.port / 2, arrival.tag).tag;
        const std::uint32_t dimension = bt2_toward(at.out, at.relative ^ view.relative);
        arrival.port = lowest_bit(dimension);
        at = at.across(dimension);
    }
    return arrival;
}

} // namespace mesh
