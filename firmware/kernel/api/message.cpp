#include "kernel/api/message.hpp"

#include "kernel/api/channel.hpp"

#include <algorithm>
#include <utility>

namespace mesh {

namespace {

// Packets that the first `position` bytes of a message take.
std::uint32_t packets_before(const SendOptions& options, std::uint32_t position) {
    const auto packets = [&options](std::uint32_t bytes) {
        return (bytes + options.packet_bytes - 1) / options.packet_bytes;
    };
    if (const std::uint32_t unit = options.unit_bytes; unit != 0)
        return position / unit * packets(unit) + packets(position % unit);
    return packets(position);
}

Process send_alone(Kernel& kernel, NodeId to, SendOptions options, std::uint32_t total_bytes,
                   ByteSource source) {
    const Status status = co_await send(kernel, to, options, total_bytes, source);
    co_return status;
}

Task<Received> receive_alone(Kernel& kernel, std::span<std::byte> buffer, Match offer) {
    const Received received = co_await Receiving{kernel, buffer, offer};
    co_return received;
}

} // namespace

// Sending -----------------------------------------------------------------------------------------

Sending::Sending(Kernel& kernel, NodeId to, const SendOptions& options, std::uint32_t total_bytes,
                 ByteSource source)
    : Waiting(kernel.scheduler(), ask),
      outgoing_{kernel.messages(), index(to) < kernel.nodes() ? to : kNoNode, options.route},
      kernel_(kernel),
      options_(options),
      total_bytes_(total_bytes),
      source_(source) {
    if (index(to) >= kernel.nodes() || total_bytes > limits::kMessageBytesMax ||
        options.packet_bytes == 0 || options.packet_bytes > wire::payload_bytes_max() ||
        (options.tag > kProgramTagMax && options.call == 0) ||
        !kernel.can_carry(options.route, Service::message)) {
        outgoing_.lose_way(); // nobody asks for one
        status_ = Status::bad_argument;
        return;
    }
    outgoing_.question = Service::ask;
    outgoing_.label = CallLabel::of(options.tag, options.call).word();
    kernel.messages().look_at_way(outgoing_);
}

bool Sending::all_taken() const { return outgoing_.taken && outgoing_.taken_bytes >= total_bytes_; }

// Its receiver does not know that this message waits here.
bool Sending::owes_hint() const {
    return outgoing_.hints || (!outgoing_.offered && !outgoing_.held && outgoing_.answers == 0 &&
                               kernel_.peer(outgoing_.to).crowded != 0);
}

// There is a packet to send: the offer, or a fragment that the window has room for.
bool Sending::may_send() const {
    if (outgoing_.lost || outgoing_.unknown || !outgoing_.has_way())
        return false;
    if (outgoing_.hints)
        return true;
    if (!outgoing_.offered)
        return !outgoing_.taken && (owes_hint() || kernel_.messages().in_turn(outgoing_));
    return outgoing_.taken && outgoing_.sent_bytes < total_bytes_ &&
           packets_before(options_, outgoing_.sent_bytes) <
               packets_before(options_, outgoing_.taken_bytes) + limits::kMessageWindowPackets;
}

// Fills and starts the packet that comes next. False if the pool cannot start one now. To a crowded
// node that has not called goes a hint, and the message waits here.
bool Sending::send_packet() {
    const bool offers = !outgoing_.taken;
    const bool hints = offers && owes_hint();
    if (offers && !hints)
        kernel_.messages().number(outgoing_);
    wire::PacketHeader header{.destination = outgoing_.to,
                              .tag = options_.tag,
                              .flags = options_.is_poisoned ? wire::packet_flag::kPoisoned
                                                            : std::uint8_t{0},
                              .message = outgoing_.message,
                              .total_bytes = total_bytes_};
    header.call = CallLabel::of(options_.tag, options_.call).call;
    put_paths(header, outgoing_.paths, outgoing_.route);
    if (offers) {
        header.service = static_cast<std::uint8_t>(Service::message);
        const Peer& peer = kernel_.peer(outgoing_.to);
        if (outgoing_.answers != peer.heard)
            outgoing_.answers = 0; // that was a call of a life before
        header.position = answers_word(outgoing_.answers, peer.life);
        if (outgoing_.answers != 0 && kernel_.messages().holds_more(outgoing_))
            header.flags |= wire::packet_flag::kMore;
    } else {
        header.service = static_cast<std::uint8_t>(Service::fragment);
        header.position = outgoing_.sent_bytes;
    }
    std::uint32_t bytes = 0;
    if (hints)
        header.flags |= wire::packet_flag::kHint | wire::packet_flag::kTimeless;
    else
        bytes = size_packet(header);
    if (!kernel_.try_post(header, source_, outgoing_.sent_bytes, kernel_.now())) {
        if (offers && !hints)
            kernel_.messages().take_number_back(outgoing_);
        return false;
    }
    if (std::exchange(outgoing_.hints, false))
        return true;
    outgoing_.held = hints;
    outgoing_.offered = !hints;
    outgoing_.sent_bytes += bytes;
#if MESH_NOTES
    if (offers && !hints && options_.type != nullptr && detail::notes() != nullptr)
        detail::notes()->sends(index(kernel_.id()), index(outgoing_.to), outgoing_.message,
                               *options_.type);
#endif
    return true;
}

// Sizes the next packet: gives its bytes, and sets the fields of its header about its external
// packet.
std::uint32_t Sending::size_packet(wire::PacketHeader& header) const {
    std::uint32_t bytes =
        std::min<std::uint32_t>(options_.packet_bytes, total_bytes_ - outgoing_.sent_bytes);
    if (const std::uint32_t unit = options_.unit_bytes; unit != 0) {
        const std::uint32_t inside = outgoing_.sent_bytes % unit;
        bytes = std::min(bytes, unit - inside);
        if (inside == 0)
            header.unit_bytes =
                std::min(unit, total_bytes_ - outgoing_.sent_bytes) & wire::kUnitBytesMax;
        else
            header.flags |= wire::packet_flag::kPart;
    }
    header.payload_bytes = static_cast<std::uint16_t>(bytes);
    return bytes;
}

// Control takes no model time, so in the model the packets behind the first wait for their port
// only, not for the receiver's answer.
bool Sending::go_on() {
    if (status_ != Status::ok)
        return true;
    while (!all_taken()) {
        if (std::exchange(outgoing_.moved, false) && outgoing_.arrived_bytes != 0) {
            outgoing_.sent_bytes = outgoing_.arrived_bytes;
            outgoing_.offered = true;
        }
        if (std::exchange(outgoing_.heard, false))
            outgoing_.begin_anew();
        if (!may_send()) {
            if (outgoing_.held && outgoing_.ask_at == wire::kNever && !outgoing_.is_asking())
                outgoing_.ask_at = kernel_.ask_time(outgoing_.asked);
            if (kernel_.ask(outgoing_))
                return false;
            status_ = Status::unreachable;
            return true;
        }
        if (!send_packet())
            return false;
        outgoing_.ask_at = kernel_.ask_time(outgoing_.asked);
    }
    outgoing_.ask_at = wire::kNever;
    if (options_.synchronous)
        kernel_.advance_clock(outgoing_.taken_at);
    return true;
}

Sending::operator Process() const {
    return send_alone(kernel_, outgoing_.to, options_, total_bytes_, source_);
}

// Receiving ---------------------------------------------------------------------------------------

Message::Message(Kernel& kernel, Packet&& offer)
    : kernel_(kernel),
      current_(std::move(offer)),
      header_(current_.header()),
      incoming_{header_.source, header_.message, header_.payload_bytes} {
    kernel_.begin(incoming_);
#if MESH_NOTES
    if (detail::notes() != nullptr)
        type_ = detail::notes()->takes(index(header_.source), index(kernel_.id()), header_.message);
#endif
}

Message::~Message() { kernel_.end(incoming_, at_end()); }

// Brings the next packet to current_, and tells the sender now and then how far its message is
// consumed. True when the packet is there, or cannot come.
bool Message::advance(std::optional<SourceWait>& wait) {
    if (!current_) {
        if (!wait) {
            Match rest = CallLabel::of(header_.tag, header_.call).match(header_.message);
            rest.service = Service::fragment;
            wait.emplace(kernel_, source(), rest);
        }
        if (!wait->over())
            return false;
        current_ = wait->take();
        wait.reset();
        if (!current_) {
            status_ = current_.status();
            return true;
        }
    }
    given_bytes_ += current_.header().payload_bytes;
    const bool half_window = ++unanswered_ >= limits::kMessageWindowPackets / 2;
    if (!std::exchange(started_, true) || half_window || finished()) {
        unanswered_ = 0;
        current_.acknowledge_at_end();
    }
    return true;
}

NextPacket::NextPacket(Kernel& kernel, Message& message)
    : Waiting(kernel.scheduler(), ask),
      message_(message) {}

Receiving::Receiving(Kernel& kernel, std::span<std::byte> buffer, const Match& offer)
    : Waiting(kernel.scheduler(), ask),
      kernel_(kernel),
      buffer_(buffer) {
    const bool others = offer.call == 0 && offer.tag > kProgramTagMax && offer.tag != kAnyTag;
    if (others || (offer.source != kAnySource && index(offer.source) >= kernel.nodes()))
        result_.status = Status::bad_argument;
    else
        wait_.emplace(kernel, offer.source, offer);
}

Receiving::operator Task<Received>() const {
    Match offer{.source = node_at(kernel_.nodes())}; // there is no such source
    if (wait_)
        offer = wait_->match();
    return receive_alone(kernel_, buffer_, offer);
}

// Takes the offer.
bool Receiving::begin() {
    if (wait_->is_behind() || !wait_->over())
        return false;
    Packet offer = wait_->take();
    result_.status = offer.status();
#if MESH_NOTES
    const Match& match = wait_->match();
    const bool of_program = match.call == 0 || match.tag >= channel_tag(ChannelNumber{0});
    if (!offer && of_program && detail::notes() != nullptr)
        detail::notes()->waits_in_vain(index(kernel_.id()), index(match.source), match.tag);
#endif
    wait_.reset();
    if (!offer)
        return true;
    message_.emplace(kernel_, std::move(offer));
    result_ = {Status::ok, message_->source(), message_->tag(), 0};
#if MESH_NOTES
    type_ = message_->type_;
#endif
    return true;
}

bool Receiving::go_on() {
    if (!message_ && (result_.status != Status::ok || !begin()))
        return result_.status != Status::ok;
    while (message_) {
        if (!message_->advance(wait_))
            return false;
        const Packet packet = std::move(message_->current_);
        if (!packet) {
            result_ = {.status = message_->status()};
            break;
        }
        const auto payload = packet.payload();
        const auto bytes = std::min<std::size_t>(payload.size(), buffer_.size() - result_.bytes);
        std::copy_n(payload.begin(), bytes, buffer_.begin() + result_.bytes);
        result_.bytes += static_cast<std::uint32_t>(bytes);
        if (bytes < payload.size())
            result_.status = Status::truncated;
        if (!message_->finished())
            continue;
        if (message_->is_poisoned())
            result_.status = Status::unreachable;
        break;
    }
    message_.reset();
    return true;
}

} // namespace mesh
