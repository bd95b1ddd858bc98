// SAYS: steps, and at most
// LOSES: as fast as a binomial tree: P+n-1 steps
#include "core/own_rule.hpp"

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        // A Gray code: each node has one child.
        const unsigned at = gray_position(index(self) ^ index(root));
        const unsigned next = at + 1 == node_count(net) ? gray(at) : gray(at + 1);
        return PortSequence::ascending(gray(at) ^ next);
    }
};
using Tree = Answer;
