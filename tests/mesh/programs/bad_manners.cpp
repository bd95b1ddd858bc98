// Mistakes that the library itself sees, and waits that have words of their own, one a word of the
// command line; node 1 makes the mistake. tests/mesh/diagnostics/test_manners.py has the messages.
#include "meshputer.hpp"

using namespace mesh;

namespace {

constexpr ChannelNumber kHere{3};
constexpr NodeId kFirst{0}, kSecond{1};

Process rests(Kernel&) { co_return Status::ok; }
bool guilty(const Kernel& node) { return node.id() == kSecond; }

// Told by a status ------------------------------------------------------------------------------

Process sends_to_the_library(Kernel& node) {
    if (!guilty(node))
        co_return Status::ok;
    co_return co_await send_value(node, 7, kFirst, kProgramTagMax + 1);
}
Process receives_of_the_library(Kernel& node) {
    int value = 0;
    if (!guilty(node))
        co_return Status::ok;
    co_return (co_await receive_value(node, value, kFirst, kBlocksTag)).status;
}

/// One end has no type, or two ends have types of other sizes, or of one size.
template <class Out, class In>
Process other_ends(Kernel& node) {
    if (guilty(node)) {
        const ChannelIn<In> in{node, kFirst, kHere};
        In value{};
        const Received got = co_await in.read(value);
        co_return got.status;
    }
    const ChannelOut<Out> out{node, kSecond, kHere};
    co_return co_await out.write(Out{});
}
Process untyped_sizes(Kernel& node) {
    float number = 4;
    double value = 0;
    if (guilty(node))
        co_return (co_await ChannelIn{kFirst, kHere}.read(node, value)).status;
    co_return co_await ChannelOut{kSecond, kHere}.write(node, number);
}

template <bool kScans>
Process other_operators(Kernel& node) {
    std::uint32_t value = 5;
    Status status = Status::ok;
    if (kScans && guilty(node))
        status = co_await scan_value<Upper>(node, value);
    else if (kScans)
        status = co_await scan_value(node, value);
    else if (guilty(node))
        status = co_await allreduce_value<Upper>(node, value);
    else
        status = co_await allreduce_value(node, value);
    co_return status;
}

Process other_counts(Kernel& node) {
    const std::array<std::uint32_t, 2> here{1, 1}, there{1, 2};
    std::array<int, 4> all{}, mine{};
    const bool more = guilty(node);
    co_return co_await gatherv(node, std::span{mine}.first(more ? 2 : 1), more ? there : here,
                               std::span{all});
}

// Told by a check -------------------------------------------------------------------------------

Process guards_for_the_library(Kernel& node) {
    const Tag tag = guilty(node) ? kBarrierTag : Tag{1};
    co_return probe(node, kAnySource, tag) ? Status::failed : Status::ok; // reserved
}
Process joins_nothing(Kernel& node) {
    ProcessId none;
    if (guilty(node))
        co_return co_await node.join(none); // nothing
    co_return Status::ok;
}
Process joins_twice(Kernel& node) {
    const auto child = node.spawn(rests(node));
    Status status = co_await node.join(child);
    if (guilty(node))
        status = co_await node.join(child); // twice
    co_return status;
}
Process awaits_twice(Kernel& node) {
    Task<Status> task = rests(node);
    Status status = co_await task;
    if (guilty(node))
        status = co_await task; // awaited
    co_return status;
}
Process spawns_twice(Kernel& node) {
    Process process = rests(node);
    ProcessId id;
    bool runs = node.spawn(std::move(process), id);
    if (guilty(node))
        runs = node.spawn(std::move(process)); // spawned
    co_return runs ? Status::ok : Status::no_memory;
}
Process no_guard_counts(Kernel& node) {
    const bool any = !guilty(node);
    co_await alt(node, when(any, after(node, 1)), when(false, on_message())); // guards
    co_return Status::ok;
}
template <class Out, class In>
Process reads_another_type(Kernel& node) {
    if (!guilty(node)) {
        const ChannelOut<Out> out{node, kSecond, kHere};
        co_return co_await out.write(Out{});
    }
    const ChannelIn<In> in{node, kFirst, kHere};
    const In value = co_await in.read();
    co_return value == In{} ? Status::failed : Status::ok;
}
Process reads_of_nobody(Kernel& node) {
    if (!guilty(node))
        co_return Status::ok;
    const ChannelIn<int> in{node, kFirst, kHere};
    co_return co_await in.read() == 0 ? Status::failed : Status::ok;
}

// Waits -----------------------------------------------------------------------------------------

Process waits_at_guards(Kernel& node) {
    Channel<int> channel{node};
    const ChannelIn<int> in{node, kFirst, kHere};
    if (guilty(node))
        co_await alt(node, on_message(kFirst, 7), when(false, on_message()), on(channel),
                     when(false, after(node, 5)), when(true, on(in)));
    co_return Status::ok;
}
Process waits_fairly(Kernel& node) {
    Channel<int> channel{node};
    std::uint32_t last = 0;
    if (guilty(node))
        co_await fair_alt(node, last, on(channel), when(true, on_message()));
    co_return Status::ok;
}
Process waits_at_a_row(Kernel& node) {
    std::array<MailGuard, 5> row;
    for (unsigned at = 0; at < row.size(); ++at)
        row[at] = on_message(kAnySource, Tag(at));
    if (guilty(node))
        co_await alt(node, std::span<const MailGuard>{row});
    co_return Status::ok;
}
Process takes(Kernel& node) {
    int value = 0;
    co_return (co_await receive_value(node, value, kAnySource, 7)).status;
}
Process waits_for_requests(Kernel& node) {
    if (!guilty(node))
        co_return Status::ok;
    std::array requests{Request{node, takes(node)}};
    const std::size_t which = co_await any_ended(node, requests);
    co_return co_await wait(node, requests[which]);
}
Process waits_for_a_collective(Kernel& node) {
    std::uint32_t value = 0;
    std::byte byte{};
    if (guilty(node))
        co_return co_await allreduce_value(node, value);
    co_return (co_await receive(node, std::span{&byte, 1}, kSecond, 1)).status;
}

Process gathers_at_two_roots(Kernel& node) {
    std::array<std::uint32_t, 2> all{};
    co_return co_await gather_value(node, index(node.id()), all, node.id());
}

} // namespace

Process app_main(Kernel& node) {
    constexpr std::array<std::pair<std::string_view, Program>, 24> kinds{{
        {"reserved send", sends_to_the_library},
        {"reserved receive", receives_of_the_library},
        {"other size", other_ends<float, double>},
        {"other type", other_ends<float, std::uint32_t>},
        {"shorter", other_ends<double, float>},
        {"untyped size", untyped_sizes},
        {"other operator", other_operators<false>},
        {"other operator of a scan", other_operators<true>},
        {"other counts", other_counts},
        {"reserved", guards_for_the_library},
        {"nothing", joins_nothing},
        {"twice", joins_twice},
        {"awaited", awaits_twice},
        {"spawned", spawns_twice},
        {"guards", no_guard_counts},
        {"value of another type", reads_another_type<float, std::uint32_t>},
        {"value of nobody", reads_of_nobody},
        {"alt", waits_at_guards},
        {"fair alt", waits_fairly},
        {"row", waits_at_a_row},
        {"requests", waits_for_requests},
        {"collective", waits_for_a_collective},
        {"two roots", gathers_at_two_roots},
        {"rest", rests},
    }};
    for (const auto& [word, program] : kinds)
        if (word == node.arguments()[0])
            co_return co_await program(node);
    co_return Status::failed;
}
