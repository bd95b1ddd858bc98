// Messages: 0 bytes to 1 MiB between any two nodes, synchronous as occam's channels.
//
// A message is cut into packets. The first one offers it; the sender goes on when the receiver has
// taken that, and never has more than kMessageWindowPackets on the way that the receiver has not
// consumed, so a slow receiver holds back its own sender and nobody else. Where no process is
// ready to take an offer and too many wait already, the offer is sent back to wait at its source.
// Messages of one node to another are taken in the order in which send() was called.
//
// A message gets through as long as one of the disjoint paths between the two nodes is left
// (ARCHITECTURE.md), and it is taken once. A sender knows that its way is lost when a link of it
// has died or, if nobody can tell, when a question has had no answer: three times kAskPatience of
// the least patience of the links after it last heard something. Then it asks by all paths, and if
// no answer comes within one kAskPatience more, it ends.
//
// In model time packets start when their port is free, whatever the receiver does; the sender's
// clock goes on when send() ends: to the moment at which the receiving process took the last
// packet. All end-to-end control is outside the model time.
#pragma once

#include "kernel/await.hpp"
#include "kernel/kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace mesh {

/// Where the bytes of a message come from: `fill(context, position, out)` writes them.
struct ByteSource {
    void (*fill)(const void* context, std::uint32_t position, std::span<std::byte> out);
    const void* context;
};

struct SendOptions {
    Tag tag = 0;
    std::uint16_t packet_bytes = wire::kPayloadBytesMax; // largest payload of one packet, 1..1024
    std::uint32_t unit_bytes = 0; // of an external packet; 0: each packet is one. Neighbours only
    Rule route = Rule::unicast;   // or a tree: along the path of the one rooted here
    bool synchronous = true; // in model time too: ends when the receiver has it, not when it leaves
    bool is_void = false;    // the sender could not make it: receive() gives unreachable for it
};

/// Sends `total_bytes` (0 .. kMessageBytesMax) to `to`. Completes when the receiver has consumed
/// them all. ok; unreachable: the receiver does not answer by any path, or has left it (it is not
/// known whether it has arrived); bad_argument: no such node, or size out of range.
Task<Status> send(Kernel& kernel, NodeId to, SendOptions options, std::uint32_t total_bytes,
                  ByteSource source);

/// The same for bytes in memory, which must stay until it completes.
inline Task<Status> send(Kernel& kernel, NodeId to, SendOptions options,
                         std::span<const std::byte> data) {
    const auto copy = [](const void* from, std::uint32_t position, std::span<std::byte> out) {
        std::copy_n(static_cast<const std::byte*>(from) + position, out.size(), out.begin());
    };
    return send(kernel, to, options, static_cast<std::uint32_t>(data.size()), {copy, data.data()});
}

/// A message being received, packet by packet, without copying. If it goes before it is finished,
/// its sender hears that nobody knows of it.
class Message {
public:
    /// `offer`: the first packet, just taken from the mailbox.
    Message(Kernel& kernel, Packet&& offer);
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message();

    NodeId source() const { return header_.source; }
    Tag tag() const { return header_.tag; }
    std::uint32_t bytes() const { return header_.total_bytes; }
    bool is_void() const { return (header_.flags & wire::packet_flag::kVoid) != 0; }
    /// True when next() has given the last packet.
    bool finished() const { return incoming_.consumed >= header_.total_bytes; }
    /// ok, or why next() has given no packet.
    Status status() const { return status_; }

private:
    friend Task<Packet> next(Kernel& kernel, Message& message);

    Kernel& kernel_;
    Packet current_;
    const wire::PacketHeader header_;
    Incoming incoming_;
    Status status_ = Status::ok;
    std::uint8_t unanswered_ = 0; // packets since the sender was last told
    bool started_ = false;
};

/// `Message m = co_await receive_message(kernel, tag, source)`: takes the next offer that matches.
inline auto receive_message(Kernel& kernel, Tag tag = kAnyTag, NodeId source = kAnySource) {
    const Match offer{.service = Service::message, .tag = tag, .source = source};
    return detail::wait(
        kernel, [&kernel, offer] { return kernel.has(offer); },
        [&kernel, offer] {
            return Message{kernel, kernel.take(offer)};
        });
}

/// `Packet p = co_await next(kernel, message)`: its packets in order; the first call gives the
/// first. Giving out a packet tells the sender that it is consumed, so it must be called until
/// message.finished(). Gives none if message.status() is not ok: its sender is unreachable or has
/// given it up, or no_memory. Precondition: not finished.
Task<Packet> next(Kernel& kernel, Message& message);

/// What receive() has got.
struct Received {
    Status status = Status::no_memory;
    NodeId source = kNoNode;
    Tag tag = 0;
    std::uint32_t bytes = 0; // in the buffer
};

/// Receives one whole message into `buffer`. ok; truncated: it was longer, the rest is discarded;
/// unreachable: `source`, or the sender of a message that has begun, does not answer by any path,
/// or has given the message up; bad_argument: no such source; no_memory.
Task<Received> receive(Kernel& kernel, std::span<std::byte> buffer, Tag tag = kAnyTag,
                       NodeId source = kAnySource);

} // namespace mesh
