// Prints with all of firmware/library: each line must be the same on all engines, networks and
// nodes, except where it depends on the node's own number.
#include "meshputer.hpp"

#include <algorithm>
#include <numeric>
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
/// Adds modulo a number.
struct Around {
    std::uint32_t end;
    std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return (a + b) % end; }
};
Process writer(Kernel& node, SharedChannel<int>& shared, int from) {
    Status all = Status::ok;
    for (int i = 0; i < 3; ++i) {
        const Status s = co_await write(node, shared, from + i);
        all = first_failure(all, s);
    }
    co_return all;
}
/// Its guards are always ready: takes turns, or prefers one; the second one only if it may.
Process chooser(Kernel& node, SharedChannel<int>& a, SharedChannel<int>& b, bool fair) {
    std::array<char, 7> order{};
    std::uint32_t last = 1;
    for (unsigned i = 0; i < 6; ++i) {
        co_await node.yield();
        co_await node.yield();
        std::uint32_t which = 0;
        if (fair)
            which = co_await fair_alt(node, last, on(a), on(b));
        else
            which = co_await alt(node, when(i >= 3, on(a)), on(b));
        const int got = co_await (which == 0 ? a : b).read();
        order[i] = static_cast<char>(got < 10 ? 'a' : 'b');
    }
    print("{} {}\n", fair ? "fair" : "when", order.data());
    co_return Status::ok;
}
Process blocks_of_own_sizes(Kernel& node) {
    const std::uint32_t n = node.nodes(), me = index(node.id());
    std::array<std::uint32_t, 64> counts{}, ones{}, mine{}, sent{}, theirs{};
    static std::array<std::uint32_t, 2048> all{}, back{};
    for (std::uint32_t i = 0; i < n; ++i) {
        counts[i] = i % 3;
        ones[i] = 1;
    }
    std::fill_n(mine.begin(), counts[me], 100 + me);
    const Counts each = Counts{counts}.first(n);
    Status s =
        co_await gatherv(node, std::span{mine}.first(counts[me]), each, std::span{all}, NodeId{1});
    Status t = co_await scatterv(node, all, each, std::span{theirs}, NodeId{1});
    const bool round = std::equal(mine.begin(), mine.begin() + counts[me], theirs.begin());
    Status u = co_await allgatherv(node, std::span{mine}.first(counts[me]), each, std::span{back});
    std::uint32_t sum = std::accumulate(back.begin(), back.end(), 0u);
    for (std::uint32_t i = 0; i < n; ++i)
        sent[i] = 1000 * me + i;
    Status v = co_await alltoallv(node, sent, Counts{ones}.first(n), std::span{theirs},
                                  Counts{ones}.first(n));
    bool right = true;
    for (std::uint32_t i = 0; i < n; ++i) {
        right = right && theirs[i] == 1000 * i + me;
        sum -= counts[i] * (100 + i);
    }
    print("blocks {} {} {} {} {} {} {}\n", s, t, u, v, round, sum, right);
    co_return first_failure(first_failure(s, t), first_failure(u, v));
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
    std::uint32_t prefix = 1, around = 5;
    s = co_await scan_value(node, prefix);
    t = co_await allreduce_value(node, around, Around{7});
    print("scan {} {} around {} {}\n", prefix, s, around, t);
    for (const bool fair : {true, false}) {
        SharedChannel<int> one{node}, other{node};
        s = co_await par(node, writer(node, one, 0), writer(node, other, 10),
                         chooser(node, one, other, fair));
        t = first_failure(t, s);
    }
    s = co_await blocks_of_own_sizes(node);
    std::uint32_t position = 0, lines = 0;
    std::array<char, 128> room{};
    std::string_view line;
    while (co_await read_line(node, position, room, line))
        ++lines;
    const std::uint64_t before = cycles();
    co_await node.yield();
    print("read {} lines, of time {} {}\n", lines, cycles() >= before, first_failure(s, t));
    if (!node.arguments().empty() && node.id() == NodeId{1}) {
        end_run(node, "enough");
    }
    co_return Status::ok;
}
