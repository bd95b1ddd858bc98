// EARNS: 0
// SAYS: is never fed
#include "core/own_rule.hpp"

#include <array>

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId) {
        const unsigned me = index(self);
        const unsigned least = me == 0 ? 0 : me == 1 ? 1 : me < 4 ? 2 : me < 8 ? 3 : 4;
        return PortSequence::ascending(low_bits(net.dim < 4 ? net.dim : 4) & ~low_bits(least));
    }
};
using Tree = Answer;
