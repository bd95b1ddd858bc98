// Lab 6: a grid of processes on a cube. Given: it stays as it is. Words: rows and columns.
//
// Each cell of the grid sends its number to the cell on its right, then to the one below; at the
// edge it goes on at the other side. Who sits at which node, the answer says.
#include "meshputer.hpp"

using namespace mesh;

struct Cell {
    unsigned row = 0;
    unsigned column = 0;
};
struct Shape {
    unsigned rows = 0;
    unsigned columns = 0; // both are powers of two; rows * columns is the number of nodes
};

#include "answer.hpp"

Process app_main(Kernel& node) {
    const Shape grid{word<unsigned>(node, 0, 2), word<unsigned>(node, 1, 4)};
    const Cell at = cell_of(grid, node.id());
    if (node_of(grid, at) != node.id()) {
        print("node {} is at {} {}, where node {} is\n", node.id(), at.row, at.column,
              node_of(grid, at));
        co_return Status::failed;
    }
    const unsigned mine = 100 * at.row + at.column;
    unsigned left = 0;
    unsigned above = 0;
    const auto to = [&](unsigned down, unsigned right) {
        return node_of(grid, {(at.row + down) % grid.rows, (at.column + right) % grid.columns});
    };
    const Received one =
        co_await sendrecv_value(node, mine, to(0, 1), left, to(0, grid.columns - 1), 1);
    if (one.status != Status::ok)
        co_return one.status;
    const Received two =
        co_await sendrecv_value(node, mine, to(1, 0), above, to(grid.rows - 1, 0), 2);
    if (two.status != Status::ok)
        co_return two.status;
    const bool right = left == 100 * at.row + (at.column + grid.columns - 1) % grid.columns &&
                       above == 100 * ((at.row + grid.rows - 1) % grid.rows) + at.column;
    if (!right)
        print("cell {} {} has {} on its left and {} above\n", at.row, at.column, left, above);
    unsigned cells = 1; // taken, each by one node
    const Status status = co_await allreduce_value(node, cells);
    co_return right ? status : Status::failed;
}
