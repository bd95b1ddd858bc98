// Frames on serial lines: byte stuffing, and the compact format of headers.
#include "wire/bytes.hpp"
#include "wire/cobs.hpp"
#include "wire/compact.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace line_test {
using namespace mesh;
using namespace mesh::wire;
using Bytes = std::vector<std::byte>;

Bytes stuffed(std::span<const std::byte> frame, std::size_t cut = 0) {
    CobsEncoder encoder(frame.first(cut), frame.subspan(cut));
    Bytes line;
    for (std::byte one; encoder.next(one);)
        line.push_back(one);
    return line;
}

/// The frames of a line; a broken one is empty.
std::vector<Bytes> frames_on(std::span<const std::byte> line) {
    CobsDecoder decoder;
    std::vector<Bytes> frames;
    Bytes frame;
    for (const std::byte in : line) {
        std::byte out;
        switch (decoder.take(in, out)) {
        case CobsDecoder::Event::none: break;
        case CobsDecoder::Event::byte: frame.push_back(out); break;
        case CobsDecoder::Event::end: frames.push_back(std::exchange(frame, {})); break;
        case CobsDecoder::Event::broken:
            frame.clear();
            frames.emplace_back();
            break;
        }
    }
    return frames;
}

TEST(Cobs, AnExampleTravelsAsItsFileSays) {
    const Bytes frame{std::byte{0x11}, std::byte{0x22}, std::byte{0}, std::byte{0x33}};
    const Bytes line{std::byte{3}, std::byte{0x11}, std::byte{0x22},
                     std::byte{2}, std::byte{0x33}, std::byte{0}};
    EXPECT_EQ(stuffed(frame), line);
}

TEST(Cobs, EveryLengthComesBackWithoutAZeroInsideAndWithinItsBound) {
    std::mt19937 random(1);
    for (const unsigned values : {1u, 2u, 256u}) // all zeroes; half of them; of anything
        for (std::size_t size = 0; size <= 1100; ++size) {
            Bytes frame(size);
            for (std::byte& one : frame)
                one = static_cast<std::byte>(random() % values);
            const Bytes line = stuffed(frame, random() % (size + 1));
            EXPECT_LE(line.size(), cobs_bytes(size));
            EXPECT_EQ(std::ranges::count(line, kFrameEnd), 1);
            EXPECT_EQ(frames_on(line), std::vector<Bytes>{frame});
        }
    for (const std::size_t size : {253u, 254u, 255u, 508u, 509u}) { // blocks that are just full
        const Bytes frame(size, std::byte{7});
        EXPECT_EQ(frames_on(stuffed(frame)), std::vector<Bytes>{frame}) << size;
    }
}

TEST(Cobs, TheFrameBehindNoiseIsTaken) {
    std::mt19937 random(2);
    const Bytes frame(40, std::byte{9});
    for (unsigned round = 0; round < 1000; ++round) {
        Bytes line(random() % 300);
        for (std::byte& one : line)
            one = static_cast<std::byte>(random());
        line.push_back(kFrameEnd);
        std::ranges::copy(stuffed(frame), std::back_inserter(line));
        EXPECT_EQ(frames_on(line).back(), frame);
    }
}

/// A frame as a node makes it.
struct Frame {
    std::array<std::byte, kHeadBytes> head{};
    Bytes packet;
    bool operator==(const Frame&) const = default;
};

Frame made(const LinkHeader& link, const PacketHeader* header, std::mt19937& random) {
    Frame frame;
    LinkHeader whole = link;
    if (header != nullptr) {
        frame.packet.resize(kPacketHeaderBytes + header->payload_bytes);
        for (std::byte& one : frame.packet)
            one = static_cast<std::byte>(random());
        write_packet_header(*header, std::span{frame.packet}.first<kPacketHeaderBytes>());
        seal_packet(frame.packet);
        whole.packet_bytes = static_cast<std::uint16_t>(frame.packet.size());
    }
    write_head(whole, {}, frame.head);
    std::fill_n(frame.head.begin(), kCableBytes - 2, std::byte{}); // the line says it
    return frame;
}

/// The frame at the other end of a line; nothing if the bytes are no frame.
std::optional<Frame> carried(const Frame& frame) {
    Front front;
    if (!write_front(frame.head, frame.packet, front))
        return std::nullopt;
    EXPECT_LE(front.size, kFrontBytesMax);
    const std::size_t payload = frame.packet.empty() ? 0 : frame.packet.size() - kPacketHeaderBytes;
    Frame other;
    std::array<std::byte, kPacketHeaderBytes> header{};
    const FrontRead read = read_front(front.all(), front.size + payload, other.head, header);
    if (read.front_bytes != front.size)
        return std::nullopt;
    other.packet = frame.packet;
    if (!other.packet.empty())
        std::ranges::copy(header, other.packet.begin());
    restore_checksums(read, other.head, other.packet);
    return other;
}

LinkHeader random_link(std::mt19937& random) {
    const auto some = [&random] { return random() % 3 == 0 ? 0 : random() >> (random() % 32); };
    LinkHeader link;
    link.kind = static_cast<Kind>(1 + random() % 7);
    link.port =
        random() % 4 == 0 ? kHostPort : port_at(static_cast<unsigned>(random() % kCompactPorts));
    link.sequence = static_cast<std::uint16_t>(some());
    link.acknowledged = static_cast<std::uint16_t>(some());
    link.refused = static_cast<std::uint32_t>(some());
    link.free_buffers = static_cast<std::uint16_t>(some());
    link.hops = static_cast<std::uint16_t>(some());
    link.flags = static_cast<std::uint16_t>(some());
    const std::array<ModelTime, 5> times{0, kNever, some() * kTicksPerUnit, some(), kNever - 1};
    link.model_time = times[random() % times.size()];
    return link;
}

PacketHeader random_packet(std::mt19937& random) {
    const auto some = [&random] {
        return static_cast<std::uint32_t>(random() % 3 == 0 ? 0 : random() >> (random() % 32));
    };
    PacketHeader packet;
    packet.rule = static_cast<Rule>(random());
    packet.subtree = static_cast<std::uint8_t>(some());
    packet.payload_bytes = static_cast<std::uint16_t>(random() % (kPayloadBytesMax + 1));
    packet.source = random() % 4 == 0 ? kNoNode : node_at(some());
    packet.destination = random() % 2 == 0 ? kNoNode : node_at(some());
    packet.tag = static_cast<std::uint16_t>(some());
    packet.service = static_cast<std::uint8_t>(some());
    packet.flags = static_cast<std::uint8_t>(some());
    packet.message = some();
    packet.position = some();
    packet.total_bytes = some();
    packet.unit_bytes = some() & kUnitBytesMax;
    packet.call = some() & kCallMax;
    return packet;
}

TEST(Compact, EveryFrameArrivesAsItWasSent) {
    std::mt19937 random(3);
    for (unsigned round = 0; round < 20'000; ++round) {
        const PacketHeader packet = random_packet(random);
        const Frame frame = made(random_link(random), round % 3 == 0 ? nullptr : &packet, random);
        EXPECT_EQ(carried(frame), frame);
    }
}

TEST(Compact, TheExtremesOfAllFieldsFitTheFront) {
    LinkHeader link{0,      Kind::data, port_at(14), 0xFFFF, 0xFFFF, ~0u,
                    0xFFFF, 0,          kNever - 1,  0xFFFF, 0xFFFF};
    PacketHeader packet;
    packet.rule = static_cast<Rule>(0xFF);
    packet.subtree = packet.service = packet.flags = 0xFF;
    packet.source = node_at(~0u);
    packet.destination = node_at(~1u);
    packet.tag = 0xFFFF;
    packet.message = packet.position = ~0u;
    packet.unit_bytes = kUnitBytesMax;
    packet.call = kCallMax;
    packet.total_bytes = 0xEFFF'FFFF;
    std::mt19937 random(4);
    const Frame frame = made(link, &packet, random);
    EXPECT_EQ(carried(frame), frame);
}

TEST(Compact, AnAcknowledgementHasAtMost12BytesAndAPacketOfABroadcast24) {
    LinkHeader link;
    link.kind = Kind::ack;
    link.port = port_at(3);
    link.acknowledged = 1000;
    link.free_buffers = 150;
    link.flags = 0x00FE;
    std::mt19937 random(5);
    Front front;
    const Frame ack = made(link, nullptr, random);
    ASSERT_TRUE(write_front(ack.head, ack.packet, front));
    EXPECT_LE(front.size, 12u);

    link.kind = Kind::data;
    link.sequence = 1000;
    link.hops = 3;
    link.model_time = 1000 * kTicksPerUnit;
    PacketHeader packet;
    packet.rule = Rule::sbt;
    packet.source = node_at(100);
    packet.payload_bytes = 100;
    packet.position = 0;
    packet.total_bytes = 100;
    packet.message = 1;
    const Frame data = made(link, &packet, random);
    ASSERT_TRUE(write_front(data.head, data.packet, front));
    EXPECT_LE(front.size, 24u);
}

TEST(Compact, DamageBeforeOrOnTheLineShowsWhenTheHeadIsRead) {
    std::mt19937 random(6);
    unsigned unspoken = 0;
    for (unsigned round = 0; round < 5000; ++round) {
        const PacketHeader header = random_packet(random);
        Frame frame = made(random_link(random), &header, random);
        const std::size_t at =
            offset::kKind + random() % (kHeadBytes - offset::kKind + frame.packet.size());
        std::byte& one = at < kHeadBytes ? frame.head[at] : frame.packet[at - kHeadBytes];
        one ^= static_cast<std::byte>(1 + random() % 255);
        const auto other = carried(frame);
        LinkHeader link;
        if (!other)
            ++unspoken;
        else
            EXPECT_EQ(read_head(other->head, kHeadBytes + other->packet.size(), link),
                      Parse::bad_crc);
    }
    EXPECT_GT(unspoken, 0u);
    EXPECT_LT(unspoken, 500u);
}

TEST(Compact, AnyBytesAreReadWithoutHarm) {
    std::mt19937 random(7);
    for (unsigned round = 0; round < 20'000; ++round) {
        Bytes bytes(random() % kFrontBytesMax);
        for (std::byte& one : bytes)
            one = static_cast<std::byte>(random());
        const std::size_t frame_bytes = bytes.size() + random() % 1200;
        Frame frame;
        frame.packet.resize(kPacketBytesMax);
        std::array<std::byte, kPacketHeaderBytes> header{};
        const FrontRead read = read_front(bytes, frame_bytes, frame.head, header);
        EXPECT_LE(read.packet_bytes, kPacketBytesMax);
        EXPECT_LE(read.front_bytes, bytes.size());
    }
}

} // namespace line_test
