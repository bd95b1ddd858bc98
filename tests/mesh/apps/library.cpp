// What firmware/library has: each line must be the same on all engines, networks and nodes but for
// what the node's own number makes of it.
#include "meshputer.hpp"
using namespace mesh;
Process child(Kernel&, Channel<int>& c) {
    for (int i = 0; i < 3; ++i)
        co_await c.write(i);
    co_return Status::ok;
}
Process reader(Kernel&, Channel<int>& c, int& sum) {
    for (int i = 0; i < 3; ++i) {
        int v = co_await c.read();
        sum += v;
    }
    co_return Status::ok;
}
Process app_main(Kernel& node) {
    Channel<int> c{node};
    int sum = 0;
    Status s = co_await par(node, child(node, c), reader(node, c, sum));
    print("par {} sum {:03} {}\n", s, sum, node.id());
    const std::uint32_t n = node.nodes();
    const NodeId right = node_at((index(node.id()) + 1) % n),
                 left = node_at((index(node.id()) + n - 1) % n);
    std::uint64_t mine = 100 + index(node.id()), got = 0;
    Received r = co_await sendrecv(node, right, std::as_bytes(std::span{&mine, 1}), left,
                                   std::as_writable_bytes(std::span{&got, 1}), 3);
    print("ring {} got {} {:x}\n", r.status, got, got);
    double x = 0.5 + index(node.id());
    s = co_await allreduce_value(node, x);
    std::uint64_t big = 1ull << (40 + index(node.id()) % 8);
    Status t = co_await allreduce_value<Upper>(node, big);
    print("sum {:.2f} max {} {} {}\n", x, big, s, t);
    std::int32_t b = node.id() == NodeId{2} ? 77 : 0;
    s = co_await broadcast_value(node, b, NodeId{2});
    Random random(node);
    print("bcast {} {} word {} rnd {}\n", b, s, word<int>(node, 0, 5), random.below(1000) < 1000);
    std::uint32_t v = 0;
    r = co_await receive_within(node, 1000, std::as_writable_bytes(std::span{&v, 1}), 9);
    print("within {} probe {}\n", r.status, probe(node, 9));
    std::array<Request, 2> q{Request{node, send_value(node, right, mine, 11)},
                             Request{node, send_value(node, left, mine, 12)}};
    r = co_await receive_value(node, got, 12);
    Received r2 = co_await receive_value(node, got, 11);
    std::size_t which = co_await any_ended(node, q);
    s = co_await wait(node, q[which]);
    t = co_await wait_all(node, q);
    print("requests {} {} {} {} {}\n", r.status, r2.status, which < 2, s, t);
    if (!node.arguments().empty() && node.id() == NodeId{1}) {
        end_run(node, "enough");
    }
    co_return Status::ok;
}
