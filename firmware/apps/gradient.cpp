// gradient: solves a system of linear equations by conjugate gradients; each node has some rows.
// Its matrix has 2 on the diagonal, -1 beside it, its solution is ones. Words: rows a node (16).
#include "meshputer.hpp"

#include <numeric>

using namespace mesh;

constexpr unsigned kRowsMost = 256;
using Vector = std::array<double, kRowsMost + 2>; // with an element of each neighbour

static Task<Status> dot(Kernel& node, Vector& a, Vector& b, unsigned rows, double& sum) {
    sum = std::inner_product(&a[1], &a[1 + rows], &b[1], 0.0);
    return allreduce_value(node, sum);
}

/// Fetches what lies beside this node's elements; beyond the ends there is 0.
static Task<Status> fetch_ends(Kernel& node, Vector& v, unsigned rows) {
    const unsigned me = index(node.id());
    Status status = Status::ok;
    for (const bool up : {me % 2 == 0, me % 2 != 0}) { // so neighbours meet each other
        if (status != Status::ok || (up ? me + 1 == node.nodes() : me == 0))
            continue;
        const NodeId peer = node_at(up ? me + 1 : me - 1);
        const unsigned own = up ? rows : 1, other = up ? rows + 1 : 0;
        status = (co_await sendrecv_value(node, v[own], peer, v[other], peer)).status;
    }
    co_return status;
}

Process app_main(Kernel& node) {
    static Vector x, r, p, q;
    const auto rows = word<unsigned>(node, 0, 16);
    if (rows == 0 || rows > kRowsMost)
        co_return refuse(node, "gradient: 1 to 256 rows a node");
    r[1] += index(node.id()) == 0 ? 1 : 0;
    r[rows] += index(node.id()) + 1 == node.nodes() ? 1 : 0;
    p = r;
    double rho = 0, energy = 0;
    Status status = co_await dot(node, r, r, rows, rho);
    unsigned round = 0;
    for (; rho > 1e-20 && round < rows * node.nodes() && status == Status::ok; ++round) {
        status = co_await fetch_ends(node, p, rows);
        for (unsigned at = 1; at <= rows; ++at)
            q[at] = 2 * p[at] - p[at - 1] - p[at + 1];
        if (status == Status::ok)
            status = co_await dot(node, p, q, rows, energy);
        const double alpha = rho / energy, old = rho;
        for (unsigned at = 1; at <= rows; ++at) {
            x[at] += alpha * p[at];
            r[at] -= alpha * q[at];
        }
        if (status == Status::ok)
            status = co_await dot(node, r, r, rows, rho);
        for (unsigned at = 1; at <= rows; ++at)
            p[at] = r[at] + rho / old * p[at];
    }
    print("{} rounds, x is {:.6f}\n", round, x[1]);
    for (unsigned at = 1; at <= rows && status == Status::ok; ++at)
        status = x[at] > 1 - 1e-6 && x[at] < 1 + 1e-6 ? Status::ok : Status::failed;
    co_return status;
}
