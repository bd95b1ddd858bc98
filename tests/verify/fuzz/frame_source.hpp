// Turns fuzz input into frames. Half of them are raw bytes; the others get right checksums and
// lengths over the fuzzer's fields, so that it reaches what lies behind the parser.
#pragma once

#include "kernel/packets/mailbox.hpp"
#include "wire/frame.hpp"

#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mesh::fuzz {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_from(FuzzedDataProvider& input, std::size_t bytes_max) {
    const auto count = input.ConsumeIntegralInRange<std::size_t>(0, bytes_max);
    return input.ConsumeBytes<std::byte>(count);
}

/// A packet that read_packet() accepts.
inline Bytes sealed_packet(FuzzedDataProvider& input) {
    const Bytes payload = bytes_from(input, 64);
    const wire::PacketHeader header{.rule = static_cast<Rule>(input.ConsumeIntegralInRange(0, 5)),
                                    .subtree = input.ConsumeIntegral<std::uint8_t>(),
                                    .payload_bytes = static_cast<std::uint16_t>(payload.size()),
                                    .source = node_at(input.ConsumeBool()
                                                          ? input.ConsumeIntegral<std::uint32_t>()
                                                          : input.ConsumeIntegralInRange(0u, 9u)),
                                    .destination = node_at(input.ConsumeIntegralInRange(0u, 9u)),
                                    .tag = input.ConsumeIntegralInRange<std::uint16_t>(0, 16),
                                    .service = input.ConsumeIntegralInRange<std::uint8_t>(
                                        0, static_cast<std::uint8_t>(Service::kCount)),
                                    .flags = input.ConsumeIntegral<std::uint8_t>(),
                                    .message = input.ConsumeIntegralInRange(0u, 9u),
                                    .position = input.ConsumeIntegral<std::uint32_t>(),
                                    .total_bytes = input.ConsumeIntegral<std::uint32_t>()};
    Bytes packet(wire::kPacketHeaderBytes);
    wire::write_packet_header(header, std::span{packet}.first<wire::kPacketHeaderBytes>());
    packet.insert(packet.end(), payload.begin(), payload.end());
    wire::seal_packet(packet);
    return packet;
}

/// A frame that read_head() accepts.
inline Bytes sealed_frame(FuzzedDataProvider& input) {
    const auto kind = static_cast<wire::Kind>(input.ConsumeIntegralInRange(0, 8));
    const bool with_packet = kind == wire::Kind::data || kind == wire::Kind::host;
    const Bytes packet = with_packet ? sealed_packet(input) : Bytes{};
    const wire::LinkHeader header{
        .kind = kind,
        .port = port_at(input.ConsumeBool() ? input.ConsumeIntegralInRange(0u, 3u)
                                            : input.ConsumeIntegral<std::uint8_t>()),
        .sequence = input.ConsumeIntegralInRange<std::uint16_t>(0, 40),
        .acknowledged = input.ConsumeIntegralInRange<std::uint16_t>(0, 40),
        .refused = input.ConsumeIntegral<std::uint32_t>(),
        .free_buffers = input.ConsumeIntegralInRange<std::uint16_t>(0, 64),
        .packet_bytes = static_cast<std::uint16_t>(packet.size()),
        .model_time = input.ConsumeIntegral<std::uint32_t>(),
        .hops = input.ConsumeIntegralInRange<std::uint16_t>(0, 9),
        // Mostly of the first session.
        .flags = static_cast<std::uint16_t>(input.ConsumeIntegralInRange<std::uint16_t>(0, 0x1FF) &
                                            (input.ConsumeBool() ? 0xFFFFu : 0x101u))};
    Bytes frame(wire::kHeadBytes);
    wire::write_head(header, {}, std::span{frame}.first<wire::kHeadBytes>());
    frame.insert(frame.end(), packet.begin(), packet.end());
    return frame;
}

inline Bytes next_frame(FuzzedDataProvider& input) {
    return input.ConsumeBool() ? sealed_frame(input) : bytes_from(input, 160);
}

} // namespace mesh::fuzz
