// EARNS: 0
// SAYS: node
#include "core/own_rule.hpp"

#include <array>

using namespace mesh;

struct Answer {
    static PortSequence children(Network net, NodeId self, NodeId root) {
        static std::array<bool, 128> fed{}; // a rule has no state
        unsigned ports = 0;
        fed[index(root) % 128] = true;
        for (unsigned port = 0; port < net.dim; ++port)
            if (bool& it = fed[(index(self) ^ 1u << port) % 128]; !it) {
                it = true;
                ports |= 1u << port;
            }
        return PortSequence::ascending(ports);
    }
};
using Tree = Answer;
