// A rule in a file: the binomial tree in the mirror, over trailing zeroes.
#include "core/own_rule.hpp"

using namespace mesh;

struct Mirrored {
    // Node 0100 of root 0000 sends over the two zeroes behind its last one: to 0110 and 0101.
    static constexpr PortSequence children(Network net, NodeId self, NodeId root) {
        const unsigned relative = index(self) ^ index(root);
        const unsigned zeroes = relative == 0 ? ~0u : lowest_one(relative) - 1;
        return PortSequence::descending(zeroes & low_bits(net.dim));
    }
};
using Tree = Mirrored;
