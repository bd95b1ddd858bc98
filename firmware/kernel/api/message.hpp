// Messages: 0 bytes to 1 MiB between any two nodes, synchronous as occam's channels.
//
// A message is cut into packets. The first one offers it; the sender goes on when the receiver has
// taken the offer, and never has more than kMessageWindowPackets on the way that the receiver has
// not consumed, so a slow receiver holds back its own sender and nobody else. Where no process is
// ready to take an offer and too many wait already, the offer is sent back to wait at its source.
// Messages of one node to another are taken in the order in which send() was called.
//
// A message gets through as long as one of the disjoint paths between the two nodes is left
// (ARCHITECTURE.md), and it is taken once. A sender knows that its way is lost when a link of it
// has died or, if nobody can tell, when a question has had no answer: three times kAskRtos
// times the least RTO of the links after it last heard something. Then it asks by all paths, and if
// no answer comes within a third of that time, it ends.
//
// In model time packets start when their port is free, whatever the receiver does; the sender's
// clock goes on when send() ends: to the moment at which the receiving process took the last
// packet. All end-to-end control is outside the model time.
#pragma once

#include "hal/check.hpp"
#include "hal/notes.hpp"
#include "kernel/api/await.hpp"
#include "kernel/api/type_notes.hpp"
#include "kernel/node/kernel.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace mesh {

/// How a message leaves. All of it has a default; a program sets `tag` alone as a rule.
struct SendOptions {
    Tag tag = 0;
    std::uint16_t packet_bytes = wire::payload_bytes_max(); // largest payload of one packet
    std::uint32_t unit_bytes = 0; // of an external packet; 0: each packet is one. Neighbours only
    Rule route = Rule::unicast;   // or a tree: along the path of the one rooted here
    bool synchronous = true; // in model time too: ends when the receiver has it, not when it leaves
    bool is_poisoned = false; // the sender could not make it: receive() gives unreachable for it
    std::uint16_t call = 0;   // of a collective: CallLabel::call
#if MESH_NOTES
    const detail::TypeNote* type = nullptr; // of the value that the bytes are, if that is known
#endif
};

/// See send().
class MESH_AWAITED Sending : public Waiting {
public:
    Sending(Kernel& kernel, NodeId to, const SendOptions& options, std::uint32_t total_bytes,
            ByteSource source);
    [[gnu::warn_unused_result]] Status await_resume() const { return status_; }
    /// As a process of its own: `spawn(send(...))`.
    operator Process() const;

protected:
    /// Its next steps, for an object that is a part of a wait for several messages: called by the
    /// process that waits, at once and after every event, until it returns true.
    bool go_on();

private:
    friend class Attempt;
    friend struct WaitPlaces;
    static bool ask(Waiting& self) { return static_cast<Sending&>(self).go_on(); }

    bool send_packet();
    std::uint32_t size_packet(wire::PacketHeader& header) const;
    bool owes_hint() const;
    bool may_send() const;
    bool all_taken() const;

    Outgoing outgoing_; // first: short instructions reach it there
    Kernel& kernel_;
    SendOptions options_;
    std::uint32_t total_bytes_;
    ByteSource source_;
    Status status_ = Status::ok;
};

/// `Status s = co_await send(kernel, to, options, total_bytes, source)`: sends `total_bytes`
/// (0 .. kMessageBytesMax) to `to`. Completes when the receiver has consumed them all. ok;
/// unreachable: the receiver does not answer by any path, or has left the message (it is not known
/// whether it has arrived); bad_argument: no such node, size out of range, or a tag above
/// kProgramTagMax.
inline Sending send(Kernel& kernel, NodeId to, const SendOptions& options,
                    std::uint32_t total_bytes, ByteSource source) {
    return {kernel, to, options, total_bytes, source};
}

/// The same for bytes in memory, which must stay until it completes.
inline Sending send(Kernel& kernel, NodeId to, const SendOptions& options,
                    std::span<const std::byte> data) {
    return {kernel, to, options, static_cast<std::uint32_t>(data.size()), bytes_in(data)};
}

/// A message being received, packet by packet, without copying. If the object is destroyed before
/// the message is finished, the sender hears that nobody knows of it.
class Message {
public:
    /// `offer`: the first packet, just taken from the mailbox.
    Message(Kernel& kernel, Packet&& offer);
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message();

    /// The node that has sent it.
    NodeId source() const { return header_.source; }
    /// The tag under which it was sent.
    Tag tag() const { return header_.tag; }
    /// Bytes of the whole message, 0 .. kMessageBytesMax, as its sender says.
    std::uint32_t bytes() const { return header_.total_bytes; }
    /// True if its sender could not make it: its bytes mean nothing (SendOptions::is_poisoned).
    bool is_poisoned() const { return (header_.flags & wire::packet_flag::kPoisoned) != 0; }
    /// True when next() has given the last packet.
    bool finished() const { return given_bytes_ >= header_.total_bytes; }
    /// True when the last packet has been given, also the one packet of an empty message.
    bool at_end() const { return started_ && finished(); }
    /// ok, or why next() has given no packet.
    Status status() const { return status_; }

private:
    friend class NextPacket;
    friend class Receiving;

    bool advance(std::optional<SourceWait>& wait);

    Status status_ = Status::ok;
    std::uint8_t unanswered_ = 0; // packets since the sender was last told
    bool started_ = false;
    std::uint32_t given_bytes_ = 0; // by next()
    Kernel& kernel_;
    Packet current_;
    const wire::PacketHeader header_;
    Incoming incoming_;
#if MESH_NOTES
    const detail::TypeNote* type_ = nullptr; // of the value that was sent, if that is known
#endif
};

/// `Message m = co_await receive_message(kernel, source, tag)`: takes the next offer that matches.
inline auto receive_message(Kernel& kernel, NodeId source = kAnySource, Tag tag = kAnyTag) {
    const Match offer{.service = Service::message, .tag = tag, .source = source};
    return detail::wait(kernel, detail::MailThere{kernel, offer}, [&kernel, offer] {
        // Nobody may ask between take and begin.
        const CriticalSection section(kernel.scheduler().critical_depth());
        return Message{kernel, kernel.take(offer)};
    });
}

/// See next().
class MESH_AWAITED NextPacket : public Waiting {
public:
    NextPacket(Kernel& kernel, Message& message);
    Packet await_resume() { return std::move(message_.current_); }

private:
    friend struct WaitPlaces;
    static bool ask(Waiting& self) {
        auto& next = static_cast<NextPacket&>(self);
        return next.message_.advance(next.wait_);
    }

    Message& message_;
    std::optional<SourceWait> wait_;
};

/// `Packet p = co_await next(kernel, message)`: its packets in order; the first call gives the
/// first. When a packet is given back (it goes), the sender is told that it is consumed, so next()
/// must be called until message.finished(). Gives none if message.status() is not ok: its sender is
/// unreachable or has given it up. Precondition: not at_end().
inline NextPacket next(Kernel& kernel, Message& message) {
    MESH_CHECK(!message.at_end(), message_at_its_end);
    return {kernel, message};
}

/// The result of receive().
struct [[nodiscard]] Received {
    Status status = Status::ok;
    NodeId source = kNoNode;
    Tag tag = 0;
    std::uint32_t bytes = 0; // in the buffer
};

/// See receive().
class MESH_AWAITED Receiving : public Waiting {
public:
    /// For an offer that is not a program's own, as receive() is for one that is.
    Receiving(Kernel& kernel, std::span<std::byte> buffer, const Match& offer);
    [[gnu::warn_unused_result]] const Received& await_resume() const { return result_; }
    /// The same receive beside its caller: `Request r{kernel, receive(...)}`.
    operator Task<Received>() const;
    /// The result, with this verdict, if it was given up (kernel/api/within.hpp): whose message
    /// had begun, if any.
    const Received& given_up(Status verdict) {
        result_.status = verdict;
        return result_;
    }
#if MESH_NOTES
    /// Of the value that was sent, if that is known; else nullptr.
    const detail::TypeNote* type() const { return type_; }
#endif

protected:
    /// The result; bad_argument if the message has not filled the buffer.
    const Received& whole() {
        if (result_.status == Status::ok && result_.bytes != buffer_.size())
            result_.status = Status::bad_argument;
        return result_;
    }

private:
    friend class Attempt;
    friend struct WaitPlaces;
    static bool ask(Waiting& self) { return static_cast<Receiving&>(self).go_on(); }

    bool go_on();
    bool begin();

    Kernel& kernel_;
    std::span<std::byte> buffer_;
    Received result_;
    std::optional<SourceWait> wait_;
    std::optional<Message> message_;
#if MESH_NOTES
    const detail::TypeNote* type_ = nullptr;
#endif
};

namespace detail {
/// For send(): a value of type T leaves with this label.
template <class T>
constexpr SendOptions options_for(CallLabel label) {
#if MESH_NOTES
    return {.tag = label.tag, .call = label.call, .type = &kTypeNote<T>};
#else
    return {.tag = label.tag, .call = label.call};
#endif
}

/// CHECK `id`, in a simulation: what was received may be taken as a T.
template <class T>
constexpr void check_taken_as([[maybe_unused]] const Receiving& received,
                              [[maybe_unused]] CheckId id MESH_PLACE) {
#if MESH_NOTES
    check_type(received.type(), kTypeNote<T>, id, place);
#endif
}
} // namespace detail

/// `Received r = co_await receive(kernel, buffer, source, tag)`: receives one whole message of a
/// program into `buffer`. ok; truncated: it was longer, the rest is discarded; unreachable:
/// `source`, or the sender of a message that has begun, does not answer by any path, or has given
/// the message up; bad_argument: no such source, or a tag above kProgramTagMax that is not kAnyTag.
/// Of several processes that may take a message, the one that called first takes it.
inline Receiving receive(Kernel& kernel, std::span<std::byte> buffer, NodeId source = kAnySource,
                         Tag tag = kAnyTag) {
    return {kernel, buffer, {.service = Service::message, .tag = tag, .source = source}};
}
/// The same for a message of a call of a collective.
[[gnu::noinline]] inline Receiving receive(Kernel& kernel, std::span<std::byte> buffer,
                                           NodeId source, CallLabel label) {
    return {kernel,
            buffer,
            {.service = Service::message, .tag = label.tag, .source = source, .call = label.call}};
}

} // namespace mesh
