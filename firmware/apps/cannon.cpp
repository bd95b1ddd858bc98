// cannon: multiplies two matrices on a square of nodes, whose rows and columns pass blocks round.
// Words: the side of a node's block (6, at most 16). Nodes that are not in the square stand by.
#include "meshputer.hpp"

using namespace mesh;

constexpr unsigned kSideMost = 16;
using Block = std::array<int, kSideMost * kSideMost>;

static int left_at(unsigned row, unsigned column) { return int((row * 3 + column) % 7) - 3; }
static int right_at(unsigned row, unsigned column) { return int((row + column * 5) % 11) - 5; }

/// The block goes `by` places towards the first member, round the end.
static Process shift(Kernel& node, Group group, unsigned by, Block& block) {
    const NodeId to = group[(group.rank() + group.size() - by) % group.size()];
    const NodeId from = group[(group.rank() + by) % group.size()];
    const Block mine = block;
    const Received got = co_await sendrecv_value(node, mine, to, block, from, group.tag());
    co_return got.status;
}

Process app_main(Kernel& node) {
    const auto side = word<unsigned>(node, 0, 6);
    unsigned q = 1;
    while ((q + 1) * (q + 1) <= node.nodes())
        ++q;
    const unsigned me = index(node.id()), i = me / q, j = me % q, cells = side * side;
    if (side == 0 || side > kSideMost)
        co_return refuse(node, "cannon: a block has a side of 1 to 16");
    if (me >= q * q)
        co_return Status::ok;
    std::array<NodeId, 32> in_row{}, in_column{};
    for (unsigned k = 0; k < q; ++k) {
        in_row[k] = node_at(i * q + k);
        in_column[k] = node_at(k * q + j);
    }
    const Group row{node, std::span{in_row}.first(q), 1};
    const Group column{node, std::span{in_column}.first(q), 2};
    Block a{}, b{}, c{};
    for (unsigned at = 0; at < cells; ++at) {
        a[at] = left_at(i * side + at / side, j * side + at % side);
        b[at] = right_at(i * side + at / side, j * side + at % side);
    }
    Status status = co_await par(node, shift(node, row, i, a), shift(node, column, j, b));
    for (unsigned step = 0; step < q && status == Status::ok; ++step) {
        for (unsigned at = 0; at < cells; ++at)
            for (unsigned k = 0; k < side; ++k)
                c[at] += a[at / side * side + k] * b[k * side + at % side];
        status = co_await par(node, shift(node, row, 1 % q, a), shift(node, column, 1 % q, b));
    }
    unsigned wrong = 0; // beside the product by its definition
    for (unsigned at = 0; at < cells; ++at) {
        for (unsigned k = 0; k < q * side; ++k)
            c[at] -= left_at(i * side + at / side, k) * right_at(k, j * side + at % side);
        wrong += c[at] != 0 ? 1 : 0;
    }
    print("block {},{}: {} wrong\n", i, j, wrong);
    co_return status == Status::ok&& wrong != 0 ? Status::failed : status;
}
