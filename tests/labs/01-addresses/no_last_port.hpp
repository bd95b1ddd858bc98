// SAYS: is never fed
// LOSES: from node 0, on cubes of 4, 8 and 16 nodes
#include "core/own_rule.hpp"

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        const unsigned relative = index(self) ^ index(root);
        return PortSequence::ascending(bits_above(relative) & low_bits(net.dim - 1));
    }
};
using Tree = Answer;
