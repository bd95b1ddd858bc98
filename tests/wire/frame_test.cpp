// Frames: a frame that was written is read, and no other bytes are.
#include "wire/frame.hpp"

#include "wire/crc32.hpp"
#include "wire/host_messages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

namespace mesh {
namespace frame_test {

using Bytes = std::vector<std::byte>;

Bytes some_packet(std::size_t payload_bytes) {
    const wire::PacketHeader header{.rule = Rule::sbt,
                                    .subtree = 3,
                                    .payload_bytes = static_cast<std::uint16_t>(payload_bytes),
                                    .source = node_at(0x123456),
                                    .destination = node_at(7),
                                    .tag = 0x8001,
                                    .service = 9,
                                    .flags = 0x42,
                                    .message = 0xDEAD'BEEF,
                                    .position = 0x1'0000,
                                    .total_bytes = 0x10'0000};
    Bytes packet(wire::kPacketHeaderBytes + payload_bytes);
    wire::write_packet_header(header, std::span{packet}.first<wire::kPacketHeaderBytes>());
    for (std::size_t at = 0; at < payload_bytes; ++at)
        packet[wire::kPacketHeaderBytes + at] = static_cast<std::byte>(at * 7);
    wire::seal_packet(packet);
    return packet;
}

Bytes some_frame(std::size_t packet_bytes) {
    const wire::LinkHeader header{.kind = wire::Kind::data,
                                  .port = port_at(5),
                                  .sequence = 0xFFFE,
                                  .acknowledged = 0x0102,
                                  .refused = 0x8000'0001,
                                  .free_buffers = 31,
                                  .packet_bytes = static_cast<std::uint16_t>(packet_bytes),
                                  .model_time = 0x0123'4567'89AB'CDEF,
                                  .hops = 12,
                                  .flags = wire::link_flag::kGap | 0x7F};
    Bytes frame(wire::kHeadBytes + packet_bytes);
    wire::write_head(header, wire::Mac{2, 0, 4, 0, 0, 9},
                     std::span{frame}.first<wire::kHeadBytes>());
    return frame;
}

wire::Parse read(std::span<const std::byte> frame) {
    wire::LinkHeader header;
    return wire::read_head(frame.first(std::min(frame.size(), wire::kHeadBytes)), frame.size(),
                           header);
}

template <std::size_t kTables>
std::uint32_t crc_by(std::span<const std::byte> bytes, std::uint32_t seed) {
    return wire::detail::crc32<kTables>(bytes.data(), bytes.data() + bytes.size(), seed);
}

TEST(Crc32, is_the_one_of_ethernet_and_zlib) {
    const std::string_view digits = "123456789";
    EXPECT_EQ(wire::crc32(std::as_bytes(std::span{digits})), 0xCBF4'3926u);
    EXPECT_EQ(wire::crc32({}), 0u);
}

TEST(Crc32, of_two_parts_is_that_of_the_whole) {
    const Bytes packet = some_packet(100);
    const std::span<const std::byte> whole{packet};
    for (std::size_t cut = 0; cut <= whole.size(); ++cut)
        ASSERT_EQ(wire::crc32(whole.subspan(cut), wire::crc32(whole.first(cut))),
                  wire::crc32(whole));
}

TEST(Crc32, in_large_steps_is_that_in_single_bytes) {
    const Bytes packet = some_packet(100);
    const std::span<const std::byte> whole{packet};
    for (std::size_t from = 0; from < 20; ++from)
        for (std::size_t bytes = 0; from + bytes <= whole.size(); ++bytes) {
            const auto part = whole.subspan(from, bytes);
            ASSERT_EQ(crc_by<16>(part, 7), crc_by<1>(part, 7)) << bytes << " bytes from " << from;
        }
}

// CRC-32 by its definition: a polynomial division, bit by bit.
std::uint32_t divided(std::span<const std::byte> bytes) {
    std::uint32_t value = 0xFFFF'FFFF;
    for (const std::byte byte : bytes) {
        value ^= std::to_integer<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit)
            value = (value >> 1) ^ ((value & 1u) != 0 ? 0xEDB8'8320u : 0u);
    }
    return ~value;
}

TEST(Crc32, is_its_definition_at_every_length_and_alignment) {
    std::mt19937 random{1};
    Bytes bytes(1200);
    for (std::byte& byte : bytes)
        byte = static_cast<std::byte>(random());
    for (std::size_t from = 0; from < 16; ++from)
        for (std::size_t size = 0; size <= 130; ++size) {
            const auto part = std::span<const std::byte>{bytes}.subspan(from, size);
            ASSERT_EQ(wire::crc32(part), divided(part)) << size << " bytes from " << from;
            ASSERT_EQ(crc_by<1>(part, 0), divided(part)) << "as on the target";
        }
    for (const std::size_t size : {1023u, 1024u, 1056u, 1100u})
        ASSERT_EQ(wire::crc32(std::span{bytes}.first(size)), divided(std::span{bytes}.first(size)));
}

TEST(Crc32, is_the_same_at_compile_time) {
    static constexpr auto bytes = [] {
        std::array<std::byte, 77> filled{};
        for (std::size_t at = 0; at < filled.size(); ++at)
            filled[at] = static_cast<std::byte>(at * 37 + 5);
        return filled;
    }();
    constexpr std::uint32_t early = wire::crc32(bytes);
    EXPECT_EQ(early, wire::crc32(std::span<const std::byte>{bytes}));
    EXPECT_EQ(early, divided(bytes));
}

TEST(LinkHeader, any_values_survive_the_wire) {
    for (unsigned seed = 1; seed <= 2000; ++seed) {
        std::mt19937_64 random{seed};
        const auto word = [&] { return static_cast<std::uint16_t>(random()); };
        const wire::LinkHeader written{
            .kind = static_cast<wire::Kind>(random() % 256),
            .port = static_cast<Port>(random() % 256),
            .sequence = word(),
            .acknowledged = word(),
            .refused = static_cast<std::uint32_t>(random()),
            .free_buffers = word(),
            .packet_bytes = static_cast<std::uint16_t>(random() % (wire::kPacketBytesMax + 1)),
            .model_time = random(),
            .hops = word(),
            .flags = word()};
        Bytes frame(wire::kHeadBytes + written.packet_bytes);
        wire::write_head(written, wire::Mac{}, std::span{frame}.first<wire::kHeadBytes>());
        EXPECT_EQ(frame[wire::offset::kCablePort], static_cast<std::byte>(written.port));
        wire::LinkHeader got;
        ASSERT_EQ(wire::read_head(frame, frame.size(), got), wire::Parse::ok) << "seed " << seed;
        ASSERT_TRUE(got.kind == written.kind && got.port == written.port &&
                    got.sequence == written.sequence && got.acknowledged == written.acknowledged &&
                    got.refused == written.refused && got.free_buffers == written.free_buffers &&
                    got.packet_bytes == written.packet_bytes &&
                    got.model_time == written.model_time && got.hops == written.hops &&
                    got.flags == written.flags)
            << "seed " << seed;
    }
}

TEST(LinkHeader, any_two_wrong_bits_are_noticed) {
    Bytes frame = some_frame(0);
    const auto turn = [&](std::size_t bit) { frame[bit / 8] ^= std::byte{1} << (bit % 8); };
    for (std::size_t one = 8 * wire::kCableBytes; one < 8 * wire::kHeadBytes; ++one) {
        turn(one);
        for (std::size_t other = one + 1; other < 8 * wire::kHeadBytes; ++other) {
            turn(other);
            ASSERT_NE(read(frame), wire::Parse::ok) << one << " and " << other;
            turn(other);
        }
        turn(one);
    }
}

TEST(Frame, random_bytes_are_never_taken_for_one) {
    for (unsigned seed = 1; seed <= 20'000; ++seed) {
        std::mt19937 random{seed};
        Bytes bytes(random() % 200);
        for (std::byte& byte : bytes)
            byte = static_cast<std::byte>(random());
        wire::PacketHeader packet;
        ASSERT_NE(read(bytes), wire::Parse::ok) << "seed " << seed;
        ASSERT_NE(wire::read_packet(bytes, packet), wire::Parse::ok) << "seed " << seed;
        if (bytes.size() >= wire::kHeadBytes) { // ours at first sight
            bytes[wire::offset::kEtherType] = std::byte{0x88};
            bytes[wire::offset::kEtherType + 1] = std::byte{0xB5};
            ASSERT_EQ(read(bytes), wire::Parse::bad_crc) << "seed " << seed;
        }
    }
}

TEST(Frame, what_is_not_ok_leaves_the_header_alone) {
    wire::LinkHeader link{.sequence = 77};
    Bytes frame = some_frame(0);
    frame[20] ^= std::byte{1};
    EXPECT_EQ(wire::read_head(frame, frame.size(), link), wire::Parse::bad_crc);
    EXPECT_EQ(link.sequence, 77);
    wire::PacketHeader header{.tag = 99};
    Bytes packet = some_packet(10);
    packet[35] ^= std::byte{1};
    EXPECT_EQ(wire::read_packet(packet, header), wire::Parse::bad_crc);
    EXPECT_EQ(header.tag, 99);
}

TEST(Packet, cut_at_any_place_or_with_a_byte_more_is_none) {
    Bytes packet = some_packet(64);
    wire::PacketHeader header;
    for (std::size_t bytes = 0; bytes < packet.size(); ++bytes)
        ASSERT_NE(wire::read_packet(std::span{packet}.first(bytes), header), wire::Parse::ok);
    packet.push_back(std::byte{0});
    EXPECT_EQ(wire::read_packet(packet, header), wire::Parse::bad_length);
}

TEST(LinkHeader, every_field_survives_the_wire) {
    const Bytes frame = some_frame(40);
    wire::LinkHeader header;
    ASSERT_EQ(wire::read_head(std::span{frame}.first(wire::kHeadBytes), frame.size(), header),
              wire::Parse::ok);
    EXPECT_EQ(header.kind, wire::Kind::data);
    EXPECT_EQ(header.port, port_at(5));
    EXPECT_EQ(header.sequence, 0xFFFE);
    EXPECT_EQ(header.acknowledged, 0x0102);
    EXPECT_EQ(header.refused, 0x8000'0001u);
    EXPECT_EQ(header.free_buffers, 31);
    EXPECT_EQ(header.packet_bytes, 40);
    EXPECT_EQ(header.model_time, 0x0123'4567'89AB'CDEFu);
    EXPECT_EQ(header.hops, 12);
    EXPECT_EQ(header.flags, wire::link_flag::kGap | 0x7F);
}

TEST(LinkHeader, any_single_wrong_bit_behind_the_cable_header_is_noticed) {
    Bytes frame = some_frame(0);
    for (std::size_t bit = 8 * wire::kCableBytes; bit < 8 * wire::kHeadBytes; ++bit) {
        frame[bit / 8] ^= std::byte{1} << (bit % 8);
        ASSERT_NE(read(frame), wire::Parse::ok) << "bit " << bit;
        frame[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(read(frame), wire::Parse::ok);
}

TEST(LinkHeader, the_loom_may_write_the_cable_header_without_breaking_the_checksum) {
    Bytes frame = some_frame(0);
    std::fill_n(frame.begin(), wire::offset::kEtherType, std::byte{0xEE});
    EXPECT_EQ(read(frame), wire::Parse::ok);
}

TEST(LinkHeader, a_frame_shorter_than_its_packet_is_refused_at_every_length) {
    const Bytes frame = some_frame(48);
    for (std::size_t bytes = 0; bytes < wire::kHeadBytes; ++bytes)
        ASSERT_EQ(read(std::span{frame}.first(bytes)), wire::Parse::too_short);
    for (std::size_t bytes = wire::kHeadBytes; bytes < frame.size(); ++bytes)
        ASSERT_EQ(read(std::span{frame}.first(bytes)), wire::Parse::bad_length);
    EXPECT_EQ(read(frame), wire::Parse::ok);
}

TEST(LinkHeader, a_packet_larger_than_a_pool_buffer_is_refused_even_with_a_right_checksum) {
    EXPECT_EQ(read(some_frame(wire::kPacketBytesMax)), wire::Parse::ok);
    EXPECT_EQ(read(some_frame(wire::kPacketBytesMax + 1)), wire::Parse::bad_length);
}

TEST(LinkHeader, a_frame_of_another_protocol_is_not_ours) {
    Bytes frame = some_frame(0);
    frame[wire::offset::kEtherType] = std::byte{0x08};
    EXPECT_EQ(read(frame), wire::Parse::not_ours);
}

TEST(Packet, every_field_survives_the_wire) {
    const Bytes packet = some_packet(3);
    wire::PacketHeader header;
    ASSERT_EQ(wire::read_packet(packet, header), wire::Parse::ok);
    EXPECT_EQ(header.rule, Rule::sbt);
    EXPECT_EQ(header.subtree, 3);
    EXPECT_EQ(header.payload_bytes, 3);
    EXPECT_EQ(header.source, node_at(0x123456));
    EXPECT_EQ(header.destination, node_at(7));
    EXPECT_EQ(header.tag, 0x8001);
    EXPECT_EQ(header.service, 9);
    EXPECT_EQ(header.flags, 0x42);
    EXPECT_EQ(header.message, 0xDEAD'BEEFu);
    EXPECT_EQ(header.position, 0x1'0000u);
    EXPECT_EQ(header.total_bytes, 0x10'0000u);
}

TEST(Packet, any_single_wrong_bit_is_noticed) {
    Bytes packet = some_packet(64);
    wire::PacketHeader header;
    for (std::size_t bit = 0; bit < 8 * packet.size(); ++bit) {
        packet[bit / 8] ^= std::byte{1} << (bit % 8);
        ASSERT_NE(wire::read_packet(packet, header), wire::Parse::ok) << "bit " << bit;
        packet[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    EXPECT_EQ(wire::read_packet(packet, header), wire::Parse::ok);
}

TEST(Packet, of_any_payload_size_is_read_and_a_cut_one_is_not) {
    for (const std::size_t payload_bytes : {0u, 1u, 15u, 16u, 1023u, 1024u}) {
        const Bytes packet = some_packet(payload_bytes);
        wire::PacketHeader header;
        EXPECT_EQ(wire::read_packet(packet, header), wire::Parse::ok);
        EXPECT_EQ(header.payload_bytes, payload_bytes);
        EXPECT_NE(wire::read_packet(std::span{packet}.first(packet.size() - 1), header),
                  wire::Parse::ok);
    }
}

/// A train of packets with these payloads, as the second part of its frame, in a pool buffer.
struct SomeTrain {
    explicit SomeTrain(std::initializer_list<std::size_t> payloads) {
        for (const std::size_t payload_bytes : payloads) {
            const Bytes packet = some_packet(payload_bytes);
            const Bytes frame = some_frame(packet.size());
            std::memcpy(&head, frame.data(), sizeof head);
            if (bytes == 0) {
                std::ranges::copy(packet, room.begin());
                bytes = packet.size();
                first = head.link;
            } else {
                bytes = wire::couple(room, bytes, head, packet);
            }
        }
    }
    std::size_t frame_bytes() const { return wire::kHeadBytes + bytes; }
    /// The bytes behind the first packet.
    std::span<const std::byte> rest() const {
        return std::span{room}.first(bytes).last(wire::bytes_behind(first, frame_bytes()));
    }

    wire::Head head{};
    wire::LinkHeader first{};
    std::size_t bytes = 0;
    std::array<std::byte, wire::kPacketBytesMax> room{};
};

TEST(Train, each_packet_comes_out_as_it_went_in) {
    const std::initializer_list<std::size_t> payloads{64, 0, 3, 8};
    const SomeTrain train(payloads);
    EXPECT_EQ(train.bytes, 100u + (32 + 36) + (32 + 39 + 1) + (32 + 44)) << "from whole words on";
    std::span<const std::byte> rest = train.rest();
    for (auto payload = payloads.begin() + 1; payload != payloads.end(); ++payload) {
        wire::Head head{};
        std::array<std::byte, wire::kPacketBytesMax> room{};
        ASSERT_TRUE(wire::is_coupled(rest.size()));
        const std::size_t frame_bytes = wire::uncouple(rest, head, room);
        ASSERT_EQ(wire::check_head(head, frame_bytes), wire::Parse::ok);
        EXPECT_EQ(head.link.sequence, 0xFFFE);
        EXPECT_EQ(head.link.model_time, 0x0123'4567'89AB'CDEFu);
        const Bytes packet = some_packet(*payload);
        ASSERT_EQ(head.link.packet_bytes, packet.size());
        EXPECT_TRUE(std::equal(packet.begin(), packet.end(), room.begin()));
    }
    EXPECT_TRUE(rest.empty());
}

TEST(Train, takes_packets_as_long_as_the_buffer_has_room) {
    EXPECT_EQ(wire::room_behind(100), wire::kPacketBytesMax - 132);
    EXPECT_EQ(wire::room_behind(101), wire::kPacketBytesMax - 136) << "a word more";
    EXPECT_EQ(wire::room_behind(wire::kPacketBytesMax - 32), 0u);
    EXPECT_EQ(wire::room_behind(wire::kPacketBytesMax), 0u);
    const SomeTrain full{64, 64, 64, 64, 64, 64, 64, 64};
    EXPECT_LT(wire::room_behind(full.bytes), 100u) << "eight packets of 64 bytes";
    const std::size_t last = wire::room_behind(100) - wire::kPacketHeaderBytes;
    EXPECT_EQ(SomeTrain({64, last}).bytes, wire::kPacketBytesMax);
}

TEST(Train, a_data_frame_with_one_packet_and_filling_is_none) {
    wire::LinkHeader link{.kind = wire::Kind::data, .packet_bytes = 100};
    EXPECT_EQ(wire::bytes_behind(link, 144), 0u);
    EXPECT_EQ(wire::bytes_behind(link, 144 + 67), 0u) << "too few for a coupled packet";
    EXPECT_EQ(wire::bytes_behind(link, 144 + 68), 68u);
    link.packet_bytes = 98;
    EXPECT_EQ(wire::bytes_behind(link, 144 + 68), 68u) << "whole words";
    link.kind = wire::Kind::ack;
    EXPECT_EQ(wire::bytes_behind(link, 144 + 68), 0u);
}

TEST(Train, a_coupled_head_that_is_damaged_or_lies_about_its_length_is_noticed) {
    for (std::size_t bit = 0; bit < 8 * wire::kCouplingBytes; ++bit) {
        SomeTrain train{64, 64, 64};
        train.room[100 + bit / 8] ^= std::byte{1} << (bit % 8);
        std::span<const std::byte> rest = train.rest();
        std::array<std::byte, wire::kPacketBytesMax> room{};
        const std::size_t frame_bytes = wire::uncouple(rest, train.head, room);
        ASSERT_NE(wire::check_head(train.head, frame_bytes), wire::Parse::ok) << "bit " << bit;
    }
    SomeTrain cut{64, 64};
    std::span<const std::byte> rest = cut.rest().first(cut.rest().size() - 1);
    std::array<std::byte, wire::kPacketBytesMax> room{};
    const std::size_t frame_bytes = wire::uncouple(rest, cut.head, room);
    EXPECT_EQ(wire::check_head(cut.head, frame_bytes), wire::Parse::bad_length);
    EXPECT_TRUE(rest.empty());
}

TEST(Identity, a_mac_names_topology_dimension_and_node) {
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star}) {
        for (const std::uint32_t node : {0u, 1u, 255u, 256u, 511u})
            for (const unsigned start : {0u, 1u, 63u, 64u, 511u, 512u, 8191u}) {
                const wire::Mac mac = wire::to_mac({{topology, 9}, node_at(node), start});
                EXPECT_EQ(mac[0] & 3, 2) << "locally administered, not multicast";
                const auto identity = wire::from_mac(mac);
                ASSERT_TRUE(identity.has_value());
                EXPECT_EQ(identity->network, (Network{topology, 9}));
                EXPECT_EQ(identity->node, node_at(node));
                EXPECT_EQ(identity->start, start);
            }
    }
    EXPECT_EQ(wire::Identity({Topology::cube, 9}, node_at(0), 8193).start, 1u) << "it goes round";
}

TEST(Identity, the_worked_example_of_its_header) {
    const wire::Identity fifth({Topology::cube, 3}, node_at(5), 1234);
    EXPECT_EQ(wire::to_mac(fifth), (wire::Mac{0x02, 0x48, 0x63, 0x20, 0x00, 0x05}));
    for (const unsigned start : {0u, 8191u}) {
        const wire::Identity last({Topology::cube, kDimMax}, node_at((1u << kDimMax) - 1), start);
        EXPECT_EQ(wire::from_mac(wire::to_mac(last))->node, last.node);
        EXPECT_EQ(wire::from_mac(wire::to_mac(last))->start, start);
    }
}

TEST(Identity, a_mac_that_names_no_node_of_a_network_names_nothing) {
    const auto names = [](std::uint8_t topology, std::uint8_t dim, std::uint8_t node) {
        return wire::from_mac({0x02, topology, dim, 0, 0, node}).has_value();
    };
    EXPECT_TRUE(names(0, 3, 7));
    EXPECT_FALSE(names(0, 3, 8));
    EXPECT_FALSE(names(0, 21, 0)) << "so many dimensions are not numbered";
    EXPECT_FALSE(names(0, 255, 255));
    EXPECT_FALSE(names(1, 1, 0));
    EXPECT_TRUE(names(2, 3, 5));
    EXPECT_FALSE(names(2, 3, 6));
    EXPECT_FALSE(names(2, 2, 0));
    EXPECT_FALSE(names(3, 3, 0)) << "no such topology";
    EXPECT_FALSE(wire::from_mac({0x52, 0x54, 0x00, 0x12, 0x34, 0x56})) << "an emulator's own";
}

TEST(HostMessages, each_fits_the_payload_of_one_packet) {
    EXPECT_LE(sizeof(wire::NodeReport), wire::kPayloadBytesMax) << "in parts on small boards";
    EXPECT_LE(sizeof(wire::Chunk) + wire::kHostChunkBytesMax, wire::kPayloadBytesMax);
    for (const auto& [name, reason] : kCounterWords)
        EXPECT_FALSE(name.empty());
}

} // namespace frame_test
} // namespace mesh
