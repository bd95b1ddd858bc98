// sieve: a pipeline of nodes, each of which keeps one prime and lets pass what it does not divide.
// Node 0 makes the numbers from 2; the pipeline ends when every node has its prime.
#include "meshputer.hpp"

namespace {
/// Behind the last number that a node passes on.
constexpr unsigned kEnd = 0;
} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const unsigned me = mesh::index(node.id());
    const mesh::NodeId next = mesh::node_at((me + 1) % node.nodes());
    const bool last = me + 1 == node.nodes();
    if (me == 0) { // enough for a prime each: the n-th prime is below n * n + 2
        const unsigned end = node.nodes() * node.nodes() + 2;
        for (unsigned number = 2; number <= end; ++number) {
            const unsigned word = number < end ? number : kEnd;
            const mesh::Status sent = co_await mesh::send_value(node, word, next);
            if (sent != mesh::Status::ok)
                co_return sent;
        }
        co_return mesh::Status::ok;
    }
    unsigned prime = 0;
    for (unsigned number = 1; number != kEnd;) {
        const mesh::Received got =
            co_await mesh::receive_value(node, number, mesh::node_at(me - 1));
        if (got.status != mesh::Status::ok)
            co_return got.status;
        if (prime == 0) {
            prime = number;
            mesh::print("prime {}\n", prime);
        } else if (!last && (number == kEnd || number % prime != 0)) {
            const mesh::Status sent = co_await mesh::send_value(node, number, next);
            if (sent != mesh::Status::ok)
                co_return sent;
        }
    }
    co_return prime != 0 ? mesh::Status::ok : mesh::Status::failed;
}
