// ASCEND and DESCEND: what each node does in each step, on the cube and on the UHC.
//
// Such an algorithm replaces, for one dimension after the other, the values of all pairs of nodes
// across it by those of an operation on the two. On the cube a pair exchanges its values. On the
// UHC it cannot: two dimensions f, s of different parity are done in one round, in which the four
// nodes that differ in them only pass values round their directed cycle. With one send or receive
// at a time (half) two of them do the operations for all, in four steps; with both at once every
// node sees all four values, in three. A value may have any size: nothing here looks into it.
//
// A round is a table of steps; that of a node says which of its places for values is sent and
// filled, and which operations follow. (huang-yang-tseng-2001, section 7, corrected)
#pragma once

#include "core/base/types.hpp"
#include "core/network.hpp"

#include <array>
#include <cstdint>

namespace mesh {

/// Where a node keeps values during a round; at its start its own is in `a`.
enum class Place : std::uint8_t { a, b, c, d, none };

/// The dimensions of a pass: 0 .. dims-1, or the other way round.
struct AscendPass {
    unsigned dims = 0;
    bool down = false;
};

/// One dimension (cube), or the two of a 4-cycle (UHC).
struct AscendRound {
    Port first{0};
    Port second = kNoPort;       // UHC
    bool operates_second = true; // false: the second serves transport only
};

/// The new value of one of four nodes: this one, or its neighbour across the round's first or
/// second dimension.
struct AscendOperation {
    enum class Of : std::uint8_t { self, across_first, across_second };
    Place result = Place::none; // none: no operation
    Of of = Of::self;
    bool second = false;          // across the round's second dimension
    Place mine = Place::none;     // value of the node
    Place partners = Place::none; // and of the one across the dimension
};

/// A message sent, a message received, or both at once; then operations.
struct AscendStep {
    Place send = Place::none;
    Place receive = Place::none;
    std::array<AscendOperation, 2> then{};
};

/// All that a node does in a round.
struct AscendProgram {
    std::uint8_t steps = 0;
    Place result = Place::a; // the node's new value, at the end
    bool out_first = true;   // it sends across the first dimension; UHC: and receives by the other
    std::array<AscendStep, 4> step{};
};

namespace detail::ascend {

using enum Place;
using Of = AscendOperation::Of;

constexpr AscendOperation kOwn{c, Of::self, false, a, b}; // c = OPER_first(a, b)

inline constexpr AscendProgram kExchange{1, c, true, {{{a, b, {kOwn}}}}};
inline constexpr AscendProgram kSendFirst{2, c, true, {{{a, none, {}}, {none, b, {kOwn}}}}};
inline constexpr AscendProgram kReceiveFirst{2, c, true, {{{none, b, {kOwn}}, {a, none, {}}}}};

/// Half duplex: the node that sends across the first dimension leaves the work to its neighbour and
/// carries the values of the two others.
inline constexpr AscendProgram kCarry{
    4, a, true, {{{a, none, {}}, {none, a, {}}, {a, none, {}}, {none, a, {}}}}};
inline constexpr AscendProgram kWork{
    4,
    b,
    false,
    {{{none, b, {{kOwn, {d, Of::across_first, false, b, a}}}},
      {d, none, {}},
      {none, a, {{{b, Of::self, true, c, a}, {d, Of::across_second, true, a, c}}}},
      {d, none, {}}}}};
inline constexpr AscendProgram kWorkFirst{4,
                                          c,
                                          false,
                                          {{{none, b, {{kOwn, {d, Of::across_first, false, b, a}}}},
                                            {d, none, {}},
                                            {none, a, {}},
                                            {a, none, {}}}}};

/// Both at once: values go round the cycle; a node gets those of the second dimension's neighbour,
/// of the node across both and of the first one's, or in the opposite order.
inline constexpr AscendProgram kCycleOut{3,
                                         a,
                                         true,
                                         {{{a, b, {}},
                                           {b, c, {{{d, Of::across_second, false, b, c}}}},
                                           {c, b, {{kOwn, {a, Of::self, true, c, d}}}}}}};
inline constexpr AscendProgram kCycleIn{
    3,
    a,
    false,
    {{{a, b, {kOwn}},
      {b, a, {}},
      {a, b, {{{d, Of::across_second, false, b, a}, {a, Of::self, true, c, d}}}}}}};
inline constexpr AscendProgram kCycleOutFirst{
    3, d, true, {{{a, b, {}}, {b, c, {}}, {c, b, {{{d, Of::self, false, a, b}}}}}}};
inline constexpr AscendProgram kCycleInFirst{
    3, c, false, {{{a, b, {kOwn}}, {b, a, {}}, {a, b, {}}}}};

constexpr const AscendProgram& uhc_program(bool sends_first, bool half, bool operates_second) {
    if (half && sends_first)
        return kCarry;
    if (half)
        return operates_second ? kWork : kWorkFirst;
    if (sends_first)
        return operates_second ? kCycleOut : kCycleOutFirst;
    return operates_second ? kCycleIn : kCycleInFirst;
}

} // namespace detail::ascend

/// True if the network has dimensions to ascend: cube and UHC.
constexpr bool can_ascend(Network network) { return network.topology != Topology::star; }

/// Places that a node needs.
constexpr unsigned ascend_places(Network network) {
    return network.topology == Topology::cube ? 3 : 4;
}

/// Rounds of a pass.
constexpr unsigned ascend_rounds(Network network, AscendPass pass) {
    return network.topology == Topology::cube ? pass.dims : (pass.dims + 1) / 2;
}

/// Round `number` of a pass. On the UHC an odd dimension is left at the end: the one next to it
/// serves as the second.
constexpr AscendRound ascend_round(Network network, AscendPass pass, unsigned number) {
    const auto at = [pass](unsigned place) {
        return port_at(pass.down ? pass.dims - 1 - place : place);
    };
    if (network.topology == Topology::cube)
        return {at(number)};
    if (2 * number + 1 < pass.dims)
        return {at(2 * number), at(2 * number + 1)};
    const Port last = at(2 * number);
    return {last, port_at(index(last) == 0 ? 1 : index(last) - 1), false};
}

/// The steps of `node` in a round. half: it sends or receives; else it does both at once.
/// Example (ascend, cube, n = 3): in round 1, dimension 1, nodes 001 and 011 send each other their
/// values, each from its place a into the other's b, and put the operation's value into c. Under
/// half 001, whose bit 1 is 0, sends first and 011 receives first.
/// Example (ascend, uhc, n = 4): round 0 does dimensions 0 and 1, under half. The links of four
/// nodes lead round: 0000 to 0001 (dimension 0), to 0011 (1), to 0010 (0), to 0000 (1). Step 1:
/// 0000 sends its value to 0001, which computes the new values of dimension 0 for both. Step 2:
/// 0001 sends that of 0000 across 1 to 0011. Likewise 0010 sends that of 0011 to 0000. Step 3: 0000
/// sends it to 0001, which now has all that dimension 1 needs for itself and for 0011. Step 4: 0001
/// sends that of 0011 there, across 1.
constexpr const AscendProgram& ascend_program(Network network, PortModel ports, AscendRound round,
                                              NodeId node) {
    const bool half = ports == PortModel::half;
    if (network.topology == Topology::uhc)
        return detail::ascend::uhc_program(UniHypercube{network.dim}.sends_on(node, round.first),
                                           half, round.operates_second);
    if (!half)
        return detail::ascend::kExchange;
    return ((index(node) >> index(round.first)) & 1u) == 0 ? detail::ascend::kSendFirst
                                                           : detail::ascend::kReceiveFirst;
}

/// The ports of a node's messages in a round.
struct AscendPorts {
    Port out, in;
};
constexpr AscendPorts ascend_ports(Network network, AscendRound round,
                                   const AscendProgram& program) {
    if (network.topology == Topology::cube)
        return {round.first, round.first};
    return program.out_first ? AscendPorts{round.first, round.second}
                             : AscendPorts{round.second, round.first};
}

/// Whose value an operation gives, across which dimension.
struct AscendPair {
    NodeId node;
    Port dim;

    /// The node whose bit is set is the upper one of the two.
    constexpr bool is_upper() const { return ((index(node) >> index(dim)) & 1u) != 0; }
};
constexpr AscendPair ascend_pair(AscendRound round, const AscendOperation& operation, NodeId self) {
    std::uint32_t node = index(self);
    if (operation.of != AscendOperation::Of::self)
        node ^= 1u << index(operation.of == AscendOperation::Of::across_first ? round.first
                                                                              : round.second);
    return {node_at(node), operation.second ? round.second : round.first};
}

/// Steps of a pass in which every value is one packet.
constexpr unsigned ascend_steps(Network network, PortModel ports, AscendPass pass) {
    unsigned steps = 0;
    for (unsigned number = 0; number < ascend_rounds(network, pass); ++number)
        steps +=
            ascend_program(network, ports, ascend_round(network, pass, number), NodeId{0}).steps;
    return steps;
}

/// Bitonic sorting is a descending pass of stage+1 dimensions for each stage 0 .. dim-1: whether a
/// node keeps the smaller of the two values across `dim`. The blocks of 2^(stage+1) nodes are in
/// order afterwards, every other one backwards, the last stage's block not.
/// Example (bitonic sorting, n = 3): stage 1, dimension 1. Node 010: bits 1 and 2 are 1 and 0, not
/// alike: it keeps the larger value. Node 110: 1 and 1, alike: it keeps the smaller one, so the
/// block 100..111 runs backwards.
constexpr bool bitonic_keeps_smaller(NodeId node, unsigned stage, Port dim) {
    return (((index(node) >> index(dim)) ^ (index(node) >> (stage + 1))) & 1u) == 0;
}

} // namespace mesh
