// SAYS: the tree of root
// LOSES: from other nodes
#include "core/own_rule.hpp"

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        return PortSequence::ascending(bits_above(index(self)) & low_bits(net.dim));
    }
};
using Tree = Answer;
