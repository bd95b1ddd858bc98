// samplesort: sorts random numbers of all nodes; then each has those of one range, in order.
// Words: how many numbers each node has (500, at most 5000).
#include "meshputer.hpp"

#include <algorithm>
#include <numeric>

using namespace mesh;

using Key = std::uint32_t;
constexpr std::uint32_t kNodesMost = 256, kKeysMost = 5000, kSamples = 8;

static std::array<Key, kKeysMost> keys;
static std::array<Key, 4 * kKeysMost> sorted;
static std::array<Key, kNodesMost * kSamples> samples; // of all nodes
static std::array<std::uint32_t, kNodesMost> sizes_out, sizes_in, ones, eights;

Process app_main(Kernel& node) {
    const auto count = word<std::uint32_t>(node, 0, 500);
    const std::uint32_t nodes = node.nodes();
    if (count < kSamples || count > kKeysMost || nodes > kNodesMost)
        co_return refuse(node, "samplesort: 8 to 5000 numbers a node, on 256 nodes at most");
    const auto mine = std::span{keys}.first(count);
    Random random(node);
    std::ranges::generate(mine, [&] { return random.next(); });
    std::ranges::sort(mine);
    std::array<Key, kSamples> own;
    for (std::uint32_t at = 0; at < kSamples; ++at)
        own[at] = mine[at * count / kSamples];
    ones.fill(1);
    eights.fill(kSamples);
    Status status = co_await allgatherv(node, own, Counts{eights}.first(nodes), std::span{samples});
    std::ranges::sort(std::span{samples}.first(nodes * kSamples));

    const Key* begin = keys.data(); // of the numbers for a node
    for (std::uint32_t range = 0; range < nodes; ++range) {
        const Key* end = keys.data() + count;
        if (range + 1 < nodes)
            end = std::lower_bound(begin, end, samples[(range + 1) * kSamples]);
        sizes_out[range] = static_cast<std::uint32_t>(end - std::exchange(begin, end));
    }
    const Counts each = Counts{ones}.first(nodes);
    if (status == Status::ok)
        status = co_await alltoallv(node, sizes_out, each, std::span{sizes_in}, each);
    const std::uint32_t got = std::accumulate(sizes_in.begin(), sizes_in.begin() + nodes, 0u);
    if (status == Status::ok)
        status = co_await alltoallv(node, mine, Counts{sizes_out}.first(nodes), std::span{sorted},
                                    Counts{sizes_in}.first(nodes));
    if (status != Status::ok)
        co_return status;
    std::ranges::sort(std::span{sorted}.first(got));
    std::uint32_t all = got;
    const Key greatest = got > 0 ? sorted[got - 1] : 0;
    Key below = greatest; // the greatest of all nodes up to this one
    status = co_await allreduce_value(node, all);
    if (status == Status::ok)
        status = co_await scan_value<Upper>(node, below);
    print("{} numbers, up to {:08x}\n", got, below);
    const bool right = all == nodes * count && (got == 0 || below == greatest);
    co_return right ? status : Status::failed;
}
