#include "kernel/message.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

namespace {

constexpr std::uint8_t service(Service value) { return static_cast<std::uint8_t>(value); }

constexpr wire::ModelTime kPauseMax = 64 * wire::kTicksPerUnit;

struct Parcel {
    NodeId to;
    SendOptions options;
    std::uint32_t total_bytes;
    ByteSource source;
};

// Fills and starts the packet at `position`; returns the position after it.
std::uint32_t start_packet(Kernel& kernel, Packet packet, const Parcel& parcel,
                           const Outgoing& outgoing, std::uint32_t position) {
    std::uint32_t bytes =
        std::min<std::uint32_t>(parcel.options.packet_bytes, parcel.total_bytes - position);
    if (const std::uint32_t unit = parcel.options.unit_bytes; unit != 0) {
        const std::uint32_t inside = position % unit;
        bytes = std::min(bytes, unit - inside);
        packet.header().unit_bytes =
            inside == 0 ? std::min(unit, parcel.total_bytes - position) : 0;
        packet.header().flags = inside == 0 ? 0 : wire::packet_flag::kPart;
    }
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

// The sender has something to do: an offer to repeat, a packet to send, or an end.
bool may_go_on(const Outgoing& outgoing, std::uint32_t position, std::uint32_t total_bytes,
               std::uint32_t window) {
    if (outgoing.lost || outgoing.later)
        return true;
    if (!outgoing.taken)
        return false;
    return position < total_bytes ? position < outgoing.taken_bytes + window
                                  : outgoing.taken_bytes >= total_bytes;
}

// Goes the way that the message goes, so that it finds out whether that is still there.
void ask(Kernel& kernel, Packet packet, const Outgoing& outgoing) {
    packet.header().destination = outgoing.to;
    packet.header().service = service(Service::ask);
    packet.header().flags = wire::packet_flag::kTimeless;
    packet.header().message = outgoing.message;
    kernel.inject(std::move(packet));
}

} // namespace

// Control takes no model time, so in the model the packets behind the first wait for their port
// only, not for the receiver's answer.
Task<Status> send(Kernel& kernel, NodeId to, SendOptions options, std::uint32_t total_bytes,
                  ByteSource source) {
    if (index(to) >= kernel.nodes() || total_bytes > limits::kMessageBytesMax ||
        options.packet_bytes == 0 || options.packet_bytes > wire::kPayloadBytesMax ||
        !kernel.can_carry(options.route))
        co_return Status::bad_argument;
    Outgoing outgoing{kernel.messages(), to, options.route};
    kernel.messages().number(outgoing);
    const Parcel parcel{to, options, total_bytes, source};
    const std::uint32_t window = limits::kMessageWindowPackets * options.packet_bytes;
    wire::ModelTime pause = wire::kTicksPerUnit;
    std::uint32_t position = 0;
    bool offered = false;
    unsigned asked = 0; // in a row
    while (!outgoing.lost && !(outgoing.taken && outgoing.taken_bytes >= total_bytes)) {
        if (outgoing.later) { // nobody takes it yet
            co_await kernel.sleep(pause);
            pause = std::min(2 * pause, kPauseMax);
            outgoing.later = offered = false;
            position = 0;
        }
        if (!offered || (outgoing.taken && position < total_bytes)) {
            offered = true;
            Packet packet = co_await kernel.allocate(options.route);
            position = start_packet(kernel, std::move(packet), parcel, outgoing, position);
        }
        outgoing.ask_at = kernel.ask_time(asked);
        co_await kernel.wait_until([&kernel, &outgoing, position, total_bytes, window] {
            return may_go_on(outgoing, position, total_bytes, window) ||
                   kernel.due(outgoing.ask_at);
        });
        outgoing.ask_at = wire::kNever;
        if (may_go_on(outgoing, position, total_bytes, window)) {
            asked = 0;
            continue;
        }
        const bool answered = std::exchange(outgoing.alive, false);
        if (asked != 0 && !answered)
            co_return Status::unreachable;
        Packet packet = co_await kernel.allocate(options.route);
        ask(kernel, std::move(packet), outgoing);
        ++asked;
    }
    co_return outgoing.lost ? Status::unreachable : Status::ok;
}

// Gives out the next packet, telling the sender now and then how far its message is consumed.
Task<Packet> next(Kernel& kernel, Message& message) {
    Packet packet = std::move(message.current_);
    if (message.started_)
        packet = co_await kernel.receive({.service = Service::fragment,
                                          .source = message.header_.source,
                                          .message = message.header_.message});
    const std::uint32_t bytes = packet.header().payload_bytes;
    message.consumed_ += bytes;
    const bool half_window =
        message.consumed_ - message.acknowledged_ >= limits::kMessageWindowPackets / 2 * bytes;
    if (!message.started_ || half_window || message.finished()) {
        message.acknowledged_ = message.consumed_;
        Packet answer = co_await kernel.allocate(Rule::unicast);
        answer.header().destination = message.header_.source;
        answer.header().service = service(Service::taken);
        answer.header().flags = wire::packet_flag::kTimeless;
        answer.header().message = message.header_.message;
        answer.header().position = message.consumed_;
        kernel.inject(std::move(answer));
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
