// Printed text on its way to the host; and the message to a program that breaks a channel's
// promise.
#include "kernel/node/host_port.hpp"
#include "meshputer.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mesh::test {
namespace console_test {

/// Runs a program on one node; the trace events and the text that the host gets.
std::vector<std::string> heard(Program program) {
    Rig rig{{Topology::cube, 1}, program};
    rig.run({});
    std::vector<std::string> frames;
    for (const auto& frame : rig.to_host) {
        if (frame.from != NodeId{0})
            continue;
        if (frame.tag == wire::HostTag::console)
            frames.emplace_back(reinterpret_cast<const char*>(frame.payload.data()),
                                frame.payload.size());
        else if (frame.tag == wire::HostTag::report)
            frames.emplace_back("report");
        else if (frame.tag == wire::HostTag::push)
            frames.emplace_back("push");
    }
    return frames;
}

void print(Kernel& node, std::string_view text) { node.print(text); }

Process prints_in_parts(Kernel& node) {
    for (const char* const part : {"a", "b", "c\nd", "e\n", "\n"})
        print(node, part);
    co_return Status::ok;
}

TEST(Console, ALineIsOneFrameHoweverItWasPrinted) {
    EXPECT_EQ(heard(prints_in_parts), (std::vector<std::string>{"abc\n", "de\n", "\n", "report"}));
}

Process prints_half_a_line(Kernel& node) {
    print(node, "before");
    node.host_send(wire::HostTag::push, {});
    print(node, "flushed");
    node.flush_print();
    node.flush_print();
    print(node, "at the end");
    co_return Status::ok;
}

TEST(Console, TextWithoutAnEndComesBeforeWhateverIsToldNext) {
    EXPECT_EQ(heard(prints_half_a_line),
              (std::vector<std::string>{"before", "push", "flushed", "at the end", "report"}));
}

Process prints_a_long_line(Kernel& node) {
    print(node, std::string(2 * wire::kPayloadBytesMax + 10, 'x') + "\n");
    co_return Status::ok;
}

TEST(Console, ALongLineIsCutIntoFramesAndNothingIsLost) {
    const auto frames = heard(prints_a_long_line);
    ASSERT_EQ(frames.size(), 4u);
    EXPECT_EQ(frames[0].size(), wire::kPayloadBytesMax);
    EXPECT_EQ(frames[1].size(), wire::kPayloadBytesMax);
    EXPECT_EQ(frames[2], "xxxxxxxxxx\n");
}

/// The packets of a host port that speaks by itself.
struct Told {
    std::vector<wire::PacketHeader> headers;
    std::vector<std::byte> bytes;

    static void take(void* self, const wire::LinkHeader&, std::span<const std::byte> packet) {
        auto& told = *static_cast<Told*>(self);
        wire::PacketHeader header;
        ASSERT_EQ(wire::read_packet(packet, header), wire::Parse::ok);
        told.headers.push_back(header);
        const auto payload = packet.subspan(wire::kPacketHeaderBytes);
        told.bytes.insert(told.bytes.end(), payload.begin(), payload.end());
    }
};

TEST(Console, AMessageInPartsSaysOfEachWhereItBelongs) {
    std::array<PacketBuffer, 1> buffers;
    std::array<PortSlot, 1> slots;
    PacketPool pool{buffers, slots, 1};
    Arena arena{{}};
    Counters counters;
    Told told;
    HostPort port{{&Told::take, &told}, NodeId{3}, pool, arena, counters};
    std::vector<std::byte> message(2 * wire::kPayloadBytesMax + 5);
    for (std::size_t at = 0; at < message.size(); ++at)
        message[at] = static_cast<std::byte>(at * 7 % 251);
    port.send_in_parts(wire::HostTag::report, message);
    EXPECT_EQ(told.bytes, message);
    ASSERT_EQ(told.headers.size(), 3u);
    for (std::size_t part = 0; part < 3; ++part) {
        EXPECT_EQ(told.headers[part].position, part * wire::kPayloadBytesMax);
        EXPECT_EQ(told.headers[part].total_bytes, message.size());
        EXPECT_EQ(told.headers[part].source, NodeId{3});
    }
}

// Channels ----------------------------------------------------------------------------------------

Process writes(Kernel&, Channel<int>& channel) {
    co_await channel.write(1);
    co_return Status::ok;
}

Process reads(Kernel&, Channel<int>& channel) {
    const int value = co_await channel.read();
    co_return value == 1 ? Status::ok : Status::failed;
}

template <Process (*kUser)(Kernel&, Channel<int>&)>
Process two_of_a_kind(Kernel& node) {
    Channel<int> channel{node};
    ProcessId one;
    ProcessId other;
    static_cast<void>(node.spawn(kUser(node, channel), one) &&
                      node.spawn(kUser(node, channel), other));
    co_return co_await node.join(other);
}

Process a_reader_after_another(Kernel& node) {
    Channel<int> channel{node};
    for (unsigned round = 0; round < 3; ++round) {
        ProcessId writer;
        if (!node.spawn(writes(node, channel), writer))
            co_return Status::no_memory;
        const Status status = co_await reads(node, channel);
        if (status != Status::ok)
            co_return status;
        const Status written = co_await node.join(writer);
        if (written != Status::ok)
            co_return written;
    }
    co_return Status::ok;
}

TEST(Channel, OneReaderAfterAnotherIsAllRight) {
    Rig rig{{Topology::cube, 1}, a_reader_after_another};
    rig.run({});
    EXPECT_EQ(rig.report(0).status, 0u);
    EXPECT_EQ(rig.report(0).done, 1u);
}

TEST(ChannelDeathTest, TwoWritersAtATimeAreABug) {
    EXPECT_DEATH(heard(two_of_a_kind<writes>), "failed: two processes write to one");
}

TEST(ChannelDeathTest, TwoReadersAtATimeAreABug) {
    EXPECT_DEATH(heard(two_of_a_kind<reads>), "failed: two processes read from one");
}

} // namespace console_test
} // namespace mesh::test
