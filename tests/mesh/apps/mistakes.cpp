// Mistakes that compile, one a word of the command line, most of them made by node 1. What is said
// of each is in tests/mesh/test_programs.py.
#include "meshputer.hpp"

using namespace mesh;

static Process falls_off_its_end(Kernel&, bool soon) {
    if (soon)
        co_return Status::ok;
}

static Process ping_pong(Kernel& node, NodeId peer, bool begins) {
    int ball = 0;
    Status status = Status::ok;
    for (bool sends = begins; status == Status::ok; sends = !sends)
        if (sends)
            status = co_await send_value(node, peer, ball);
        else
            status = (co_await receive_value(node, ball, 0, peer)).status;
    co_return status;
}

static Process too_deep(Kernel& node, unsigned levels) {
    if (levels == 0)
        co_return Status::ok;
    co_return co_await too_deep(node, levels - 1);
}

static Process waits_for_nobody(Kernel& node, NodeId other) {
    int value = 0;
    const Received got = co_await ChannelIn{other, ChannelNumber{3}}.read(node, value);
    co_return got.status;
}

static Process sends_what_is_gone(Kernel& node, NodeId to) {
    ProcessId id;
    const int seven = word<int>(node, 1, 7);
    if (!node.spawn(ChannelOut{to, ChannelNumber{1}}.write(node, seven * 10), id))
        co_return Status::no_memory;
    co_return co_await node.join(id);
}

static Process takes(Kernel& node, NodeId from) {
    int value = 0;
    const Received got = co_await ChannelIn{from, ChannelNumber{1}}.read(node, value);
    print("got {}\n", value);
    co_return got.status;
}

Process app_main(Kernel& node) {
    const bool guilty = index(node.id()) == 1;
    const NodeId other = node_at(guilty ? 0 : 1);
    const auto words = node.arguments();
    const std::string_view mistake = words.empty() ? "" : words[0];
    if (mistake == "livelock")
        co_return co_await ping_pong(node, other, guilty);
    if (mistake == "gone" && !guilty)
        co_return co_await takes(node, other);
    if (mistake == "gone")
        co_return co_await sends_what_is_gone(node, other);
    if (!guilty)
        co_return Status::ok;
    if (mistake == "no co_return")
        co_return co_await falls_off_its_end(node, false);
    if (mistake == "any tag")
        co_return co_await send_value(node, other, 7, kAnyTag);
    if (mistake == "too deep")
        co_return co_await too_deep(node, 1000);
    if (mistake == "output")
        write_output(node, 1u << 31, std::as_bytes(std::span{"words"}));
    if (mistake == "nobody")
        co_return co_await waits_for_nobody(node, other);
    co_return Status::ok;
}
