#include "kernel/message.hpp"

#include <algorithm>
#include <cstring>

namespace mesh {

namespace {

constexpr std::uint8_t service(Service value) {
    return static_cast<std::uint8_t>(value);
}

// Registers a message with the kernel for as long as send() runs.
class Registration {
public:
    explicit Registration(Kernel& kernel) : kernel_(kernel) { kernel_.add(outgoing); }
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration() { kernel_.remove(outgoing); }
    Outgoing outgoing;

private:
    Kernel& kernel_;
};

struct Parcel {
    NodeId to;
    SendOptions options;
    std::uint32_t total_bytes;
    ByteSource source;
};

// Fills and starts the packet at `position`; returns the position after it.
std::uint32_t start_packet(Kernel& kernel, Packet packet, const Parcel& parcel,
                           const Outgoing& outgoing, std::uint32_t position) {
    const std::uint32_t bytes =
        std::min<std::uint32_t>(parcel.options.packet_bytes, parcel.total_bytes - position);
    packet.header().destination = parcel.to;
    packet.header().tag = parcel.options.tag;
    packet.header().service = service(position == 0 ? Service::message : Service::fragment);
    packet.header().message = outgoing.message;
    packet.header().position = position;
    packet.header().total_bytes = parcel.total_bytes;
    parcel.source.fill(parcel.source.context, position, packet.resize(bytes));
    kernel.inject(std::move(packet));
    return position + bytes;
}

// Offers the message until somebody takes it. Returns the position after the first packet.
Task<std::uint32_t> offer(Kernel& kernel, const Parcel& parcel, Outgoing& outgoing) {
    wire::ModelTime pause = wire::kTicksPerUnit;
    std::uint32_t position = 0;
    for (;;) {
        outgoing.later = false;
        position = start_packet(kernel, co_await kernel.allocate(Rule::unicast), parcel, outgoing,
                                0);
        co_await kernel.wait_until(
            [&outgoing] { return outgoing.taken || outgoing.later || outgoing.lost; });
        if (outgoing.taken || outgoing.lost)
            co_return position;
        co_await kernel.sleep(pause);
        pause = std::min<wire::ModelTime>(2 * pause, 64 * wire::kTicksPerUnit);
    }
}

// Lets packets out up to a window ahead of what the receiver has consumed.
bool may_send(const Outgoing& outgoing, std::uint32_t position, std::uint32_t window) {
    return outgoing.lost || position < outgoing.taken_bytes + window;
}

} // namespace

// The whole first window leaves before the receiver's answer can be there, as the model wants it:
// control takes no model time, but the packets behind the first have to wait for their port only.
Task<Status> send(Kernel& kernel, NodeId to, SendOptions options, std::uint32_t total_bytes,
                  ByteSource source) {
    if (index(to) >= kernel.nodes() || total_bytes > limits::kMessageBytesMax ||
        options.packet_bytes == 0 || options.packet_bytes > wire::kPayloadBytesMax)
        co_return Status::bad_argument;
    Registration registration{kernel};
    Outgoing& outgoing = registration.outgoing;
    const Parcel parcel{to, options, total_bytes, source};
    std::uint32_t position = co_await offer(kernel, parcel, outgoing);
    const std::uint32_t window = limits::kMessageWindowPackets * options.packet_bytes;
    while (position < total_bytes && !outgoing.lost) {
        co_await kernel.wait_until(
            [&outgoing, position, window] { return may_send(outgoing, position, window); });
        if (!outgoing.lost)
            position = start_packet(kernel, co_await kernel.allocate(Rule::unicast), parcel,
                                    outgoing, position);
    }
    co_await kernel.wait_until([&outgoing, total_bytes] {
        return outgoing.lost || outgoing.taken_bytes >= total_bytes;
    });
    co_return outgoing.lost ? Status::unreachable : Status::ok;
}

Task<Status> send(Kernel& kernel, NodeId to, SendOptions options, std::span<const std::byte> data) {
    co_return co_await send(
        kernel, to, options, static_cast<std::uint32_t>(data.size()),
        ByteSource{[](const void* from, std::uint32_t position, std::span<std::byte> out) {
                       std::memcpy(out.data(), static_cast<const std::byte*>(from) + position,
                                   out.size());
                   },
                   data.data()});
}

Task<Message> receive_message(Kernel& kernel, Tag tag, NodeId source) {
    co_return Message{
        co_await kernel.receive({.service = Service::message, .tag = tag, .source = source})};
}

namespace {
Task<Status> tell_taken(Kernel& kernel, const wire::PacketHeader& offer, std::uint32_t consumed) {
    Packet packet = co_await kernel.allocate(Rule::unicast);
    packet.header().destination = offer.source;
    packet.header().service = service(Service::taken);
    packet.header().flags = wire::packet_flag::kTimeless;
    packet.header().message = offer.message;
    packet.header().position = consumed;
    kernel.inject(std::move(packet));
    co_return Status::ok;
}
} // namespace

Task<Packet> next(Kernel& kernel, Message& message) {
    Packet packet = std::move(message.current_);
    if (message.started_)
        packet = co_await kernel.receive({.service = Service::fragment,
                                          .source = message.header_.source,
                                          .message = message.header_.message});
    const std::uint32_t bytes = packet.header().payload_bytes;
    message.consumed_ += bytes;
    const bool due = message.consumed_ - message.acknowledged_ >=
                         limits::kMessageWindowPackets / 2 * bytes ||
                     message.consumed_ >= message.header_.total_bytes;
    if (due || !message.started_) {
        message.acknowledged_ = message.consumed_;
        if (co_await tell_taken(kernel, message.header_, message.consumed_) != Status::ok)
            co_return Packet{};
    }
    message.started_ = true;
    co_return packet;
}

Task<Received> receive(Kernel& kernel, std::span<std::byte> buffer, Tag tag, NodeId source) {
    Message message = co_await receive_message(kernel, tag, source);
    Received result{Status::ok, message.source(), message.tag(), 0};
    do {
        Packet packet = co_await next(kernel, message);
        if (!packet)
            co_return Received{};
        const auto payload = packet.payload();
        const auto bytes = std::min<std::size_t>(payload.size(), buffer.size() - result.bytes);
        std::copy_n(payload.begin(), bytes, buffer.begin() + result.bytes);
        result.bytes += static_cast<std::uint32_t>(bytes);
        if (bytes < payload.size())
            result.status = Status::truncated;
    } while (!message.finished());
    co_return result;
}

} // namespace mesh
