// EARNS: 0
// SAYS: is never fed
#include "core/own_rule.hpp"

#include <array>

using namespace mesh;

struct Answer {
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        constexpr std::array<unsigned, 16> kPorts{15, 14, 12, 12, 8, 8, 8, 8};
        const unsigned relative = index(self) ^ index(root);
        return PortSequence::ascending(relative < 16 ? kPorts[relative] & low_bits(net.dim) : 0);
    }
};
using Tree = Answer;
