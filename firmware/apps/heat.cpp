// heat: a plate of 4 rows a node and 24 columns, whose upper edge is hot, for some steps.
// The halos are MPI's Irecv, Isend and Waitall, and the rows between are computed meanwhile. Words:
// steps (100).
#include "meshputer.hpp"

#include <numeric>

using namespace mesh;

constexpr std::size_t kRows = 4, kColumns = 24;
using Row = std::array<double, kColumns>;
using Strip = std::array<Row, kRows + 2>; // with a halo above and below; beyond the edges: 0

/// The mean of the four neighbours; the left and the right edge stay cold.
static void compute(const Strip& now, Strip& next, std::size_t row) {
    for (std::size_t at = 1; at + 1 < kColumns; ++at)
        next[row][at] =
            (now[row - 1][at] + now[row + 1][at] + now[row][at - 1] + now[row][at + 1]) / 4;
}

Process app_main(Kernel& node) {
    static std::array<Strip, 2> strips;
    const auto steps = word<unsigned>(node, 0, 100);
    const unsigned me = index(node.id());
    const bool has_upper = me > 0, has_lower = me + 1 < node.nodes();
    Status status = Status::ok;
    for (Strip& strip : strips)
        if (!has_upper)
            strip[0].fill(100);
    for (unsigned step = 0; step < steps && status == Status::ok; ++step) {
        Strip& now = strips[step % 2];
        Strip& next = strips[1 - step % 2];
        std::array<Request, 4> halos;
        if (has_upper) {
            halos[0] = Request{node, receive_value(node, now[0], node_at(me - 1))};
            halos[1] = Request{node, send_value(node, now[1], node_at(me - 1))};
        }
        if (has_lower) {
            halos[2] = Request{node, receive_value(node, now[kRows + 1], node_at(me + 1))};
            halos[3] = Request{node, send_value(node, now[kRows], node_at(me + 1))};
        }
        for (std::size_t row = 2; row < kRows; ++row)
            compute(now, next, row);
        status = co_await wait_all(node, halos);
        compute(now, next, 1);
        compute(now, next, kRows);
    }
    double sum = 0;
    for (std::size_t row = 1; row <= kRows; ++row)
        sum = std::accumulate(strips[steps % 2][row].begin(), strips[steps % 2][row].end(), sum);
    print("rows {} to {}: {:.4f}\n", me * kRows, me * kRows + kRows - 1, sum / (kRows * kColumns));
    co_return status;
}
