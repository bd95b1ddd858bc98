// The words every floor speaks: node, port, sets of ports, and the order in which ports are served.
//
// Strong types, so that a swapped node and port does not compile. Nothing here allocates, loops
// without a bound or knows a topology.
//
// In the examples of this folder addresses and sets are written in binary, dimension and port 0 on
// the right, and a node of the star as its label. "Across 2" is over the link of dimension 2.
// tests/core/worked_examples_*_test.cpp computes every example.
#pragma once

#include "core/base/expect.hpp"

#include <bit>
#include <cstdint>

namespace mesh {

/// Number of a node: its address on the cube and the UHC, the lexicographic rank of its permutation
/// on the star. Range 0 .. node_count-1.
enum class NodeId : std::uint32_t {};

/// A port of a node: the dimension it crosses on the cube and the UHC; port d of a star node swaps
/// positions 1 and d+2. Range 0 .. port_count-1.
enum class Port : std::uint8_t {};

/// No node: parent of a root, a blanked source.
inline constexpr NodeId kNoNode{0xFFFF'FFFF};
/// No port: a packet that starts at this node arrived on it.
inline constexpr Port kNoPort{0xFE};
/// The port towards the host tool; never part of a topology.
inline constexpr Port kHostPort{0xFF};

/// Most ports that any node of any engine has (bounds every per-port array on the host).
inline constexpr unsigned kPortsMax = 16;
/// Most dimensions that the rules accept (subtree statistics go this far, without nodes).
inline constexpr unsigned kDimMax = 20;

/// A set of ports as bits; the host's port has one as well, apart from those of any network.
using PortSet = std::uint32_t;

/// How many ports of a node work at one time: every port; one send and one receive; or one send or
/// receive.
enum class PortModel : std::uint8_t { all, duplex, half };

constexpr std::uint32_t index(NodeId node) { return static_cast<std::uint32_t>(node); }
constexpr unsigned index(Port port) { return static_cast<unsigned>(port); }
constexpr Port port_at(unsigned number) { return static_cast<Port>(number); }
constexpr NodeId node_at(std::uint32_t number) { return static_cast<NodeId>(number); }

constexpr PortSet bit_of(Port port) { return PortSet{1} << (index(port) % 32); }
static_assert(bit_of(kHostPort) == PortSet{1} << 31 && kPortsMax < 30);

/// A set of ports with the cyclic order in which a node serves them: begin at `first`, go up (or
/// down) cyclically, visit the members. Every tree of the five papers sends in such an order
/// (sbt: up from 0; sbnt: up from k+1; star edt: up from l+1; UHC: down), so none needs a list.
/// 8 bytes; passed in registers. Use: `for (PortSequence s = ...; !s.empty(); ) use(s.pop());`
/// Example (order of ports): the set 1101 has the ports 0, 2 and 3. Upward from 2 they are served
/// in the order 2, 3, 0; downward from 2 in the order 2, 0, 3.
class PortSequence {
public:
    constexpr PortSequence() = default;

    /// Members of `set` upward from `first` (0..31), then those below it, upward.
    static constexpr PortSequence ascending(std::uint32_t set, unsigned first = 0) {
        return {set, first, false};
    }
    /// Members of `set` downward from `first` (0..31), then those above it, downward.
    static constexpr PortSequence descending(std::uint32_t set, unsigned first = 31) {
        return {set, first, true};
    }

    constexpr bool empty() const { return set_ == 0; }
    constexpr std::uint32_t set() const { return set_; }
    constexpr unsigned size() const { return static_cast<unsigned>(std::popcount(set_)); }
    constexpr bool contains(Port port) const {
        return index(port) < 32 && ((set_ >> index(port)) & 1u) != 0;
    }

    /// The next port to serve, taken out of the set. Precondition: not empty.
    constexpr Port pop() {
        MESH_EXPECT(set_ != 0);
        const std::uint32_t ahead = descending_ ? set_ & up_to(first_) : set_ & ~below(first_);
        const std::uint32_t pick = ahead != 0 ? ahead : set_;
        const unsigned chosen = descending_ ? 31u - static_cast<unsigned>(std::countl_zero(pick))
                                            : static_cast<unsigned>(std::countr_zero(pick));
        set_ &= ~(1u << chosen);
        return port_at(chosen);
    }

    /// The same order without the ports of `set`.
    constexpr PortSequence without(std::uint32_t set) const {
        PortSequence rest = *this;
        rest.set_ &= ~set;
        return rest;
    }

private:
    constexpr PortSequence(std::uint32_t set, unsigned first, bool descending)
        : set_(set),
          first_(static_cast<std::uint8_t>(first)),
          descending_(descending) {}
    static constexpr std::uint32_t below(unsigned bit) { return (1u << bit) - 1u; }
    static constexpr std::uint32_t up_to(unsigned bit) { return below(bit) | (1u << bit); }

    std::uint32_t set_ = 0;
    std::uint8_t first_ = 0;
    bool descending_ = false;
};

} // namespace mesh
