// Parts that send messages: floods by an outbox, and rings of channels.
#include "parts.hpp"

#include "collectives/barrier.hpp"
#include "library/outbox.hpp"

#include <vector>

namespace mesh::soak {

namespace {

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

unsigned letters_of(const At& at) { return 4 * at.rounds; }

// All is sent before any of it is taken, now and then with a barrier in between.
Task<Status> floods_whole(Kernel& node, At at) {
    const unsigned each = letters_of(at);
    unsigned to_come = 0;
    for (unsigned from = 0; from < node.nodes(); ++from)
        for (unsigned number = 0; number < each; ++number)
            to_come += from != index(node.id()) && goal(at, number, from) == node.id() ? 1u : 0u;
    Outbox outbox{node, story->room(each * (Outbox::kOverheadBytes + sizeof(Letter)))};
    for (unsigned number = 0; number < each; ++number) {
        if (number % 4 == 0)
            co_await pass(node, at.part);
        const Letter letter{index(node.id()), number};
        const Status put =
            co_await outbox.put(letter, goal(at, number, index(node.id())), at.tag());
        at.expect(put == Status::ok, "put into the outbox");
    }
    if (at.shared(502).one_in(2)) {
        const Status met = co_await barrier(node, static_cast<Tag>(at.tag() + 1));
        if (met != Status::ok)
            co_return met;
    }
    std::vector<std::uint32_t> next(node.nodes());
    for (; to_come != 0; --to_come) {
        Letter letter{};
        const Received got = co_await receive_value(node, letter, kAnySource, at.tag());
        at.expect(got.status == Status::ok && index(got.source) == letter.from, "a letter");
        if (got.status != Status::ok)
            co_return got.status;
        at.expect(letter.number >= next[letter.from], "order of letters");
        next[letter.from] = letter.number + 1;
    }
    const Status flushed = co_await outbox.flush();
    co_return flushed;
}

// The same, but another process takes what comes, and some of it may be lost. No barrier: it may
// wait for the end of a program, which would wait for these letters.
Task<Status> floods_broken(Kernel& node, At at) {
    const unsigned each = letters_of(at);
    Outbox outbox{node, story->room(each * (Outbox::kOverheadBytes + sizeof(Letter)) + 8)};
    const auto sent = story->room(each * sizeof(Sent*)); // pointers, as bytes
    for (unsigned number = 0; number < each; ++number) {
        if (number % 4 == 0)
            co_await pass(node, at.part);
        const NodeId to = goal(at, number, index(node.id()));
        Sent& letter = story->begin_send(node.id(), to, sizeof(Letter), at.part);
        wire::store(sent, number * sizeof(Sent*), &letter);
        const Status put =
            co_await outbox.put(Letter{index(node.id()), letter.number}, to, at.tag());
        at.expect(put == Status::ok, "put into the outbox");
    }
    const Status flushed = co_await outbox.flush();
    bool parted = false;
    for (unsigned number = 0; number < each; ++number) {
        Sent& letter = *wire::load<Sent*>(sent, number * sizeof(Sent*));
        parted = parted || story->ledger.parted(node.id(), node_at(letter.to));
        story->end_send(letter, flushed, flushed == Status::unreachable);
    }
    // So many messages at a time ask so much that answers may be late.
    parted = parted || story->ledger.disturbed();
    at.expect(flushed == Status::ok || (flushed == Status::unreachable && parted),
              "status of an outbox");
    co_return Status::ok;
}

/// Nobody sends to a process that takes, or it does not wait for who does.
bool is_over(const At& at, unsigned busy) {
    return busy == 0 && (at.ends_early() || at.rounds == 0 || story->ledger.settled(at.part));
}

} // namespace

Task<Status> floods(Kernel& node, At at) {
    return at.may_miss ? floods_broken(node, at) : floods_whole(node, at);
}

Process takes_letters(Kernel& node, At at, const unsigned& busy) {
    const Match letters{.service = Service::message, .tag = at.tag()};
    for (;;) {
        co_await node.wait_until([&] { return node.has(letters) || is_over(at, busy); });
        if (!node.has(letters))
            break;
        Letter letter{};
        const Received got = co_await receive_value(node, letter, kAnySource, at.tag());
        at.expect(got.status == Status::ok && index(got.source) == letter.from, "a letter");
        story->note_taken(letter.number, node.id());
    }
    story->note_end(node.id(), Status::ok);
    co_return Status::ok;
}

// Channels ----------------------------------------------------------------------------------------
//
// A ring of channels: each node writes to one that `step` further, and reads from one as far
// before.

namespace {

struct Ring {
    NodeId writer, reader;
    ChannelNumber number;

    explicit Ring(const At& at) : number(static_cast<ChannelNumber>(at.part)) {
        const unsigned nodes = at.node.nodes(), step = 1 + at.shared(0).below(nodes - 1);
        writer = node_at((index(at.node.id()) + nodes - step) % nodes);
        reader = node_at((index(at.node.id()) + step) % nodes);
    }
};

Process writes(Kernel& node, NodeId reader, ChannelNumber number, unsigned count) {
    const ChannelOut<std::uint32_t> out{node, reader, number};
    for (std::uint32_t value = 0; value < count; ++value) {
        const Status written = co_await out.write(value);
        if (written != Status::ok)
            co_return written;
    }
    co_return Status::ok;
}

Task<Status> communicates_whole(Kernel& node, At at) {
    const Ring ring{at};
    ProcessId id;
    if (!node.spawn(writes(node, ring.reader, ring.number, at.rounds), id))
        co_return Status::no_memory;
    const ChannelIn<std::uint32_t> in{node, ring.writer, ring.number};
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

Task<Status> writes_broken(Kernel&, At at) {
    const Ring ring{at};
    const ChannelOut<std::uint32_t> out{at.node, ring.reader, ring.number};
    for (unsigned round = 0; round < at.rounds; ++round) {
        co_await pass(at.node, at.part);
        Sent& value = story->begin_send(at.node.id(), ring.reader, sizeof(std::uint32_t), at.part);
        const Status written = co_await out.write(value.number);
        story->end_send(value, written, true);
        static_cast<void>(at.told(written, ring.reader, "status of a write to a channel"));
    }
    co_return Status::ok;
}

} // namespace

Task<Status> communicates(Kernel& node, At at) {
    return at.may_miss ? writes_broken(node, at) : communicates_whole(node, at);
}

Process takes_values(Kernel& node, At at, const unsigned& busy) {
    const Ring ring{at};
    const Match values = detail::channel_match(ring.writer, ring.number);
    const ChannelIn<std::uint32_t> in{node, ring.writer, ring.number};
    for (;;) {
        co_await node.wait_until([&] { return node.has(values) || is_over(at, busy); });
        if (!node.has(values))
            break;
        std::uint32_t value = 0;
        const Received got = co_await in.read(value);
        at.expect(got.status == Status::ok, "a value of a channel");
        story->note_taken(value, node.id());
    }
    story->note_end(node.id(), Status::ok);
    co_return Status::ok;
}

} // namespace mesh::soak
