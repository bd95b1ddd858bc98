// The programs of the nodes: processes that send messages and one that takes them, or rounds of
// collectives. Between any two steps of a process is a gate, so schedules order the steps as well.
#include "programs.hpp"

#include "collectives/barrier.hpp"
#include "collectives/broadcast.hpp"
#include "collectives/reduction.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace mesh::soak {

Dice choices(const Kernel& node, unsigned process, unsigned step) {
    const unsigned life = story->world().life(index(node.id()));
    return dice_of(story->work().seed,
                   (((std::uint64_t{index(node.id())} * 64 + life) * 64 + process) << 16) + step);
}

void compute_now_and_then(Kernel& node, Dice& dice) {
    if (dice.one_in(4))
        story->world().compute(node.id(), 1 + dice.below(4));
}

void fill(const void* context, std::uint32_t position, std::span<std::byte> out) {
    const std::uint32_t number = static_cast<const Sent*>(context)->number;
    for (std::byte& byte : out)
        byte = byte_of(number, position++);
}

void MessageParts::add(std::span<const std::byte> payload) {
    for (const std::byte byte : payload) {
        if (position_ < kNumberBytes)
            number_ |= std::to_integer<std::uint32_t>(byte) << 8 * position_;
        right_ = right_ && byte == byte_of(number_, position_);
        ++position_;
    }
}

void MessageParts::end(NodeId by) const {
    if (right_)
        story->note_taken(number_, by);
    else
        story->note_wrong(fmt::format("node {} has got wrong bytes", index(by)));
}

namespace {

constexpr unsigned kCollectiveBytes = 120;

Process sends(Kernel& node, unsigned process) {
    for (unsigned step = 0; step < story->work().messages; ++step) {
        Dice dice = choices(node, process, step);
        co_await pass(node, process);
        compute_now_and_then(node, dice);
        const unsigned to = (index(node.id()) + 1 + dice.below(node.nodes() - 1)) % node.nodes();
        const std::uint32_t bytes =
            kNumberBytes + dice.below(kPacketBytes * story->work().packets - kNumberBytes);
        const SendOptions options{
            .tag = static_cast<Tag>(dice.below(3)),
            .packet_bytes = static_cast<std::uint16_t>(kNumberBytes + dice.below(kPacketBytes))};
        Sent& sent = story->begin_send(node.id(), node_at(to), bytes);
        const Status status = co_await send(node, node_at(to), options, bytes, {fill, &sent});
        story->end_send(sent, status);
    }
    story->note_end(node.id(), Status::ok);
    co_return Status::ok;
}

Process takes(Kernel& node, unsigned process) {
    for (unsigned step = 0;; ++step) {
        Dice dice = choices(node, process, step);
        co_await pass(node, process);
        Message message = co_await receive_message(node);
        MessageParts parts;
        while (!message.finished()) {
            if (dice.one_in(3))
                co_await pass(node, process);
            compute_now_and_then(node, dice);
            const Packet packet = co_await next(node, message);
            if (!packet)
                break;
            parts.add(packet.payload());
        }
        if (message.finished())
            parts.end(node.id());
    }
}

// Collectives -------------------------------------------------------------------------------------

void judge(const Kernel& node, const char* what, Status status, bool right) {
    if (status == Status::ok && !right)
        story->note_wrong(fmt::format("node {} has wrong data of a {}", index(node.id()), what));
}

Rule tree_of(const Kernel& node) {
    switch (node.network().topology) {
    case Topology::cube: return Rule::sbt;
    case Topology::uhc: return Rule::bts;
    case Topology::star: break;
    }
    return Rule::spt;
}

Task<Status> broadcasts(Kernel& node, unsigned round) {
    const auto buffer = node.workspace().first(kCollectiveBytes);
    const BroadcastPlan plan{.tree = tree_of(node),
                             .root = node_at(round % node.nodes()),
                             .total_bytes = kCollectiveBytes,
                             .packet_bytes = 40,
                             .tag = static_cast<Tag>(10 + 4 * round)};
    for (unsigned at = 0; at < buffer.size(); ++at)
        buffer[at] = node.id() == plan.root ? byte_of(round, at) : std::byte{0};
    const Status status = co_await broadcast(node, plan, buffer);
    bool right = true;
    for (unsigned at = 0; at < buffer.size(); ++at)
        right = right && buffer[at] == byte_of(round, at);
    judge(node, "broadcast", status, right);
    co_return status;
}

Task<Status> sums(Kernel& node, unsigned round) {
    const auto buffer = node.workspace().first(kCollectiveBytes);
    std::array<std::uint32_t, kCollectiveBytes / 4> words;
    words.fill(index(node.id()) + round);
    std::ranges::copy(std::as_bytes(std::span{words}), buffer.begin());
    const ReducePlan plan{.tree = tree_of(node),
                          .root = node_at(round % node.nodes()),
                          .total_bytes = kCollectiveBytes,
                          .packet_bytes = 40,
                          .tag = static_cast<Tag>(11 + 4 * round),
                          .combiner = *combiner(Operator::sum, ElementType::u32)};
    const Status status = co_await allreduce(node, plan, buffer);
    const std::uint32_t nodes = node.nodes();
    words.fill(nodes * (nodes - 1) / 2 + nodes * round);
    judge(node, "allreduce", status, std::ranges::equal(std::as_bytes(std::span{words}), buffer));
    co_return status;
}

Process meets(Kernel& node) {
    Status worst = Status::ok;
    for (unsigned round = 0; round < story->work().messages; ++round) {
        for (unsigned what = 0; what < 3; ++what) {
            Dice dice = choices(node, 0, 4 * round + what);
            co_await pass(node, 0);
            compute_now_and_then(node, dice);
            Status status = Status::ok;
            if (what == 0)
                status = co_await broadcasts(node, round);
            else if (what == 1)
                status = co_await barrier(node, static_cast<Tag>(13 + 4 * round));
            else
                status = co_await sums(node, round);
            worst = worst == Status::ok ? status : worst;
        }
    }
    story->note_end(node.id(), worst);
    co_return Status::ok;
}

} // namespace

Process program(Kernel& node) {
    switch (story->work().kind) {
    case Work::Kind::messages: break;
    case Work::Kind::storm: co_return co_await start_storm(node);
    case Work::Kind::ends: co_return co_await start_ends(node);
    case Work::Kind::sequence: co_return co_await start_sequence(node);
    case Work::Kind::flaps: co_return co_await start_flaps(node);
    case Work::Kind::parts: co_return co_await start_parts(node);
    case Work::Kind::collectives: {
        story->expect(node.id(), 1);
        const Status status = co_await meets(node);
        co_return status;
    }
    }
    const unsigned senders = story->work().senders;
    story->expect(node.id(), senders);
    bool room = node.spawn(takes(node, 0));
    for (unsigned sender = 1; sender <= senders; ++sender)
        room = room && node.spawn(sends(node, sender));
    co_return room ? Status::ok : Status::no_memory;
}

} // namespace mesh::soak
