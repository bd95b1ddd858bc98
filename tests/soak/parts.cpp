// Several parts of the library at a time under one node: floods of messages that are taken late,
// windows, channels, collectives under tags of their own, multicasts, agreements, time-outs. Each
// part is a process; which parts there are, and what each does, follows from the seed, and the
// parts of a schedule are told by their names. Of a node that may do something else, nothing is
// lost and nobody waits for ever.
#include "programs.hpp"

#include "collectives/barrier.hpp"
#include "collectives/multicast.hpp"
#include "kernel/api/alt.hpp"
#include "library/agree.hpp"
#include "library/outbox.hpp"
#include "library/window.hpp"
#include "tests/kernel/call_sequence.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

namespace mesh::soak {

namespace {

using test::call_sequence::Kind;
using test::call_sequence::Lent;
using test::call_sequence::Step;
using test::call_sequence::Verdict;

enum class Part : std::uint8_t {
    flood,
    collectives,
    window,
    channels,
    multicasts,
    agreements,
    time_outs,
    kCount
};
constexpr std::array<const char*, static_cast<std::size_t>(Part::kCount)> kNames{
    "flood", "collectives", "window", "channels", "multicasts", "agreements", "time-outs"};

/// Numbers that all nodes draw alike for step `step` of part `part`.
Dice common(std::uint64_t seed, unsigned part, unsigned step) {
    return dice_of(seed, 0x7000'0000u + part * 0x1'0000u + step);
}
/// Numbers that node `node` draws there, which the others know.
Dice of_node(std::uint64_t seed, unsigned part, unsigned step, unsigned node) {
    return dice_of(common(seed, part, step).next(), node);
}

/// A window ends with a barrier of all nodes, so there is one at most.
Part part_of(std::uint64_t seed, unsigned part) {
    const auto drawn = static_cast<Part>(common(seed, part, 0xFFFF).below(unsigned(Part::kCount)));
    bool again = false;
    for (unsigned before = 0; before < part && drawn == Part::window; ++before)
        again = again || part_of(seed, before) == Part::window;
    return again ? Part::flood : drawn;
}

Tag tag_of(unsigned part) { return static_cast<Tag>(part % 2 == 0 ? 20 * part : 1000 + 20 * part); }

/// A process at step `step` of its part.
struct At {
    Kernel& node;
    unsigned part;
    std::uint64_t seed = story->work().seed;
    unsigned rounds = story->work().messages;

    Dice drawn(unsigned step, unsigned of) const { return of_node(seed, part, step, of); }
    Dice drawn(unsigned step) const { return drawn(step, index(node.id())); }
    Dice shared(unsigned step) const { return common(seed, part, step); }
    void expect(bool right, const char* what) const {
        if (!right)
            story->note_wrong(fmt::format("node {}, part {} ({}): {}", index(node.id()), part,
                                          kNames[unsigned(part_of(seed, part))], what));
    }
};

// Floods ------------------------------------------------------------------------------------------

struct Letter {
    std::uint32_t from, number;
};

/// The goal of message `number` of node `from`: any other node.
NodeId goal(const At& at, unsigned number, unsigned from) {
    const unsigned nodes = at.node.nodes();
    const bool to_one = at.shared(500).one_in(2); // all to the same
    Dice dice = to_one ? at.shared(501) : at.drawn(number, from);
    const unsigned to = dice.below(nodes);
    return node_at(to == from ? (to + 1) % nodes : to);
}

// All is sent before any of it is taken, now and then with a barrier in between.
Task<Status> floods(Kernel& node, At at) {
    const unsigned each = 4 * at.rounds;
    const Tag tag = tag_of(at.part);
    unsigned to_come = 0;
    for (unsigned from = 0; from < node.nodes(); ++from)
        for (unsigned number = 0; number < each; ++number)
            to_come += from != index(node.id()) && goal(at, number, from) == node.id() ? 1u : 0u;
    Outbox outbox{node, story->room(each * (Outbox::kOverheadBytes + sizeof(Letter)))};
    for (unsigned number = 0; number < each; ++number) {
        if (number % 4 == 0)
            co_await pass(node, at.part);
        const Letter letter{index(node.id()), number};
        const Status put = co_await outbox.put(letter, goal(at, number, index(node.id())), tag);
        at.expect(put == Status::ok, "put into the outbox");
    }
    if (at.shared(502).one_in(2)) {
        const Status met = co_await barrier(node, static_cast<Tag>(tag + 1));
        if (met != Status::ok)
            co_return met;
    }
    std::vector<std::uint32_t> next(node.nodes());
    for (; to_come != 0; --to_come) {
        Letter letter{};
        const Received got = co_await receive_value(node, letter, kAnySource, tag);
        at.expect(got.status == Status::ok && index(got.source) == letter.from, "a letter");
        if (got.status != Status::ok)
            co_return got.status;
        at.expect(letter.number >= next[letter.from], "order of letters");
        next[letter.from] = letter.number + 1;
    }
    const Status flushed = co_await outbox.flush();
    co_return flushed;
}

// Collectives -------------------------------------------------------------------------------------

Step drawn_step(const At& at, unsigned number) {
    constexpr std::array kKinds{Kind::barrier, Kind::broadcast, Kind::reduce, Kind::allreduce,
                                Kind::scan,    Kind::exchange,  Kind::group,  Kind::exchange};
    Dice dice = at.shared(number);
    Step step{.kind = kKinds[dice.below(kKinds.size())],
              .tag = static_cast<Tag>(tag_of(at.part) + dice.below(2)),
              .root = node_at(dice.below(at.node.nodes())),
              .bytes = 1 + dice.below(dice.one_in(2) ? 900 : 60),
              .packet_bytes = 16 + dice.below(100),
              .what = static_cast<Exchange>(dice.below(4)),
              .number = number};
    if (step.kind == Kind::exchange)
        step.bytes = 1 + dice.below(60);
    return step;
}

Task<Status> collects(Kernel& node, At at) {
    std::array<Lent, 2> memories; // by turns: late copies come until the next call
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const Step step = drawn_step(at, round);
        Lent& memory = memories[round % 2] = {};
        const Verdict verdict = co_await test::call_sequence::do_step(node, step, &memory);
        at.expect(verdict.status != Status::ok || verdict.right, "data of a collective");
        if (verdict.status != Status::ok)
            co_return verdict.status;
    }
    co_return Status::ok;
}

// Windows -----------------------------------------------------------------------------------------

// Element 0 counts tickets; node i writes and reads element 1 + i.
Task<Status> accesses(Kernel& node, At at) {
    constexpr WindowNumber kNumber{3};
    std::vector<std::uint32_t> memory(1 + node.nodes());
    Window window{node, kNumber, std::span{memory}};
    std::uint32_t own = 0;
    for (unsigned from = 0; from < node.nodes(); ++from)
        for (unsigned round = 0; round < at.rounds; ++round)
            own += at.drawn(round, from).below(node.nodes()) == index(node.id()) ? 1u : 0u;
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const NodeId target = node_at(at.drawn(round).below(node.nodes()));
        const std::uint32_t mine = 1 + index(node.id());
        const auto ticket = co_await fetch_add(node, std::uint32_t{1}, target, kNumber);
        const Status wrote = co_await put(node, round + 7, target, kNumber, mine);
        const auto read = co_await get_value<std::uint32_t>(node, target, kNumber, mine);
        at.expect(ticket.status == Status::ok && wrote == Status::ok && read.status == Status::ok,
                  "status of an operation on a window");
        at.expect(read.value == round + 7, "the value that was written");
    }
    const Status closed = co_await close(node, window);
    at.expect(closed != Status::ok || memory[0] == own, "tickets");
    co_return closed;
}

// Channels ----------------------------------------------------------------------------------------

Process writes(Kernel& node, NodeId reader, ChannelNumber number, unsigned count) {
    const ChannelOut<std::uint32_t> out{node, reader, number};
    for (std::uint32_t value = 0; value < count; ++value) {
        const Status written = co_await out.write(value);
        if (written != Status::ok)
            co_return written;
    }
    co_return Status::ok;
}

// A ring of channels: each node writes to one that `step` further, and reads from one as far
// before.
Task<Status> communicates(Kernel& node, At at) {
    const unsigned nodes = node.nodes(), step = 1 + at.shared(0).below(nodes - 1);
    const auto number = static_cast<ChannelNumber>(at.part);
    const NodeId writer = node_at((index(node.id()) + nodes - step) % nodes);
    ProcessId id;
    if (!node.spawn(writes(node, node_at((index(node.id()) + step) % nodes), number, at.rounds),
                    id))
        co_return Status::no_memory;
    const ChannelIn<std::uint32_t> in{node, writer, number};
    for (std::uint32_t round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        std::uint32_t value = ~round;
        const Received got = co_await in.read(value);
        at.expect(got.status == Status::ok && value == round, "a value of a channel");
        if (got.status != Status::ok)
            co_return got.status;
    }
    const Status written = co_await node.join(id);
    co_return written;
}

// Multicasts, agreements, time-outs ---------------------------------------------------------------

std::vector<NodeId> drawn_members(const At& at, unsigned round) {
    std::vector<NodeId> members;
    for (unsigned node = 0; node < at.node.nodes(); ++node)
        if (at.shared(round).one_in(2) == at.drawn(round, node).one_in(2))
            members.push_back(node_at(node));
    if (members.empty())
        members.push_back(node_at(round % at.node.nodes()));
    return members;
}

Task<Status> multicasts(Kernel& node, At at) {
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const std::vector<NodeId> members = drawn_members(at, round);
        const NodeId root = node_at(at.shared(round + 100).below(node.nodes()));
        std::array<std::byte, 50> bytes{};
        if (node.id() == root)
            bytes.fill(std::byte(round + 1));
        const Status status = co_await multicast(
            node, {.members = members, .root = root, .tag = tag_of(at.part)}, bytes);
        if (status != Status::ok)
            co_return status;
        const bool member = std::ranges::find(members, node.id()) != members.end();
        at.expect(bytes[7] == (member || node.id() == root ? std::byte(round + 1) : std::byte{}),
                  "bytes of a multicast");
    }
    co_return Status::ok;
}

Task<Status> agrees(Kernel& node, At at) {
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const std::vector<NodeId> members = drawn_members(at, round);
        if (std::ranges::find(members, node.id()) == members.end())
            continue;
        std::vector<NodeId> room(members.size());
        const Agreed agreed = co_await agree(
            node, Group{node, members, static_cast<Tag>(tag_of(at.part) + round % 8)},
            ~(1u << index(node.id()) % 32), room);
        if (agreed.status != Status::ok)
            co_return agreed.status;
        at.expect(agreed.left.size() == members.size(), "members that are left");
    }
    co_return Status::ok;
}

// Of a tag that nobody sends.
Task<Status> times_out(Kernel& node, At at) {
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(node, at.part);
        const Match never{.service = Service::message,
                          .tag = static_cast<Tag>(tag_of(at.part) + 9)};
        const unsigned which = co_await alt(
            node, on(never), after(node, at.drawn(round).below(40) * wire::kTicksPerUnit));
        at.expect(which == 1, "a message that nobody has sent");
    }
    co_return Status::ok;
}

Task<Status> play(At at) {
    switch (part_of(at.seed, at.part)) {
    case Part::flood: return floods(at.node, at);
    case Part::collectives: return collects(at.node, at);
    case Part::window: return accesses(at.node, at);
    case Part::channels: return communicates(at.node, at);
    case Part::multicasts: return multicasts(at.node, at);
    case Part::agreements: return agrees(at.node, at);
    case Part::time_outs:
    case Part::kCount: break;
    }
    return times_out(at.node, at);
}

Process plays(Kernel& node, unsigned part) {
    const Status status = co_await play({.node = node, .part = part});
    story->note_end(node.id(), status);
    co_return status;
}

} // namespace

std::string parts_of(const Work& work) {
    std::string names;
    for (unsigned part = 0; part < work.senders; ++part)
        names +=
            fmt::format("{}{}", part == 0 ? "" : ", ", kNames[unsigned(part_of(work.seed, part))]);
    return names;
}

Process start_parts(Kernel& node) {
    const unsigned parts = story->work().senders;
    story->expect(node.id(), parts);
    bool room = true;
    for (unsigned part = 0; part < parts; ++part)
        room = node.spawn(plays(node, part)) && room;
    co_return room ? Status::ok : Status::no_memory;
}

} // namespace mesh::soak
