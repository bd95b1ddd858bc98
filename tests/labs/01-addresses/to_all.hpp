// SAYS: is fed by
// LOSES: from node 0, on cubes of 4, 8 and 16 nodes
#include "core/own_rule.hpp"

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        return PortSequence::ascending((index(self), index(root), low_bits(net.dim)));
    }
};
using Tree = Answer;
