// SAYS: is fed by
// LOSES: from node 0, on cubes of 4, 8 and 16 nodes
#include "core/own_rule.hpp"

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        const unsigned relative = index(self) ^ index(root);
        const unsigned above = relative == 0 ? ~0u : ~0u << highest_bit(relative);
        return PortSequence::ascending(above & low_bits(net.dim));
    }
};
using Tree = Answer;
