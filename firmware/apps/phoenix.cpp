// phoenix: one node is reset again and again; its neighbours wait for it, then greet it.
// Words: which node, and how often.
#include "meshputer.hpp"

#include <array>
#include <bit>

using namespace mesh;

static Process rise(Kernel& node, unsigned resets) {
    may_begin_again(node);
    const auto neighbours = std::popcount(node.rules().in_ports(node.network(), node.id()));
    for (int greeted = 0; greeted < neighbours;) {
        std::uint32_t life = 0;
        const Received got = co_await receive_value(node, life);
        if (got.status != Status::ok)
            co_return got.status;
        greeted += life == node.starts() ? 1 : 0; // else it was for the life before
    }
    if (node.starts() < resets)
        reset_node();
    print("started again {} times, greeted by {}\n", node.starts(), neighbours);
    co_return Status::ok;
}

static Process greet(Kernel& node, NodeId who, unsigned resets) {
    LinkEvents events{node};
    for (std::uint32_t life = 0;; ++life) {
        const Status sent = co_await send_value(node, life, who);
        if (life == resets)
            co_return sent; // of the others nobody knows: it was reset when it had taken the last
        LinkEvent event{};
        do {
            event = co_await events.next();
            constexpr std::array<const char*, 3> kWords{"is down", "began anew", "is up"};
            print("node {} {}\n", index(node.neighbor(event.port)), kWords[unsigned(event.what)]);
        } while (event.what != LinkEvent::What::up);
    }
}

Process app_main(Kernel& node) {
    const NodeId who = node_at(word(node, 0, 1u));
    const auto resets = word(node, 1, 2u);
    if (node.id() == who)
        co_return co_await rise(node, resets);
    bool beside = false;
    for (auto ports = PortSequence::ascending(node.rules().out_ports(node.network(), node.id()));
         !ports.empty();)
        beside |= node.neighbor(ports.pop()) == who;
    if (!beside)
        co_return Status::ok;
    co_return co_await greet(node, who, resets);
}
