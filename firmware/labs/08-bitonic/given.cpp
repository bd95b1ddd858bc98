// Lab 8: a number at each node, to be sorted by the nodes' numbers. Given: it stays as it is.
// Words: which order the numbers come in, 0: from high to low; the node's number instead.
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr Tag kTag = 1;
constexpr unsigned kNodesMax = 64;

#include "answer.hpp"

/// The number of a node, some of them twice: cards of a pack that was shuffled `order` times.
static unsigned card(unsigned nodes, unsigned order, unsigned node) {
    std::array<unsigned, kNodesMax> pack{};
    for (unsigned at = 0; at < nodes; ++at)
        pack[at] = (nodes - 1 - at) / 2;
    std::uint32_t dice = order;
    for (unsigned at = nodes; order > 0 && at > 1; --at) {
        dice = dice * 1664525 + 1013904223;
        std::swap(pack[at - 1], pack[(dice >> 16) % at]);
    }
    return pack[node];
}

Process app_main(Kernel& node) {
    if (node.nodes() > kNodesMax)
        co_return refuse(node, "at most 64 nodes");
    const unsigned drawn = card(node.nodes(), word<unsigned>(node, 0, 1), index(node.id()));
    auto key = word<unsigned>(node, 1, drawn);
    const Status status = co_await sort(node, key);
    print("{}\n", key);
    co_return status;
}
