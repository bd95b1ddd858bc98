// Random sequences of collectives under one tag: all kinds, changing trees, roots, sizes and
// copies, nodes that come late. Every byte that a node ends with is compared with the right one.
#pragma once

#include "kernel/node/kernel.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace mesh::test::call_sequence {

/// Of all nodes; set before a rig runs play_sequence().
struct Sequence {
    unsigned seed = 0;
    unsigned length = 25;
    bool very_late = false;           // some nodes sleep until others look for them
    std::vector<std::string> wrong{}; // what did not come out right
};
extern Sequence sequence;

/// The program of a node.
Process play_sequence(Kernel& node);

} // namespace mesh::test::call_sequence
