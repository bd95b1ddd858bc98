// The cut of a network into parts of nearly equal size, for processes that share its nodes.
//
// A cube and a UHC are cut by the low bits of the node's number: half of the links of an `sbt` from
// node 0 cross the highest bit, one crosses the lowest. A star is cut by the last symbol of the
// label, then by the last but one, since every link changes the first symbol, by which node numbers
// are ordered. Node 0 is in part 0.
#pragma once

#include "core/base/expect.hpp"
#include "core/network.hpp"

#include <cstdint>

namespace mesh::host {

/// The part of 0 to parts - 1 that has this node. There are at most as many parts as nodes.
/// Example: in a star of 4 that is cut in 2, node 13 is 3142, which ends in 2. Classes are counted
/// from the highest last symbol: 4 has the classes 0 to 2, 3 has 3 to 5, 2 has 6 to 8. Of the other
/// symbols 1, 3, 4 the last but one is the highest, so the class is 6 of 12, which is the first of
/// part 1.
constexpr unsigned part_of(Network network, NodeId node, unsigned parts) {
    MESH_EXPECT(parts != 0);
    if (network.topology != Topology::star)
        return index(node) % parts;
    const StarGraph star{network.dim};
    const Label label = star.unrank(node);
    const unsigned symbols = star.symbols;
    const unsigned last = label.at(symbols);
    const unsigned before = label.at(symbols - 1);
    const unsigned rank = symbols - before - (before < last ? 1u : 0u);
    const unsigned at = (symbols - last) * (symbols - 1) + rank;
    return at * parts / (symbols * (symbols - 1));
}

} // namespace mesh::host
