// Lab 11: a bank that never closes, and a photograph of it. Given: it stays as it is.
//
// Nodes send each other money all the time, without waiting. At some moment node 0 wants to know
// how much money there is: what the nodes have, and what is under way. Words: transfers (20); what
// the node has at first (1000).
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr Tag kMoney = 1, kMarker = 2, kNoMore = 3;
constexpr unsigned kNodesMax = 64;

#include "answer.hpp"

Process app_main(Kernel& node) {
    const auto transfers = std::max(2u, word<unsigned>(node, 0, 20));
    Outbox outbox{node, node.workspace()}; // to one neighbour, all in the order of their putting
    Random random{node};
    unsigned left = transfers, money = word<unsigned>(node, 1, 1000);
    Status status = Status::ok;
    const auto tell_all = [&](Tag tag) {
        for (unsigned port = 0; port < node.ports() && status == Status::ok; ++port)
            status = outbox.try_put(0u, node.neighbor(port_at(port)), tag);
    };
    Snapshot snapshot;
    // Each neighbour sends one marker, and one end behind all its money.
    for (unsigned words = 2 * node.ports(); left > 0 || words > 0;) {
        unsigned amount = random.below(std::min(money, 100u) + 1);
        if (left > 0) {
            co_await node.sleep(random.below(2 * wire::kTicksPerUnit)); // and waits for nobody
            money -= amount;
            const Port port = port_at(random.below(node.ports()));
            status = outbox.try_put(amount, node.neighbor(port), kMoney);
            if (node.id() == NodeId{0} && left == transfers / 2)
                snapshot.begin(money, tell_all);
            if (--left == 0)
                tell_all(kNoMore);
        }
        if (words == 0 || (left > 0 && !probe(node)))
            continue;
        const auto [got, from, tag, bytes] = co_await receive_value(node, amount);
        if (first_failure(status, got) != Status::ok)
            co_return first_failure(status, got);
        if (tag == kMarker)
            snapshot.marker(from, money, tell_all);
        if (tag == kMoney) {
            snapshot.money(from, amount);
            money += amount;
        }
        words -= tag == kMoney ? 0 : 1;
    }
    const Status flushed = co_await outbox.flush();
    std::array sums{snapshot.noted, snapshot.under_way, money};
    status = co_await allreduce_values(node, std::span{sums});
    if (node.id() == NodeId{0}) {
        print("{} in the picture\n", sums[0] + sums[1]);
        print("{} at the end\n", sums[2]);
    }
    co_return first_failure(status, flushed);
}
