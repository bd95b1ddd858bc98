// EARNS: 0
// SAYS: is never fed
#include "core/own_rule.hpp"

#include <array>

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        return PortSequence::ascending(self == root ? low_bits(net.dim) : 0);
    }
};
using Tree = Answer;
