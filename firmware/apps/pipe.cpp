// pipe: numbers go down a pipeline of channels, and come out sorted.
// Each node keeps the least that it has read and writes the others to the next one.
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr ChannelNumber kPipe{1};

Process app_main(Kernel& node) {
    const unsigned me = index(node.id());
    Random random{node};
    unsigned kept = 0;
    // One number for each node is made, and each keeps one: so node k reads N - k of them.
    for (unsigned left = node.nodes() - me; left > 0; --left) {
        unsigned number = random.below(1000);
        if (me > 0) {
            const ChannelIn in{node_at(me - 1), kPipe};
            const Received got = co_await in.read(node, number);
            if (got.status != Status::ok)
                co_return got.status;
        }
        if (left == node.nodes() - me) {
            kept = number;
            continue;
        }
        const unsigned least = std::min(kept, number);
        number = std::max(kept, number);
        kept = least;
        const ChannelOut out{node_at(me + 1), kPipe};
        const Status written = co_await out.write(node, number);
        if (written != Status::ok)
            co_return written;
    }
    print("{}\n", kept);
    unsigned greatest = kept; // of all nodes up to this one
    const Status status = co_await scan_value<Upper>(node, greatest);
    co_return greatest == kept ? status : Status::failed;
}
