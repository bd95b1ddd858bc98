// santa: he sleeps until all reindeer are back, or three elves want help; reindeer come first.
// Words: how many years (3). Node 0 is Santa, the next ones up to nine his reindeer, others elves.
#include "meshputer.hpp"

#include <algorithm>

using namespace mesh;

constexpr NodeId kSanta{0};
constexpr Tag kBack = 1, kWantsHelp = 2, kGoOn = 3;
constexpr unsigned kReindeerMost = 9, kElvesAtATime = 3;

struct Crowd { // behind the door
    std::array<NodeId, kReindeerMost> nodes{};
    unsigned count = 0;
};

static Task<Status> let_go(Kernel& node, Crowd& crowd, bool more) { // for another time, or for good
    Status status = Status::ok;
    while (crowd.count > 0 && status == Status::ok)
        status = co_await send_value(node, more, crowd.nodes[--crowd.count], kGoOn);
    co_return status;
}

static Process santa(Kernel& node, unsigned years, unsigned reindeer) {
    std::array<Crowd, 2> crowds;
    auto& [back, elves] = crowds;
    Status status = Status::ok;
    unsigned rides = 0, elves_left = node.nodes() - 1 - reindeer;
    for (bool knocks = false; (rides < years || elves_left > 0) && status == Status::ok;) {
        const auto who =
            co_await alt(node, on_message(kAnySource, kBack), on_message(kAnySource, kWantsHelp));
        const Received got = co_await receive_value(node, knocks, kAnySource, Tag(kBack + who));
        crowds[who].nodes[crowds[who].count++] = got.source;
        rides += back.count == reindeer ? 1 : 0;
        if (status = got.status; back.count == reindeer && status == Status::ok)
            status = co_await let_go(node, back, rides < years);
        if (rides < years && elves.count == kElvesAtATime && status == Status::ok)
            status = co_await let_go(node, elves, true);
        elves_left -= rides == years ? elves.count : 0;
        if (rides == years && status == Status::ok)
            status = co_await let_go(node, elves, false);
    }
    print("{} rides with {} reindeer\n", rides, reindeer);
    co_return status;
}

Process app_main(Kernel& node) {
    const auto years = std::max(1u, word<unsigned>(node, 0, 3));
    const unsigned reindeer = std::min(kReindeerMost, unsigned{node.nodes()} / 2);
    if (node.id() == kSanta)
        co_return co_await santa(node, years, reindeer);
    const Tag why = index(node.id()) <= reindeer ? kBack : kWantsHelp;
    for (bool more = true; more;) {
        Status status = co_await send_value(node, true, kSanta, why);
        if (status == Status::ok)
            status = (co_await receive_value(node, more, kSanta, kGoOn)).status;
        if (status != Status::ok)
            co_return status;
    }
    co_return Status::ok;
}
