#include "host_frame.hpp"

#include <algorithm>

namespace mesh::host {

namespace {
std::span<std::byte, wire::kHeadBytes> head_of(std::vector<std::byte>& frame) {
    return std::span(frame).first<wire::kHeadBytes>();
}
} // namespace

std::vector<std::byte> make_host_frame(NodeId to, wire::HostTag tag,
                                       std::span<const std::byte> payload) {
    const std::size_t packet_bytes = wire::kPacketHeaderBytes + payload.size();
    std::vector<std::byte> frame(wire::kHeadBytes + packet_bytes);
    wire::LinkHeader link;
    link.kind = wire::Kind::host;
    link.port = kHostPort;
    link.packet_bytes = static_cast<std::uint16_t>(packet_bytes);
    wire::write_head(link, kHostMac, head_of(frame));

    wire::make_packet(std::span(frame).subspan(wire::kHeadBytes),
                      {.destination = to, .tag = static_cast<std::uint16_t>(tag)}, payload);
    return frame;
}

std::vector<std::byte> make_load_frame(std::span<const std::byte> message) {
    std::vector<std::byte> head(wire::kHeadBytes);
    wire::write_head({.kind = wire::Kind::load,
                      .port = kHostPort,
                      .packet_bytes = static_cast<std::uint16_t>(message.size())},
                     kHostMac, head_of(head));
    return joined(head, message);
}

std::vector<std::byte> joined(std::span<const std::byte> first, std::span<const std::byte> second) {
    std::vector<std::byte> both(first.size() + second.size());
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), both.begin()));
    return both;
}

std::vector<std::byte> make_grant(wire::ModelTime time) {
    std::vector<std::byte> frame(wire::kHeadBytes);
    wire::LinkHeader link;
    link.kind = wire::Kind::grant;
    link.port = kHostPort;
    link.model_time = time;
    wire::write_head(link, kHostMac, head_of(frame));
    return frame;
}

std::optional<HostMessage> read_host_frame(std::span<const std::byte> frame) {
    wire::LinkHeader link;
    if (wire::read_head(frame, frame.size(), link) != wire::Parse::ok ||
        link.kind != wire::Kind::host)
        return std::nullopt;
    const auto packet = frame.subspan(wire::kHeadBytes, link.packet_bytes);
    wire::PacketHeader header;
    if (wire::read_packet(packet, header) != wire::Parse::ok)
        return std::nullopt;
    const auto tag = static_cast<wire::HostTag>(header.tag);
    const auto within = [tag](wire::HostTag first, wire::HostTag last) {
        return tag >= first && tag <= last;
    };
    using enum wire::HostTag;
    if (!within(ready, fault) && !within(abort, trace) && !within(began_anew, may_begin_again))
        return std::nullopt;
    return HostMessage{tag, packet.subspan(wire::kPacketHeaderBytes), header.position,
                       header.total_bytes};
}

} // namespace mesh::host
