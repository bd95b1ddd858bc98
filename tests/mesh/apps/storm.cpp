// A storm: processes of every node send messages all at once, to nodes drawn at random or to two
// hot ones, and others take them. Each message has bytes of its own and its number among those of
// its node to this one: its receiver checks the bytes, that each came once, and, where one process
// takes all, that they came in the order in which send() was called.
//
// Words: SENDERS MESSAGES BYTES PACKET RECEIVERS HOT SECOND PAIRED. Of every node SENDERS processes
// send MESSAGES messages of BYTES each, in packets of PACKET; RECEIVERS processes take them, for 0
// the program itself. HOT of a hundred messages go to nodes 0 and SECOND. PAIRED 1: all do, each
// sender to one of the two. Messages of less than 8 bytes have no number and are counted only.
#include "meshputer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace {

constexpr unsigned kNodesMax = 256;
constexpr unsigned kSendersMax = 14;
constexpr unsigned kReceiversMax = 7;
constexpr unsigned kTurnsMax = 1024; // senders whose turns are counted
constexpr mesh::Tag kTag = 3;

struct Label {
    std::uint16_t source, sender;
    std::uint32_t number; // of the node's messages to this one, from 1
};

struct Storm {
    unsigned senders, messages, bytes, packet, receivers, hot, second, paired;
};
Storm storm;
unsigned claimed, expected, all_taken, longest_turn;

/// In the workspace: small boards have room for it there alone.
struct Tallies {
    std::array<std::uint16_t, kNodesMax> sent;      // to each node
    std::array<std::uint16_t, kNodesMax> taken;     // of each node
    std::array<std::uint32_t, kNodesMax> numbers;   // of those, together
    std::array<std::uint16_t, kTurnsMax> last_turn; // of each sender: how many were taken then
};
Tallies* tallies;

mesh::NodeId target(const mesh::Kernel& node, unsigned source, unsigned sender, unsigned message) {
    if (storm.paired != 0)
        return mesh::node_at((source + sender) % 2 * storm.second);
    mesh::Random draw(node.job().seed * 1'000'003 + source * 8191 + sender * 131 + message);
    if (draw.below(100) < storm.hot)
        return mesh::node_at(draw.below(2) * storm.second);
    return mesh::node_at(draw.below(node.nodes()));
}

unsigned messages_from(const mesh::Kernel& node, unsigned source) {
    unsigned count = 0;
    for (unsigned sender = 0; sender < storm.senders; ++sender)
        for (unsigned message = 0; message < storm.messages; ++message)
            count += target(node, source, sender, message) == node.id() ? 1 : 0;
    return count;
}

std::byte byte_of(const Label& label, std::uint32_t position) {
    return static_cast<std::byte>(label.number * 29 + label.source * 3 + position * 7);
}

void fill(const void* context, std::uint32_t position, std::span<std::byte> out) {
    const Label& label = *static_cast<const Label*>(context);
    for (std::byte& byte : out) {
        byte = position < sizeof label ? std::as_bytes(std::span{&label, 1})[position]
                                       : byte_of(label, position);
        ++position;
    }
}

mesh::Process sends(mesh::Kernel& node, unsigned sender) {
    const unsigned self = mesh::index(node.id());
    for (unsigned message = 0; message < storm.messages; ++message) {
        const mesh::NodeId to = target(node, self, sender, message);
        const Label label{static_cast<std::uint16_t>(self), static_cast<std::uint16_t>(sender),
                          ++tallies->sent[mesh::index(to)]};
        const mesh::SendOptions options{.tag = kTag,
                                        .packet_bytes = static_cast<std::uint16_t>(storm.packet),
                                        .synchronous = false};
        const auto status = co_await mesh::send(node, to, options, storm.bytes, {fill, &label});
        if (status != mesh::Status::ok)
            co_return status;
    }
    co_return mesh::Status::ok;
}

/// A message as it comes, packet by packet.
class Coming {
public:
    void add(std::span<const std::byte> bytes) {
        for (const std::byte byte : bytes) {
            if (position_ < sizeof label_)
                std::as_writable_bytes(std::span{&label_, 1})[position_] = byte;
            else
                right_ = right_ && byte == byte_of(label_, position_);
            ++position_;
        }
    }
    /// False if its bytes or its place in the order are wrong.
    bool end(mesh::NodeId from) const {
        const unsigned source = mesh::index(from);
        ++tallies->taken[source];
        ++all_taken;
        if (position_ < sizeof label_)
            return right_ && position_ == storm.bytes;
        tallies->numbers[source] += label_.number;
        const unsigned turn = source * storm.senders + label_.sender;
        if (turn < kTurnsMax) {
            longest_turn = std::max(longest_turn, all_taken - tallies->last_turn[turn]);
            tallies->last_turn[turn] = static_cast<std::uint16_t>(all_taken);
        }
        const bool in_order = storm.receivers > 1 || label_.number == tallies->taken[source];
        return right_ && in_order && position_ == storm.bytes && label_.source == source &&
               label_.sender < storm.senders;
    }

private:
    Label label_{};
    std::uint32_t position_ = 0;
    bool right_ = true;
};

mesh::Process takes(mesh::Kernel& node) {
    while (claimed < expected) {
        ++claimed;
        mesh::Message message = co_await mesh::receive_message(node, mesh::kAnySource, kTag);
        Coming coming;
        do {
            const mesh::Packet packet = co_await mesh::next(node, message);
            if (!packet) {
                mesh::print("a message of node {} ends: {}\n", message.source(), message.status());
                co_return message.status();
            }
            coming.add(packet.payload());
        } while (!message.finished());
        if (!coming.end(message.source())) {
            mesh::print("a message of node {} is wrong\n", message.source());
            co_return mesh::Status::failed;
        }
    }
    co_return mesh::Status::ok;
}

bool all_there(const mesh::Kernel& node) {
    for (unsigned source = 0; source < node.nodes(); ++source) {
        const unsigned count = messages_from(node, source);
        const unsigned sum = storm.bytes < sizeof(Label) ? 0 : count * (count + 1) / 2;
        const unsigned taken = tallies->taken[source];
        if (taken != count || tallies->numbers[source] != sum) {
            mesh::print("{} messages of node {}, not {}\n", taken, source, count);
            return false;
        }
    }
    if (storm.paired != 0 && expected != 0)
        mesh::print("took {}, longest turn {}\n", all_taken, longest_turn);
    return true;
}

} // namespace

mesh::Process app_main(mesh::Kernel& node) {
    const auto word = [&node](std::size_t at) { return mesh::word<unsigned>(node, at, 0); };
    storm = {word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)};
    if (node.nodes() > kNodesMax || storm.senders > kSendersMax ||
        storm.receivers > kReceiversMax || storm.second >= node.nodes())
        co_return mesh::Status::bad_argument;
    tallies = new (node.workspace().data()) Tallies{};
    for (unsigned source = 0; source < node.nodes(); ++source)
        expected += messages_from(node, source);

    std::array<mesh::ProcessId, kSendersMax + kReceiversMax> ids;
    unsigned count = 0;
    for (unsigned sender = 0; sender < storm.senders; ++sender)
        if (!node.spawn(sends(node, sender), ids[count++]))
            co_return mesh::Status::no_memory;
    for (unsigned receiver = 0; receiver < storm.receivers; ++receiver)
        if (!node.spawn(takes(node), ids[count++]))
            co_return mesh::Status::no_memory;
    mesh::Status worst = mesh::Status::ok;
    if (storm.receivers == 0)
        worst = co_await takes(node);
    for (unsigned at = 0; at < count; ++at) {
        const mesh::Status status = co_await node.join(ids[at]);
        worst = worst == mesh::Status::ok ? status : worst;
    }
    if (worst == mesh::Status::ok && !all_there(node))
        worst = mesh::Status::failed;
    co_return worst;
}
