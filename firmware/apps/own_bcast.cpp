// own_bcast: broadcasts of one's own, node by node and by halves, beside the library's, in steps.
// Words: bytes (1024, at most 16384).
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr NodeId kTeller{0};

/// The root tells one after the other.
static Task<Status> flat(Kernel& node, std::span<std::byte> data) {
    Status status = Status::ok;
    if (node.id() != kTeller)
        status = (co_await receive(node, data, kTeller)).status;
    for (unsigned to = 1; node.id() == kTeller && to < node.nodes() && status == Status::ok; ++to)
        status = co_await send(node, data, node_at(to));
    co_return status;
}

/// A node that has it tells the node half of the rest away: a binomial tree of numbers.
static Task<Status> by_halves(Kernel& node, std::span<std::byte> data) {
    const unsigned me = index(node.id());
    Status status = Status::ok;
    if (me != 0)
        status = (co_await receive(node, data, node_at(me & (me - 1)))).status;
    for (unsigned bit = std::bit_ceil(node.nodes()); bit > 0 && status == Status::ok; bit >>= 1)
        if ((me & (2 * bit - 1)) == 0 && me + bit < node.nodes())
            status = co_await send(node, data, node_at(me + bit));
    co_return status;
}

static Task<Status> library(Kernel& node, std::span<std::byte> data) {
    return broadcast(node, {.total_bytes = unsigned(data.size())}, data);
}

Process app_main(Kernel& node) {
    const auto bytes = word<unsigned>(node, 0, 1024);
    if (bytes > 16384)
        co_return refuse(node, "own_bcast: at most 16384 bytes");
    const auto data = node.workspace().first(bytes);
    const std::array ways{flat, by_halves, library};
    for (unsigned way = 0; way < ways.size(); ++way) {
        const auto mark = std::byte(way + 1);
        std::ranges::fill(data, node.id() == kTeller ? mark : std::byte{});
        Status status = co_await barrier(node);
        wire::ModelTime took = node.now();
        if (status == Status::ok)
            status = co_await ways[way](node, data);
        took = node.now() - took;
        if (status == Status::ok)
            status = co_await allreduce_value<Upper>(node, took);
        if (status == Status::ok && std::ranges::count(data, mark) != int(bytes))
            status = Status::failed;
        if (node.id() == kTeller)
            print("{} {} steps\n", std::array{"flat", "by halves", "library"}[way],
                  took / wire::kTicksPerUnit);
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}
