// life: Conway's game on a torus, of which each node has some rows. --input has cells as run-length
// code (RLE), --output gets a picture (PGM). Words: generations (100), side of the torus (64).
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr unsigned kTorusMost = 256, kHead = 13;
static char now[kTorusMost + 2][kTorusMost],
    then[kTorusMost + 2][kTorusMost]; // with neighbours' rows
static std::array<char, 8192> code;

static void place(std::string_view cells, unsigned first, unsigned end) {
    unsigned row = 0, column = 0, run = 0;
    for (std::size_t at = 0; at < cells.size() && cells[at] != '!'; ++at) {
        const char c = cells[at];
        if (c == '#' || c == 'x') // a line of words
            at = std::min(cells.find('\n', at), cells.size());
        else if (c >= '0' && c <= '9')
            run = run * 10 + unsigned(c - '0');
        else if (c == '$')
            row += std::max(std::exchange(run, 0u), 1u), column = 0;
        else if (c == 'b' || c == 'o')
            for (run = std::max(run, 1u); run > 0; --run, ++column)
                if (c == 'o' && row >= first && row < end && column < kTorusMost)
                    now[row - first + 1][column] = 1;
    }
}

static void step(unsigned rows, unsigned side) {
    for (unsigned row = 1; row <= rows; ++row)
        for (unsigned column = 0; column < side; ++column) {
            int around = -now[row][column];
            for (unsigned place = 0; place < 9; ++place)
                around += now[row + place / 3 - 1][(column + side + place % 3 - 1) % side];
            then[row][column] = around == 3 || (around == 2 && now[row][column] == 1) ? 1 : 0;
        }
    std::swap(now, then);
}

Process app_main(Kernel& node) {
    const auto generations = word<unsigned>(node, 0, 100), side = word<unsigned>(node, 1, 64);
    const unsigned me = index(node.id()), nodes = node.nodes(), bytes = input_bytes(node);
    if (bytes == 0 || bytes > code.size() || side < nodes || side > kTorusMost)
        co_return refuse(node, "life wants --input FILE.rle, and a side of nodes to 256 cells");
    const unsigned first = side * me / nodes, end = side * (me + 1) / nodes, rows = end - first;
    Status all = co_await read_input(node, 0, std::as_writable_bytes(std::span{code}.first(bytes)));
    place({code.data(), bytes}, first, end);
    const NodeId above = node_at((me + nodes - 1) % nodes), below = node_at((me + 1) % nodes);
    for (unsigned done = 0; done < generations && all == Status::ok; ++done, step(rows, side)) {
        const Received up = co_await sendrecv_value(node, now[1], above, now[rows + 1], below, 1);
        const Received down = co_await sendrecv_value(node, now[rows], below, now[0], above, 2);
        all = first_failure(up.status, down.status);
    }
    char head[32];
    snprintf(head, sizeof head, "P5 %3u %3u 1\n", side, side);
    write_text(node, 0, head); // each node the same
    for (unsigned row = 0; row < rows; ++row)
        write_text(node, kHead + (first + row) * side, {now[row + 1], side});
    co_return all;
}
