// Mistakes that compile, one a word of the command line. The message for each is in
// tests/mesh/diagnostics/test_mistakes.py.
#include "meshputer.hpp"

#include <cstdint>
#include <cstdlib>

using namespace mesh;

namespace {

constexpr Tag kRight = 1, kWrong = 2;
constexpr NodeId kGuilty{1};

NodeId other_of(const Kernel& node) { return node_at(index(node.id()) ^ 1); }
bool guilty(const Kernel& node) { return node.id() == kGuilty; }

// Programs that never end -----------------------------------------------------------------------

Process receives(Kernel& node, NodeId from, Tag tag) {
    int value = 0;
    co_return (co_await receive_value(node, value, from, tag)).status;
}
Process sends(Kernel& node, NodeId to, Tag tag) { return send_value(node, 7, to, tag); }
Process rests(Kernel&) { co_return Status::ok; }

Process nobody_sends(Kernel& node) {
    return guilty(node) ? receives(node, kAnySource, kAnyTag) : rests(node);
}
Process both_receive(Kernel& node) { return receives(node, other_of(node), kRight); }
Process ring_of_sends(Kernel& node) {
    const std::uint32_t nodes = node.nodes(), me = index(node.id());
    const Status sent = co_await sends(node, node_at((me + 1) % nodes), kRight);
    if (sent != Status::ok)
        co_return sent;
    co_return co_await receives(node, node_at((me + nodes - 1) % nodes), kRight);
}
Process wrong_tag(Kernel& node) {
    return guilty(node) ? receives(node, other_of(node), kWrong)
                        : sends(node, other_of(node), kRight);
}
Process ends_early(Kernel& node) {
    return guilty(node) ? sends(node, other_of(node), kRight) : rests(node);
}
Process absent_from_barrier(Kernel& node) { return guilty(node) ? rests(node) : barrier(node); }
Process from_no_node(Kernel& node) {
    return guilty(node) ? receives(node, node_at(99), kAnyTag) : rests(node);
}
Process reads_of_nobody(Kernel& node) {
    int value = 0;
    if (!guilty(node))
        co_return Status::ok;
    co_return (co_await ChannelIn{other_of(node), ChannelNumber{3}}.read(node, value)).status;
}
Process ping_pong(Kernel& node) {
    int ball = 0;
    Status status = Status::ok;
    for (bool sends = guilty(node); status == Status::ok; sends = !sends)
        if (sends)
            status = co_await send_value(node, ball, other_of(node));
        else
            status = (co_await receive_value(node, ball, other_of(node))).status;
    co_return status;
}
volatile bool on = true;
Process loops(Kernel& node) {
    while (guilty(node) && on)
        continue;
    co_return Status::ok;
}
Process loops_politely(Kernel& node) {
    while (guilty(node) && on)
        co_await node.yield();
    co_return Status::ok;
}

// Programs that end with another verdict --------------------------------------------------------

Process given_verdict(Kernel& node) {
    co_return guilty(node) ? static_cast<Status>(word<unsigned>(node, 1, 0)) : Status::ok;
}

Process ends_without_verdict(Kernel& node) {
    if (!guilty(node))
        co_return Status::ok;
}
Process to_any_tag(Kernel& node) {
    return guilty(node) ? sends(node, other_of(node), kAnyTag) : rests(node);
}
Process to_no_node(Kernel& node) {
    return guilty(node) ? sends(node, node_at(99), kRight) : rests(node);
}
Process gives_up(Kernel& node) {
    if (!guilty(node))
        co_return co_await receives(node, kAnySource, kAnyTag);
    end_run(node, "no use to go on");
    co_return Status::ok;
}
Process too_much(Kernel& node) {
    static std::byte one;
    const std::span<const std::byte> much{&one, limits::kMessageBytesMax + 1};
    return guilty(node) ? send(node, other_of(node), {.tag = kRight}, much) : rests(node);
}
template <class Sent, class Room>
Process other_room(Kernel& node) {
    if (!guilty(node))
        co_return co_await send_value(node, Sent{}, other_of(node));
    Room room{};
    const auto got = co_await receive_value(node, room);
    co_return got.status;
}
Process other_sizes(Kernel& node) {
    std::array<int, 2> values{};
    co_return co_await allreduce_values(node, std::span{values}.first(guilty(node) ? 1 : 2));
}
Process too_deep(Kernel& node, unsigned levels) {
    if (levels == 0)
        co_return Status::ok;
    co_return co_await too_deep(node, levels - 1);
}
Process recursion(Kernel& node) { return guilty(node) ? too_deep(node, 1000) : rests(node); }
Process large_frame(Kernel& node) {
    std::array<std::byte, 100'000> room{};
    co_await node.yield();
    co_return room[index(node.id())] == std::byte{0} ? Status::ok : Status::failed;
}
Process sleeps(Kernel& node) {
    co_await node.sleep(1);
    co_return Status::ok;
}
Process a_process_too_many(Kernel& node) {
    for (unsigned begun = 0; guilty(node); ++begun)
        if (!node.spawn(sleeps(node))) {
            print("no room for process {}\n", begun + 1);
            co_return Status::no_memory;
        }
    co_return Status::ok;
}
Process writes_too_far(Kernel& node) {
    if (guilty(node))
        write_output(node, 1u << 31, std::as_bytes(std::span{"words"}));
    co_return Status::ok;
}

// Mistakes that are none any more ---------------------------------------------------------------

Process sends_what_is_gone(Kernel& node) {
    int value = word<int>(node, 1, 7);
    if (!guilty(node)) {
        const Received got = co_await ChannelIn{other_of(node), ChannelNumber{1}}.read(node, value);
        print("got {}\n", value);
        co_return got.status;
    }
    ProcessId id;
    if (!node.spawn(ChannelOut{other_of(node), ChannelNumber{1}}.write(node, value * 10), id))
        co_return Status::no_memory;
    co_return co_await node.join(id);
}
Process talks_much(Kernel&) {
    for (unsigned line = 0; line < 20'000; ++line)
        print("{}\n", line);
    for (unsigned letter = 0; letter < 5000; ++letter)
        print("x");
    print("\n");
    co_return Status::ok;
}

struct Mistake {
    std::string_view name;
    Process (*made)(Kernel&);
};
constexpr Mistake kMistakes[]{{"nobody sends", nobody_sends},
                              {"both receive", both_receive},
                              {"ring of sends", ring_of_sends},
                              {"wrong tag", wrong_tag},
                              {"ends early", ends_early},
                              {"absent from barrier", absent_from_barrier},
                              {"from no node", from_no_node},
                              {"livelock", ping_pong},
                              {"loop", loops},
                              {"polite loop", loops_politely},
                              {"verdict", given_verdict},
                              {"no co_return", ends_without_verdict},
                              {"any tag", to_any_tag},
                              {"to no node", to_no_node},
                              {"gives up", gives_up},
                              {"too much", too_much},
                              {"short buffer", other_room<std::uint64_t, std::uint32_t>},
                              {"long buffer", other_room<std::uint32_t, std::uint64_t>},
                              {"other sizes", other_sizes},
                              {"too deep", recursion},
                              {"large frame", large_frame},
                              {"a process too many", a_process_too_many},
                              {"output", writes_too_far},
                              {"nobody writes", reads_of_nobody},
                              {"gone", sends_what_is_gone},
                              {"talks much", talks_much}};

Process knows_none(Kernel& node) { co_return refuse(node, "give one of the mistakes"); }

} // namespace

Process app_main(Kernel& node) {
    const auto words = node.arguments();
    for (const Mistake& mistake : kMistakes)
        if (!words.empty() && mistake.name == words[0])
            return mistake.made(node);
    return knows_none(node);
}
