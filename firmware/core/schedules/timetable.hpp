// When the source of a stream may start each packet, so that nothing downstream collides.
//
// Relays have no schedule: they forward a packet as soon as the port (all), their one sender
// (duplex) or their one transceiver (half) is free, first come first served. Only the source holds
// back, where a relay could not take the next packet because it still sends the last one.
// Source: ho-johnsson-1986, section 3.3, corrected.
#pragma once

#include "core/network.hpp"

#include <cstdint>

namespace mesh {

/// Packet times between the starts of two packets of a broadcast: packet p starts at p times this,
/// or later if the source is not free. 0: the source never needs to wait. (msbt: see
/// msbt_start().)
/// Example (interval of a broadcast): hp on the 3-cube under half. Packet 0 crosses 000-001 at time
/// 0 and 001-011 at time 1. Only at time 2 can node 001 receive again, so packet 1 starts then. In
/// tcbt a relay sends twice, and packet 1 starts at time 3.
constexpr unsigned broadcast_interval(Network network, Rule rule, PortModel ports) {
    if (ports != PortModel::half || node_count(network) <= 2)
        return 0;
    // A relay on the path needs one packet time to receive and one to send.
    if (rule == Rule::hp)
        return 2;
    // A relay of the binary tree receives once and sends twice; with four nodes it has one child.
    if (rule == Rule::tcbt)
        return node_count(network) > 4 ? 3 : 2;
    return 0;
}

/// The same for the packets of one message between two nodes `hops` links apart.
/// Example (interval of a message): three links, under half. Four packets start at times 0, 2, 4,
/// 6, and the last one has crossed three links at time 9.
constexpr unsigned unicast_interval(PortModel ports, unsigned hops) {
    return ports == PortModel::half && hops > 1 ? 2 : 0;
}

/// msbt sends packet p down tree p mod dim.
constexpr unsigned msbt_subtree(Hypercube cube, std::uint32_t packet) { return packet % cube.dim; }

/// msbt with one port: the packet time, counted from the start of the broadcast, in which the node
/// at `relative` sends `packet` of `packets` to its child across `port`. All nodes share the clock:
/// step t uses dimension t mod dim everywhere, every pair exchanging; under half a step is two
/// packet times, up (to the node with the bit set) and then down, of which the first `dim` steps
/// have no down and the last no up. No two sends meet. (ho-johnsson-1986, 3.3.2, labels f)
/// Example (msbt in time, n = 4): packet 5 of 8 takes tree 5 mod 4 = 1. The root sends it across 1
/// in step 5. Node 0010 sends it across 2 in step 6 and, as dimension 0 comes in the next round
/// only, across 0 in step 8. Node 0011 sends it to its leaf across 1 in step 9. Under half step 5
/// begins at time 4 + 2 * (5 - 4) = 6 and step 9 at time 14. Bit 1 of 0011 is set, so it sends
/// down, one later: at 15.
constexpr std::uint32_t msbt_start(Hypercube cube, PortModel ports, Relative relative, Port port,
                                   std::uint32_t packet, std::uint32_t packets) {
    const std::uint32_t n = cube.dim;
    const bool root = index(relative) == 0;
    const unsigned subtree = msbt_subtree(cube, packet);
    const bool next_round = index(port) < subtree || (index(port) == subtree && !root);
    const std::uint32_t step = index(port) + (next_round ? n : 0) + packet - subtree;
    if (ports != PortModel::half || step < n || n == 1)
        return step;
    const bool down = ((index(relative) >> index(port)) & 1u) != 0;
    return n + 2 * (step - n) + (down && step != packets + n - 1 ? 1u : 0u);
}

/// The same as a lag: packet times from the start of the packet's way over the last link (from the
/// start of the broadcast at the root) to its start across `port`, under half.
/// Example (lag of msbt, n = 4): as above, 0011 gets the packet across 0 in step 8, which begins at
/// time 4 + 2 * (8 - 4) = 12, and sends it on at 15: the lag is 3.
constexpr std::uint32_t msbt_lag(Hypercube cube, Relative relative, Port port, unsigned subtree,
                                 std::uint32_t packet, std::uint32_t packets) {
    const std::uint32_t start = msbt_start(cube, PortModel::half, relative, port, packet, packets);
    if (index(relative) == 0)
        return start;
    const Port up = msbt_parent(cube, relative, subtree);
    const Relative parent{index(relative) ^ (1u << index(up))};
    return start - msbt_start(cube, PortModel::half, parent, up, packet, packets);
}

/// True for rules whose trees share no directed link, so that copies of a packet over several of
/// them outlive faults.
constexpr bool has_disjoint_trees(Rule rule) {
    return rule == Rule::msbt || rule == Rule::adst || rule == Rule::ist || rule == Rule::edt ||
           rule == Rule::edt_v2;
}

/// The subtree that packet number `packet` of `packets` of a broadcast takes, counted from the
/// rule's first: they take turns. `subtrees`: subtree_count() of the rule.
/// Example (trees in turn, n = 3): msbt-rot with five packets and all ports. Packets 0, 1, 2 are
/// the first round and take subtrees 0, 1, 2. Packets 3, 4 are the last one and take the binomial
/// trees 3 + 0 and 3 + 1. msbt goes on with 0 and 1.
constexpr unsigned broadcast_subtree(Rule rule, unsigned subtrees, PortModel ports,
                                     std::uint32_t packet, std::uint32_t packets) {
    if (rule != Rule::msbt_rot)
        return packet % subtrees;
    const unsigned dim = subtrees / 2;
    const bool last_round = packet / dim == (packets - 1) / dim;
    return packet % dim + (ports == PortModel::all && last_round ? dim : 0u);
}

/// For subtree dim+j of msbt_rot: packet times from the start of the packet's way over the last
/// link to its start across `port`; at the root from the start of the broadcast.
/// Example (lag of msbt-rot, n = 3): packet 4 as above, in the tree that begins with dimension 1.
/// Its round begins at time 4 / 3 = 1, so the root sends it across 1, 2, 0 at times 1, 2, 3. Node
/// 010 got it in step 0 of the round and sends it across 2 in step 1 and across 0 in step 2: lags 1
/// and 2.
constexpr std::uint32_t rotated_lag(Hypercube cube, Relative relative, Port port, unsigned first,
                                    std::uint32_t packet) {
    const unsigned turned = index(port) + cube.dim - first;
    const unsigned step = turned < cube.dim ? turned : turned - cube.dim;
    if (index(relative) == 0)
        return packet / cube.dim + step;
    const std::uint32_t address = rotate_right(index(relative), first, cube.dim);
    return step - highest_bit(address);
}

} // namespace mesh
