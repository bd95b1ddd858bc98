// Node 1 computes for as many seconds as the first word says, and never waits meanwhile. Node 0
// sends it a message, and then so many as the second word says to node 3, which pass through it.
// With a third word node 1 computes by calling the kernel all the time.
#include "board.hpp"
#include "meshputer.hpp"

#include <cstdio>
#include <cstdlib>

using namespace mesh;

namespace {

constexpr Tag kThrough = 7;
constexpr Tag kForIt = 8;

std::uint32_t word(Kernel& node, std::size_t number) {
    return static_cast<std::uint32_t>(std::atoi(node.arguments()[number].data()));
}

Process waits_long(Kernel& node) {
    std::uint32_t value = 0;
    const Received got =
        co_await receive(node, std::as_writable_bytes(std::span{&value, 1}), kAnySource, kForIt);
    std::printf("got %lu\n", static_cast<unsigned long>(value));
    co_return got.status;
}

Process computes(Kernel& node) {
    const std::uint64_t end =
        board::the_board().now_us() + word(node, 0) * std::uint64_t{1'000'000};
    unsigned calls = 0;
    while (board::the_board().now_us() < end) {
        if (node.arguments().size() > 2) {
            OutgoingPacket packet = co_await node.allocate(Rule::unicast);
            calls += packet ? 1 : 0;
        }
    }
    std::printf("computed\n");
    co_return co_await waits_long(node);
}

Process sends(Kernel& node) {
    ProcessId early;
    const std::uint32_t value = 42;
    if (!node.spawn(send(node, node_at(1), {.tag = kForIt}, std::as_bytes(std::span{&value, 1})),
                    early))
        co_return Status::no_memory;
    for (std::uint32_t number = 0; number < word(node, 1); ++number) {
        const Status status = co_await send(node, node_at(3), {.tag = kThrough},
                                            std::as_bytes(std::span{&number, 1}));
        if (status != Status::ok)
            co_return status;
    }
    std::printf("sent\n");
    co_return co_await node.join(early);
}

Process takes(Kernel& node) {
    for (std::uint32_t number = 0; number < word(node, 1); ++number) {
        std::uint32_t value = 0;
        const Received got = co_await receive(node, std::as_writable_bytes(std::span{&value, 1}),
                                              kAnySource, kThrough);
        if (got.status != Status::ok || value != number)
            co_return Status::failed;
    }
    std::printf("all came\n");
    co_return Status::ok;
}

Process stands_by(Kernel&) { co_return Status::ok; }

} // namespace

Process app_main(Kernel& node) {
    switch (index(node.id())) {
    case 0: return sends(node);
    case 1: return computes(node);
    case 3: return takes(node);
    default: return stands_by(node);
    }
}
