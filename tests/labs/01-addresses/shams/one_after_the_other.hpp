// EARNS: 0
// SAYS: steps, and at most
#include "core/own_rule.hpp"

#include <array>

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        const unsigned at = gray_position(index(self) ^ index(root));
        const bool last = at + 1 == node_count(net);
        return PortSequence::ascending(last ? 0 : gray(at) ^ gray(at + 1));
    }
};
using Tree = Answer;
