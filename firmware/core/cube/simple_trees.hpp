// Trees of the cube as local rules on the relative address: sbt, bs, hp.
//
// Each rule is two functions in the words of the paper, then a struct that gives it to network.hpp.
// No rule reads a table. A rule answers with dimensions as bits; the struct adds the order in which
// the node sends.
#pragma once

#include "core/base/bits.hpp"
#include "core/base/expect.hpp"
#include "core/base/rules.hpp"
#include "core/cube/hypercube.hpp"

namespace mesh {

/// Children in the spanning binomial tree: the leading zeroes of the relative address. Lowest
/// dimension first: it has the largest subtree. 8 instructions. (ho-johnsson-1986, 3.1)
/// Example (sbt, n = 4): root 0101, node 0110. The relative address is 0110 ^ 0101 = 0011. Its
/// highest one is bit 1. Bits 2 and 3 are the zeroes above it: the children are 0110 ^ 0100 = 0010
/// and 0110 ^ 1000 = 1110. The parent lies across bit 1, the highest one: 0110 ^ 0010 = 0100.
constexpr std::uint32_t sbt_children(Hypercube cube, Relative relative) {
    return bits_above(index(relative)) & cube.ports();
}

/// Port to the parent: the highest one-bit. Precondition: not the root.
constexpr Port sbt_parent(Relative relative) {
    MESH_EXPECT(index(relative) != 0);
    return port_at(highest_bit(index(relative)));
}

/// Children in the same tree, from the port by which the packet came and nothing else: all
/// dimensions above it. (brandenburg-scott, 4)
/// Example (bs, n = 4): a packet came by port 1. Dimensions 2 and 3 are above it, so it goes on by
/// ports 2 and 3, whatever the node's address is. This is what sbt does at node 0110 of root 0101
/// (above), which a packet reaches across dimension 1.
constexpr std::uint32_t bs_children(Hypercube cube, Port arrival) {
    const std::uint32_t ahead = arrival == kNoPort ? ~0u : ~1u << index(arrival);
    return ahead & cube.ports();
}

/// Successor on the Gray-code path: bit 0 where the weight is even, else the bit left of the lowest
/// one-bit; none at 2^(dim-1). (ho-johnsson-1986, 3.4)
/// Example (hp, n = 4): the path begins 0000 0001 0011 0010 0110 0111. 0010 has an odd number of
/// ones: the bit left of its lowest one (bit 1) is bit 2, and 0010 ^ 0100 = 0110 is next. 0110 has
/// an even number: bit 0, and 0111 is next.
constexpr std::uint32_t hp_children(Hypercube cube, Relative relative) {
    const std::uint32_t address = index(relative);
    const std::uint32_t flip = odd_weight(address) ? lowest_one(address) << 1 : 1u;
    return flip & cube.ports();
}

/// Predecessor on the path: the two flips alternate and each undoes itself, so this is the one that
/// hp_children() would not take. Precondition: not the root.
/// Example (hp, way back, n = 4): 0110 goes on across bit 0, so it came across the bit left of its
/// lowest one, bit 2, from 0010. This one goes on across bit 2, so it came across bit 0, from 0011.
constexpr Port hp_parent(Relative relative) {
    MESH_EXPECT(index(relative) != 0);
    const std::uint32_t address = index(relative);
    return port_at(odd_weight(address) ? 0u : lowest_bit(address) + 1u);
}

struct SbtTree : SingleTree {
    static constexpr Rule kRule = Rule::sbt;
    static constexpr std::string_view kName = "sbt";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        return PortSequence::ascending(sbt_children(cube, relative_address(hop.self, hop.root)));
    }
    static constexpr Port parent(Hypercube, const Hop& hop) {
        return hop.self == hop.root ? kNoPort : sbt_parent(relative_address(hop.self, hop.root));
    }
    static constexpr unsigned height(Hypercube cube) { return cube.dim; }
};

struct BsTree : SbtTree {
    static constexpr Rule kRule = Rule::bs;
    static constexpr std::string_view kName = "bs";
    static constexpr bool kReadsRoot = false;

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        return PortSequence::ascending(bs_children(cube, hop.arrival));
    }
};

struct HpTree : SingleTree {
    static constexpr Rule kRule = Rule::hp;
    static constexpr std::string_view kName = "hp";

    static constexpr PortSequence children(Hypercube cube, const Hop& hop) {
        return PortSequence::ascending(hp_children(cube, relative_address(hop.self, hop.root)));
    }
    static constexpr Port parent(Hypercube, const Hop& hop) {
        return hop.self == hop.root ? kNoPort : hp_parent(relative_address(hop.self, hop.root));
    }
    static constexpr unsigned height(Hypercube cube) { return cube.node_count() - 1u; }
};

} // namespace mesh
