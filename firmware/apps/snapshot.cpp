// snapshot: nodes send each other money, and a snapshot finds all of it while it moves.
// Chandy and Lamport: who first hears of the snapshot notes its own money and sends a marker to
// each neighbour; what a neighbour sent before its marker was under way. Words: transfers of a node
// (20).
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr Tag kMoney = 1, kMarker = 2, kNoMore = 3;

Process app_main(Kernel& node) {
    static std::array<bool, 1024> marked; // nodes whose marker has come
    const auto transfers = std::max(1u, word<unsigned>(node, 0, 20));
    Outbox outbox{node, node.workspace()}; // to one neighbour, all in the order of their putting
    Random random{node};
    unsigned left = transfers, money = 1000, under_way = 0;
    std::optional<unsigned> noted;
    Status status = Status::ok;
    const auto tell_all = [&](Tag tag) {
        for (unsigned port = 0; port < node.ports() && status == Status::ok; ++port)
            status = outbox.try_put(0u, node.neighbor(port_at(port)), tag);
    };
    const auto note = [&] {
        if (!noted)
            tell_all(kMarker);
        noted = noted.value_or(money);
    };
    // Each neighbour sends one marker, and one end behind all its money: then nothing more comes.
    for (unsigned words = 2 * node.ports(); left > 0 || words > 0;) {
        unsigned amount = random.below(std::min(money, 100u) + 1);
        if (left > 0) {
            co_await node.sleep(random.below(2 * wire::kTicksPerUnit)); // and waits for nobody
            money -= amount;
            const Port port = port_at(random.below(node.ports()));
            status = outbox.try_put(amount, node.neighbor(port), kMoney);
            if (--left == 0)
                tell_all(kNoMore);
        }
        if (index(node.id()) == 0 && left == transfers / 2)
            note();
        if (words == 0 || (left > 0 && !probe(node)))
            continue;
        const auto [got, from, tag, bytes] = co_await receive_value(node, amount);
        if (first_failure(status, got) != Status::ok)
            co_return first_failure(status, got);
        if (tag == kMarker)
            note();
        words -= tag == kMoney ? 0 : 1;
        marked[index(from)] |= tag == kMarker;
        money += amount; // 0 with the others
        under_way += noted && !marked[index(from)] ? amount : 0;
    }
    std::array sums{*noted, under_way, money};
    const Status flushed = co_await outbox.flush();
    status = co_await allreduce_values(node, std::span{sums});
    if (index(node.id()) == 0)
        print("{} with the nodes and {} under way, {} at the end\n", sums[0], sums[1], sums[2]);
    const bool right = sums[2] == 1000 * node.nodes() && sums[0] + sums[1] == sums[2];
    co_return right ? first_failure(status, flushed) : Status::failed;
}
