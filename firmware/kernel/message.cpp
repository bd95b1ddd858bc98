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

// Fills and starts the packet that comes next.
void start_packet(Kernel& kernel, OutgoingPacket packet, const Parcel& parcel, Outgoing& outgoing) {
    const std::uint32_t position = outgoing.sent_bytes;
    std::uint32_t bytes =
        std::min<std::uint32_t>(parcel.options.packet_bytes, parcel.total_bytes - position);
    if (const std::uint32_t unit = parcel.options.unit_bytes; unit != 0) {
        const std::uint32_t inside = position % unit;
        bytes = std::min(bytes, unit - inside);
        packet.header().unit_bytes =
            inside == 0 ? std::min(unit, parcel.total_bytes - position) : 0;
        packet.header().flags = inside == 0 ? 0 : wire::packet_flag::kPart;
    }
    if (parcel.options.is_void)
        packet.header().flags |= wire::packet_flag::kVoid;
    packet.header().destination = parcel.to;
    packet.header().tag = parcel.options.tag;
    packet.header().service = service(position == 0 ? Service::message : Service::fragment);
    packet.header().subtree = static_cast<std::uint8_t>(outgoing.path());
    packet.header().message = outgoing.message;
    packet.header().position = position != 0 ? position : kernel.messages().before(outgoing);
    packet.header().total_bytes = parcel.total_bytes;
    parcel.source.fill(parcel.source.context, position, packet.resize(bytes));
    kernel.inject(std::move(packet));
    outgoing.sent_bytes = position + bytes;
}

// Packets that the first `position` bytes of a message take.
std::uint32_t packets_before(const SendOptions& options, std::uint32_t position) {
    const auto packets = [&options](std::uint32_t bytes) {
        return (bytes + options.packet_bytes - 1) / options.packet_bytes;
    };
    if (const std::uint32_t unit = options.unit_bytes; unit != 0)
        return position / unit * packets(unit) + packets(position % unit);
    return packets(position);
}

bool all_taken(const Outgoing& outgoing, const Parcel& parcel) {
    return outgoing.taken && outgoing.taken_bytes >= parcel.total_bytes;
}

// There is a packet to send: the offer, or what the window has room for.
bool may_send(const Outgoing& outgoing, const Parcel& parcel, bool offered) {
    if (!outgoing.has_way() || !offered)
        return outgoing.has_way();
    return outgoing.taken && outgoing.sent_bytes < parcel.total_bytes &&
           packets_before(parcel.options, outgoing.sent_bytes) <
               packets_before(parcel.options, outgoing.taken_bytes) + limits::kMessageWindowPackets;
}

// The sender has something to do, or something has been said.
bool may_go_on(const Outgoing& outgoing, const Parcel& parcel) {
    return outgoing.later || outgoing.moved || outgoing.unknown ||
           (!outgoing.lost && may_send(outgoing, parcel, true)) || all_taken(outgoing, parcel);
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
    outgoing.question = Service::ask;
    outgoing.lost = kernel.cut_off(to, options.route);
    const Parcel parcel{to, options, total_bytes, source};
    wire::ModelTime pause = wire::kTicksPerUnit;
    bool offered = false;
    while (!outgoing.unknown && !all_taken(outgoing, parcel)) {
        if (std::exchange(outgoing.moved, false) && outgoing.arrived_bytes != 0) {
            outgoing.sent_bytes = outgoing.arrived_bytes;
            offered = true;
        }
        if (outgoing.later) { // nobody takes it yet
            co_await kernel.sleep(pause);
            pause = std::min(2 * pause, kPauseMax);
            outgoing.later = offered = false;
            outgoing.sent_bytes = 0;
        }
        if (!outgoing.lost && may_send(outgoing, parcel, offered)) {
            offered = true;
            OutgoingPacket packet = co_await kernel.allocate(outgoing.rule());
            start_packet(kernel, std::move(packet), parcel, outgoing);
        }
        outgoing.ask_at = kernel.ask_time(outgoing.asked);
        co_await kernel.wait_until([&kernel, &outgoing, &parcel] {
            return may_go_on(outgoing, parcel) || kernel.may_ask(outgoing);
        });
        outgoing.ask_at = wire::kNever;
        if (may_go_on(outgoing, parcel))
            outgoing.begin_anew();
        else if (!kernel.ask(outgoing))
            co_return Status::unreachable;
    }
    if (outgoing.unknown)
        co_return Status::unreachable;
    if (options.synchronous)
        kernel.advance_clock(outgoing.taken_at);
    co_return Status::ok;
}

// Receiving ---------------------------------------------------------------------------------------

Message::Message(Kernel& kernel, Packet&& offer)
    : kernel_(kernel),
      current_(std::move(offer)),
      header_(current_.header()),
      incoming_{header_.source, header_.message, header_.payload_bytes} {
    kernel_.begin(incoming_);
}

Message::~Message() { kernel_.end(incoming_, started_ && finished()); }

// Gives out the next packet, telling the sender now and then how far its message is consumed.
Task<Packet> next(Kernel& kernel, Message& message) {
    Packet packet = std::move(message.current_);
    if (message.started_) {
        const Match rest{.service = Service::fragment, .message = message.header_.message};
        packet = co_await await_from(kernel, message.source(), rest);
        if (!packet) {
            message.status_ = packet.status();
            co_return packet;
        }
    }
    message.incoming_.consumed += packet.header().payload_bytes;
    const bool half_window = ++message.unanswered_ >= limits::kMessageWindowPackets / 2;
    if (!message.started_ || half_window || message.finished()) {
        message.unanswered_ = 0;
        message.started_ = true;
        co_await kernel.wait_until([&kernel] { return kernel.may_tell(); });
        kernel.tell({.service = Service::taken,
                     .way = message.incoming_.detour ? Way::kNone : Way::kChosen,
                     .peer = message.source(),
                     .message = message.header_.message,
                     .position = message.incoming_.consumed,
                     .detail = kernel.now()});
    }
    co_return packet;
}

Task<Received> receive(Kernel& kernel, std::span<std::byte> buffer, Tag tag, NodeId source) {
    if (source != kAnySource && index(source) >= kernel.nodes())
        co_return Received{.status = Status::bad_argument};
    const Match match{.service = Service::message, .tag = tag};
    Packet offer = co_await await_from(kernel, source, match);
    if (!offer)
        co_return Received{.status = offer.status()};
    Message message{kernel, std::move(offer)};
    Received result{Status::ok, message.source(), message.tag(), 0};
    do {
        Packet packet = co_await next(kernel, message);
        if (!packet)
            co_return Received{.status = message.status() == Status::ok ? Status::no_memory
                                                                        : message.status()};
        const auto payload = packet.payload();
        const auto bytes = std::min<std::size_t>(payload.size(), buffer.size() - result.bytes);
        std::copy_n(payload.begin(), bytes, buffer.begin() + result.bytes);
        result.bytes += static_cast<std::uint32_t>(bytes);
        if (bytes < payload.size())
            result.status = Status::truncated;
    } while (!message.finished());
    if (message.is_void())
        result.status = Status::unreachable;
    co_return result;
}

} // namespace mesh
