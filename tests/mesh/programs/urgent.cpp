// A high process answers between two low ones, whichever waits.
#include "meshputer.hpp"

#include <cstdio>

using namespace mesh;

constexpr unsigned kRounds = 3;

Process answers(Kernel&, Channel<unsigned>& bell) {
    for (unsigned round = 0; round < kRounds; ++round) {
        const unsigned rung = co_await bell.read();
        printf("answers %u\n", rung);
    }
    co_return Status::ok;
}

Process rings(Kernel& node, Channel<unsigned>& bell) {
    for (unsigned round = 0; round < kRounds; ++round) {
        printf("rings %u\n", round);
        co_await bell.write(round);
        co_await node.yield();
    }
    co_return Status::ok;
}

Process works(Kernel& node) {
    for (unsigned round = 0; round < kRounds; ++round) {
        printf("works %u\n", round);
        co_await node.yield();
    }
    co_return Status::ok;
}

Process app_main(Kernel& node) {
    if (index(node.id()) != 0)
        co_return Status::ok;
    Channel<unsigned> bell{node};
    const Status all = co_await pri_par(node, answers(node, bell), rings(node, bell), works(node));
    co_return all;
}
