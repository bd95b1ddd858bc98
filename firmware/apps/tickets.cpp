// tickets: every node draws tickets from a counter of node 0, which does nothing for it. It writes
// its number beside each ticket, into a book that lies on all nodes. Words: tickets of each (10).
#include "meshputer.hpp"

#include <algorithm>
#include <array>

using namespace mesh;

namespace {
constexpr WindowNumber kCounter{0}; // of node 0
constexpr WindowNumber kBook{1};    // page p of node n is of ticket p * nodes + n
constexpr std::uint32_t kPages = 1000;
std::array<std::uint32_t, 1> counter{};
std::array<std::uint32_t, kPages> book{}; // 0: nobody has it; else the owner's number plus 1
} // namespace

Process app_main(Kernel& node) {
    const auto tickets = word<std::uint32_t>(node, 0, 10);
    if (tickets > kPages)
        co_return refuse(node, "tickets wants at most 1000 of each node");
    Window counts{node, kCounter, std::span{counter}};
    Window pages{node, kBook, std::span{book}};
    Status status = first_failure(counts.status(), pages.status());
    for (std::uint32_t drawn = 0; drawn < tickets && status == Status::ok; ++drawn) {
        const auto ticket = co_await fetch_add(node, 1u, NodeId{0}, kCounter);
        status = ticket.status;
        if (status != Status::ok)
            break;
        const NodeId keeper = node_at(ticket.value % node.nodes());
        status =
            co_await put(node, index(node.id()) + 1, keeper, kBook, ticket.value / node.nodes());
    }
    const Status closed = co_await close(node, pages); // nobody writes any more
    auto owned = static_cast<std::uint32_t>(tickets -
                                            std::ranges::count(std::span(book).first(tickets), 0u));
    const Status added = co_await reduce_value(node, owned);
    if (node.id() == NodeId{0})
        print("{} tickets were drawn, {} have an owner\n", counter[0], owned);
    co_return first_failure(status, first_failure(closed, added));
}
