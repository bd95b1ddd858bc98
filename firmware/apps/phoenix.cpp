// phoenix: one node is reset again and again; its neighbours wait for it, then greet it.
// Words: which node, and how often.
#include "meshputer.hpp"

#include <array>
#include <bit>

using namespace mesh;

static Process rise(Kernel& node, unsigned resets) {
    may_begin_again(node);
    for (unsigned port = 0; port < node.ports();) { // until its neighbours know of this life
        if (node.links().at(port_at(port)).up())
            ++port;
        else
            co_await node.sleep(10 * wire::kTicksPerUnit);
    }
    co_await node.sleep(300 * wire::kTicksPerUnit);
    if (node.starts() < resets)
        reset_node();
    const auto neighbours = std::popcount(node.rules().in_ports(node.network(), node.id()));
    for (int greeted = 0; greeted < neighbours; ++greeted) {
        std::uint32_t from = 0;
        const Received got = co_await receive_value(node, from);
        if (got.status != Status::ok)
            co_return got.status;
    }
    print("started again {} times, greeted by {}\n", node.starts(), neighbours);
    co_return Status::ok;
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
    LinkEvents events{node};
    for (unsigned lives = 0; beside && lives < resets;) {
        const LinkEvent event = co_await events.next();
        constexpr std::array<const char*, 3> kWords{"is down", "began anew", "is up"};
        print("node {} {}\n", index(node.neighbor(event.port)), kWords[unsigned(event.what)]);
        lives += event.what == LinkEvent::What::up ? 1 : 0;
    }
    if (!beside)
        co_return Status::ok;
    const std::uint32_t me = index(node.id());
    co_return co_await send_value(node, me, who);
}
