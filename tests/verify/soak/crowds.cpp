// Messages of many: storms at one or two goals, and nodes whose programs end while others send to
// them and wait for them.
#include "programs.hpp"

#include <fmt/core.h>

namespace mesh::soak {

namespace {

std::uint32_t drawn_bytes(Dice& dice) {
    return kNumberBytes + dice.below(kPacketBytes * story->work().packets - kNumberBytes);
}

/// Any other node; in a storm mostly a goal of it.
NodeId drawn_receiver(const Kernel& node, Dice& dice) {
    const Work& work = story->work();
    const unsigned other = (index(node.id()) + 1 + dice.below(node.nodes() - 1)) % node.nodes();
    if (work.goals == 0 || dice.below(100) >= work.per_cent)
        return node_at(other);
    const unsigned goal = dice.below(work.goals) == 0 ? work.first : work.second;
    return node_at(goal == index(node.id()) ? other : goal);
}

Process storms(Kernel& node, unsigned process) {
    for (unsigned step = 0; step < story->work().messages; ++step) {
        Dice dice = choices(node, process, step);
        co_await pass(node, process);
        compute_now_and_then(node, dice);
        const NodeId to = drawn_receiver(node, dice);
        const std::uint32_t bytes = drawn_bytes(dice);
        Sent& sent = story->begin_send(node.id(), to, bytes);
        const Status status = co_await send(
            node, to, {.tag = static_cast<Tag>(dice.below(2)), .packet_bytes = kPacketBytes}, bytes,
            {fill, &sent});
        story->end_send(sent, status);
    }
    story->note_end(node.id(), Status::ok);
    co_return Status::ok;
}

/// Takes a message that has come, or as much of it as `packets`; then drops it.
Task<Status> take(Kernel& node, Message& message, unsigned packets) {
    MessageParts parts;
    for (; packets != 0 && !message.finished(); --packets) {
        const Packet packet = co_await next(node, message);
        if (!packet)
            co_return message.status();
        parts.add(packet.payload());
    }
    if (message.finished())
        parts.end(node.id());
    else
        story->note_dropped(parts.number());
    co_return Status::ok;
}

Process takes_all(Kernel& node, unsigned process) {
    for (;;) {
        co_await pass(node, process);
        Message message = co_await receive_message(node);
        [[maybe_unused]] const Status status = co_await take(node, message, ~0u);
    }
}

// Programs that end -------------------------------------------------------------------------------
//
// A node's taker stays until its senders have ended, so each message is taken or its receiver's
// program has ended. Every node's first message goes to the last node, which receives one of each
// node by name, and then waits for more of some, which never come: those end.

NodeId asker(const Kernel& node) { return node_at(node.nodes() - 1); }

Task<Status> sends_one(Kernel& node, NodeId to, Dice& dice) {
    const std::uint32_t bytes = drawn_bytes(dice);
    Sent& sent = story->begin_send(node.id(), to, bytes);
    const Status status = co_await send(
        node, to, {.tag = 1, .packet_bytes = static_cast<std::uint16_t>(4 + dice.below(21))}, bytes,
        {fill, &sent});
    story->end_send(sent, status, story->has_ended(to) || story->was_dropped(sent.number));
    co_return status;
}

Process sends_and_ends(Kernel& node, unsigned process, unsigned& left) {
    Dice number = choices(node, process, 0);
    if (process == 1) {
        co_await pass(node, process);
        [[maybe_unused]] const Status status = co_await sends_one(node, asker(node), number);
    }
    const unsigned count = number.below(story->work().messages + 1);
    for (unsigned step = 1; step <= count; ++step) {
        Dice dice = choices(node, process, step);
        co_await pass(node, process);
        const unsigned others = node.nodes() - 1; // all but the asker
        const unsigned to = (index(node.id()) + 1 + dice.below(others - 1)) % others;
        [[maybe_unused]] const Status status = co_await sends_one(node, node_at(to), dice);
    }
    --left;
    story->note_end(node.id(), Status::ok);
    co_return Status::ok;
}

Process takes_and_ends(Kernel& node, unsigned process, const unsigned& left) {
    const auto there = [&node] { return node.has({.service = Service::message, .tag = kAnyTag}); };
    Dice dice = choices(node, process, 0);
    for (unsigned more = dice.below(3); left != 0 || more != 0;) {
        co_await pass(node, process);
        if (left == 0)
            more -= more != 0 ? 1 : 0;
        else
            co_await node.wait_until([&] { return left == 0 || there(); });
        if (!there())
            continue;
        Message message = co_await receive_message(node);
        [[maybe_unused]] const Status status =
            co_await take(node, message, dice.one_in(4) ? 1 : ~0u);
    }
    story->note_end(node.id(), Status::ok);
    co_return Status::ok;
}

Process asks(Kernel& node) {
    const unsigned others = node.nodes() - 1;
    Dice dice = choices(node, 0, 0);
    const unsigned first = dice.below(others);
    const unsigned again = dice.below(others + 1);
    Status worst = Status::ok;
    for (unsigned step = 0; step < others + again; ++step) {
        co_await pass(node, 0);
        const NodeId from = node_at((first + step) % others);
        const auto buffer = story->room(std::size_t{kPacketBytes} * story->work().packets);
        const Received got = co_await receive(node, buffer, from);
        if (got.status == Status::ok) {
            MessageParts parts;
            parts.add(buffer.first(got.bytes));
            parts.end(node.id());
        } else if (step < others || !story->has_ended(from)) {
            worst = got.status;
        }
    }
    story->note_end(node.id(), worst);
    co_return Status::ok;
}

} // namespace

Process start_storm(Kernel& node) {
    const unsigned senders = story->work().senders;
    story->expect(node.id(), senders);
    bool room = node.spawn(takes_all(node, 0));
    for (unsigned sender = 1; sender <= senders; ++sender)
        room = room && node.spawn(storms(node, sender));
    co_return room ? Status::ok : Status::no_memory;
}

Process start_ends(Kernel& node) {
    if (node.id() == asker(node)) {
        story->expect(node.id(), 1);
        const Status status = co_await asks(node);
        co_return status;
    }
    const unsigned senders = story->work().senders;
    story->expect(node.id(), senders + 1);
    unsigned& left = story->counter(senders);
    bool room = node.spawn(takes_and_ends(node, 0, left));
    for (unsigned sender = 1; sender <= senders; ++sender)
        room = room && node.spawn(sends_and_ends(node, sender, left));
    co_return room ? Status::ok : Status::no_memory;
}

} // namespace mesh::soak
