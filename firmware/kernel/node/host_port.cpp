#include "kernel/node/host_port.hpp"

#include "kernel/base/limits.hpp"
#include "wire/bytes.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace mesh {

using wire::HostTag;

static_assert(limits::kJobBytes == sizeof(wire::Job));

void HostPort::send(HostTag tag, std::span<const std::byte> first,
                    std::span<const std::byte> second) {
    flush_print();
    const std::size_t first_bytes = std::min(first.size(), room().size());
    const std::size_t second_bytes = std::min(second.size(), room().size() - first_bytes);
    std::copy_n(first.begin(), first_bytes, room().begin());
    std::copy_n(second.begin(), second_bytes, room().subspan(first_bytes).begin());
    send_room(tag, first_bytes + second_bytes);
}

void HostPort::send_in_parts(HostTag tag, std::span<const std::byte> payload) {
    flush_print();
    for (std::size_t position = 0; position < payload.size();) {
        const std::size_t bytes = std::min(payload.size() - position, room().size());
        const auto part = payload.subspan(position, bytes);
        std::copy(part.begin(), part.end(), room().begin());
        sending_->header = {.payload_bytes = static_cast<std::uint16_t>(bytes),
                            .source = node_,
                            .tag = static_cast<std::uint16_t>(tag),
                            .position = static_cast<std::uint32_t>(position),
                            .total_bytes = static_cast<std::uint32_t>(payload.size())};
        wire::seal_packet(sending_->packet());
        send_frame({.kind = wire::Kind::host}, sending_->packet());
        position += bytes;
    }
}

void HostPort::print(std::span<const char> text) {
    for (const char character : text) {
        room()[printed_++] = static_cast<std::byte>(character);
        if (character == '\n' || printed_ == room().size())
            flush_print();
    }
}

void HostPort::flush_print() {
    if (printed_ != 0)
        send_room(HostTag::console, std::exchange(printed_, std::uint16_t{0}));
}

void HostPort::send_room(HostTag tag, std::size_t payload_bytes) {
    sending_->header = {.payload_bytes = static_cast<std::uint16_t>(payload_bytes),
                        .source = node_,
                        .tag = static_cast<std::uint16_t>(tag)};
    wire::seal_packet(sending_->packet());
    send_frame({.kind = wire::Kind::host}, sending_->packet());
}

void HostPort::send_frame(wire::LinkHeader header, std::span<const std::byte> packet) {
    header.port = kHostPort;
    header.packet_bytes = static_cast<std::uint16_t>(packet.size());
    to_host_.send(to_host_.context, header, packet);
}

HostPort::Order HostPort::on_packet(HostTag tag, std::span<const std::byte> payload) {
    switch (tag) {
    case HostTag::job:
        if (on_job(payload))
            return Order::job;
        break;
    case HostTag::start:
        if (job_.has_value() && !std::exchange(started_, true))
            return Order::start;
        break; // it was for the life before
    case HostTag::chunk:
        if (on_chunk(payload))
            return Order::none;
        break;
    case HostTag::poll: return payload.empty() ? Order::report : Order::ask_again;
    case HostTag::hang: return Order::hang;
    case HostTag::no_carrier:
        if (payload.size() >= sizeof(PortSet))
            return Order::no_carrier;
        break;
    case HostTag::resets:
        if (payload.size() < sizeof(std::uint32_t))
            break;
        if (to_host_.count_on_from != nullptr)
            to_host_.count_on_from(wire::load<std::uint32_t>(payload, 0));
        return Order::none;
    case HostTag::ready:
    case HostTag::accepted:
    case HostTag::pull:
    case HostTag::push:
    case HostTag::console:
    case HostTag::report:
    case HostTag::abort:
    case HostTag::trace:
    case HostTag::began_anew:
    case HostTag::may_begin_again:
    case HostTag::fault: break;
    }
    ++counters_[Counter::drop_malformed];
    return Order::none;
}

bool HostPort::on_job(std::span<const std::byte> payload) {
    if (payload.size() < sizeof(wire::Job) || started_)
        return false;
    job_.emplace(wire::load<wire::Job>(payload, 0));
    keep_arguments(payload.subspan(sizeof(wire::Job)));
    return true;
}

// NUL-terminated words; the host tool refuses words that do not fit.
void HostPort::keep_arguments(std::span<const std::byte> words) {
    constexpr std::size_t kViewsBytes = limits::kArgumentsMax * sizeof(std::string_view);
    if (words.empty() || words.size() > limits::kArgumentBytesMax)
        return;
    auto* place = static_cast<std::byte*>(arena_.allocate(kViewsBytes + words.size() + 1));
    if (place == nullptr)
        return;
    auto* text = reinterpret_cast<char*>(place + kViewsBytes);
    std::memcpy(text, words.data(), words.size());
    text[words.size()] = '\0';
    auto* views = reinterpret_cast<std::string_view*>(place);
    std::size_t count = 0;
    for (std::size_t at = 0; at < words.size() && count < limits::kArgumentsMax; ++count)
        at += (new (&views[count]) std::string_view{&text[at]})->size() + 1;
    arguments_ = {views, count};
}

void HostPort::pull(std::uint32_t position, std::span<std::byte> out) {
    pull_position_ = position;
    pull_into_ = out;
    const wire::Pull request{position, static_cast<std::uint32_t>(out.size())};
    send(HostTag::pull, wire::bytes_of(request));
}

// False if `payload` is too short for a chunk. A chunk that this node has not asked for is counted
// apart.
bool HostPort::on_chunk(std::span<const std::byte> payload) {
    if (payload.size() < sizeof(wire::Chunk))
        return false;
    const auto chunk = wire::load<wire::Chunk>(payload, 0);
    const auto data = payload.subspan(sizeof(wire::Chunk));
    if (pull_into_.empty() || chunk.position != pull_position_ ||
        data.size() != pull_into_.size()) {
        ++counters_[Counter::drop_unexpected];
        return true;
    }
    std::memcpy(pull_into_.data(), data.data(), data.size());
    pull_into_ = {};
    return true;
}

} // namespace mesh
