// kv: a store of keys and values; each node is a server of some keys and a client of all servers.
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr Tag kAsk = 1, kAnswer = 2;
constexpr unsigned kKeys = 16; // that each client writes

struct Ask {
    unsigned key, value;
    bool writes;
};

/// Its end is a word of its own client, when no client of any node wants an answer any more.
static Process server(Kernel& node, Channel<bool>& over) {
    static std::array<Ask, 1024> store;
    unsigned count = 0, asks = 0;
    while (co_await alt(node, on_message(kAsk), on(over)) == 0) {
        Ask ask{};
        const Received got = co_await receive_value(node, ask, kAnySource, kAsk);
        const auto place = std::find_if(store.begin(), store.begin() + count,
                                        [&](const Ask& one) { return one.key == ask.key; });
        if (got.status != Status::ok || place == store.end())
            co_return first_failure(got.status, Status::no_memory);
        if (ask.writes)
            *place = ask;
        count = std::max(count, static_cast<unsigned>(place - store.begin()) + ask.writes);
        ++asks;
        const Status sent = co_await send_value(node, place->value, got.source, kAnswer);
        if (sent != Status::ok)
            co_return sent;
    }
    print("{} keys, {} asks\n", count, asks);
    co_return co_await over.read() ? Status::ok : Status::failed;
}

static Process client(Kernel& node, Channel<bool>& over) {
    Status status = Status::ok;
    for (const bool writes : {true, false}) { // keys of its own; those that the next client wrote
        const unsigned writer = (index(node.id()) + (writes ? 0 : 1)) % node.nodes();
        for (unsigned at = 0; at < kKeys && status == Status::ok; ++at) {
            const Ask ask{writer * kKeys + at, (writer * kKeys + at) * 3, writes};
            const NodeId owner = node_at((ask.key * 0x9E37'79B9u >> 16) % node.nodes());
            unsigned value = ~ask.value;
            status = co_await send_value(node, ask, owner, kAsk);
            if (status == Status::ok)
                status = (co_await receive_value(node, value, owner, kAnswer)).status;
            status = first_failure(status, value == ask.value ? Status::ok : Status::failed);
        }
        if (status == Status::ok)
            status = co_await barrier(node);
    }
    co_await over.write(true);
    co_return status;
}

Process app_main(Kernel& node) {
    Channel<bool> over{node};
    co_return co_await par(node, server(node, over), client(node, over));
}
