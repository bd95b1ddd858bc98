// ring: a token goes round all nodes and counts the hands that it passes through.
// Words: how many times round (3). Only who has the token speaks, so no two nodes ever do at once.
#include "meshputer.hpp"

using namespace mesh;

namespace {
struct Token {
    std::uint32_t round;
    std::uint32_t hands;
};
} // namespace

Process app_main(Kernel& node) {
    const auto rounds = word<std::uint32_t>(node, 0, 3);
    const std::uint32_t me = index(node.id());
    const NodeId next = node_at((me + 1) % node.nodes());
    const NodeId before = node_at((me + node.nodes() - 1) % node.nodes());
    Token token{};
    for (std::uint32_t round = 0; round < rounds; ++round) {
        if (me != 0 || round != 0) {
            const Received got = co_await receive_value(node, token, before);
            if (got.status != Status::ok)
                co_return got.status;
        }
        token.round += me == 0 ? 1 : 0;
        ++token.hands;
        print("has the token, round {}\n", token.round);
        const Status sent = co_await send_value(node, token, next);
        if (sent != Status::ok)
            co_return sent;
    }
    if (me != 0 || rounds == 0)
        co_return Status::ok;
    const Received got = co_await receive_value(node, token, before);
    print("{} hands in {} rounds\n", token.hands, token.round);
    const bool right = token.hands == rounds * node.nodes() && token.round == rounds;
    co_return right ? got.status : Status::failed;
}
