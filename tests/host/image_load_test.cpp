// The host tool's end of a load: its frames to node 0, their times, and their form on a line.
#include "host-tools/mesh/cables/frame_stream.hpp"
#include "host-tools/mesh/cables/host_frame.hpp"
#include "host-tools/mesh/cables/image_load.hpp"
#include "host-tools/mesh/common/errors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mesh::host {
namespace image_load_test {

using wire::LoadTag;
using Frame = std::vector<std::byte>;

constexpr std::uint64_t kTimeoutUs = 1'000'000;
constexpr std::uint32_t kTreeBytes = 4;

const std::vector<std::byte>& image() {
    static const std::vector<std::byte> bytes = [] {
        std::vector<std::byte> made(2 * wire::kLoadBlockBytes + 100);
        for (std::size_t at = 0; at < made.size(); ++at)
            made[at] = static_cast<std::byte>(at * at / 7);
        return made;
    }();
    return bytes;
}

const LoadTree& tree() {
    static const LoadTree made = load_tree({Topology::cube, 2});
    return made;
}

/// An answer of node 0 about that load, of which its part of the tree waits for `node`.
Frame answer(LoadTag tag, std::uint32_t position, NodeId node, std::uint8_t depth = 0) {
    const auto place = std::ranges::find(tree().nodes, node) - tree().nodes.begin();
    wire::LoadHeader header{.tag = tag,
                            .depth = depth,
                            .place = node == kNoNode ? wire::kNoPlace
                                                     : static_cast<std::uint16_t>(place),
                            .position = position,
                            .load = {.crc = wire::crc32(image(), wire::crc32(tree().branches)),
                                     .image_crc = wire::crc32(image()),
                                     .image_bytes = static_cast<std::uint32_t>(image().size()),
                                     .version = tag == LoadTag::refused ? 5u : 0u,
                                     .older = tag == LoadTag::refused,
                                     .nodes = kTreeBytes}};
    header.checksum = wire::load_checksum(header, {});
    return make_load_frame(wire::bytes_of(header));
}

struct Sent {
    wire::LoadHeader header;
    std::vector<std::byte> block;
};

Sent read(const Frame& frame) {
    wire::LinkHeader link;
    EXPECT_EQ(wire::read_head(frame, frame.size(), link), wire::Parse::ok);
    EXPECT_EQ(link.kind, wire::Kind::load);
    Sent sent{wire::load<wire::LoadHeader>(frame, wire::kHeadBytes),
              {frame.begin() + wire::kHeadBytes + sizeof(wire::LoadHeader), frame.end()}};
    EXPECT_EQ(sent.header.checksum, wire::load_checksum(sent.header, sent.block));
    return sent;
}

TEST(ImageLoad, SendsTheTreeThenBlockAfterBlockThenTheWordToStart) {
    ImageLoad load(tree(), image(), kTimeoutUs);
    std::vector<std::byte> got;
    while (got.size() < kTreeBytes + image().size()) {
        const auto frame = load.next_frame(0);
        ASSERT_TRUE(frame);
        const Sent sent = read(*frame);
        ASSERT_EQ(sent.header.tag, LoadTag::block);
        ASSERT_EQ(sent.header.position, got.size());
        ASSERT_EQ(sent.header.place, 0);
        got.insert(got.end(), sent.block.begin(), sent.block.end());
        if (sent.header.position == 0)
            EXPECT_EQ(got, tree().branches) << "a block of its own";
        load.heard(answer(LoadTag::have, static_cast<std::uint32_t>(got.size()), NodeId{3}, 2), 0);
    }
    EXPECT_TRUE(std::ranges::equal(std::span(got).subspan(kTreeBytes), image()));
    load.heard(answer(LoadTag::have, static_cast<std::uint32_t>(got.size()), kNoNode, 2), 0);
    EXPECT_FALSE(load.done());
    const auto frame = load.next_frame(0);
    ASSERT_TRUE(frame);
    EXPECT_EQ(read(*frame).header.tag, LoadTag::start);
    load.heard(answer(LoadTag::started, 0, NodeId{2}, 2), 0);
    EXPECT_FALSE(load.done());
    load.heard(answer(LoadTag::started, 0, kNoNode, 2), 1'500'000);
    EXPECT_TRUE(load.done());
    EXPECT_EQ(load.summary().blocks, 4u);
    EXPECT_EQ(load.summary().steps, 5u);
    EXPECT_DOUBLE_EQ(load.summary().seconds, 1.5);
}

/// Else each answer to a frame that was sent twice would double all later frames.
TEST(ImageLoad, SendsNothingForAnAnswerThatSaysNothingNew) {
    ImageLoad load(tree(), image(), kTimeoutUs);
    ASSERT_TRUE(load.next_frame(0));
    load.heard(answer(LoadTag::have, kTreeBytes, NodeId{0}), 1);
    ASSERT_TRUE(load.next_frame(1));
    load.heard(answer(LoadTag::have, kTreeBytes, NodeId{0}), 2);
    EXPECT_FALSE(load.next_frame(2));
    EXPECT_TRUE(load.next_frame(1 + wire::kLoadAgainUs));
}

TEST(ImageLoad, BeginsAnewWithANodeThatHasLostAll) {
    ImageLoad load(tree(), image(), kTimeoutUs);
    load.heard(answer(LoadTag::have, 2 * wire::kLoadBlockBytes, NodeId{0}), 0);
    load.heard(answer(LoadTag::have, 0, NodeId{0}), 0);
    EXPECT_EQ(read(load.next_frame(0).value()).header.position, 0u);
}

TEST(ImageLoad, NamesTheNodeOfWhichNothingNewComes) {
    ImageLoad load(tree(), image(), kTimeoutUs);
    ASSERT_TRUE(load.next_frame(0));
    load.heard(answer(LoadTag::have, 1024, NodeId{3}), 10);
    ASSERT_TRUE(load.next_frame(kTimeoutUs));
    try {
        (void)load.next_frame(2 * kTimeoutUs);
        FAIL() << "it goes on waiting";
    } catch (const RunError& error) {
        EXPECT_EQ(std::string(error.what()),
                  "node 3: has not all of the image, and nothing new for 1 s");
    }
}

TEST(ImageLoad, SaysWhetherAnImageIsToBeKeptAndWhoDoesNotKeepIt) {
    const auto why = [](std::uint32_t refusal) {
        ImageLoad load(tree(), image(), kTimeoutUs, {.version = 5, .older = true});
        const Sent sent = read(load.next_frame(0).value());
        EXPECT_EQ(sent.header.load.version, 5u);
        EXPECT_EQ(sent.header.load.older, 1u);
        EXPECT_FALSE(load.answered());
        load.heard(answer(LoadTag::refused, refusal, NodeId{3}), 1);
        EXPECT_TRUE(load.answered());
        ImageLoad other(tree(), image(), kTimeoutUs, {.version = 5});
        other.heard(answer(LoadTag::refused, refusal, NodeId{3}), 1);
        EXPECT_TRUE(other.next_frame(2)) << "it was said of an earlier load";
        try {
            (void)load.next_frame(1);
        } catch (const RunError& error) {
            return std::string(error.what());
        }
        return std::string("it goes on");
    };
    EXPECT_EQ(why(7), "node 3: keeps version 7 already, which is later than 5: --older puts the "
                      "older one in its place");
    EXPECT_EQ(why(wire::kLoadNoRoom), "node 3: has no flash, or none for 2148 bytes: mesh load "
                                      "without --keep brings a program that lasts until a reset");
    EXPECT_EQ(why(wire::kLoadFailed), "node 3: its flash does not keep what is written there");
}

TEST(ImageLoad, TakesNoNotice) {
    ImageLoad load(tree(), image(), kTimeoutUs);
    const Frame good = answer(LoadTag::have, wire::kLoadBlockBytes, kNoNode);
    for (std::size_t bytes = 0; bytes < good.size(); ++bytes)
        load.heard(std::span(good).first(bytes), 0);
    for (std::size_t at = wire::kHeadBytes; at < good.size(); ++at) {
        Frame bad = good;
        bad[at] ^= std::byte{4};
        load.heard(bad, 0);
    }
    EXPECT_EQ(read(load.next_frame(0).value()).header.position, 0u);
}

TEST(ImageLoad, TakesNoNoticeOfAPlaceThatThereIsNot) {
    for (const LoadTag tag : {LoadTag::have, LoadTag::refused}) {
        ImageLoad load(
            tree(), image(), kTimeoutUs,
            {.version = tag == LoadTag::refused ? 5u : 0u, .older = tag == LoadTag::refused});
        load.heard(answer(tag, kTreeBytes, NodeId{4}), 0);
        EXPECT_FALSE(load.answered());
        EXPECT_EQ(read(load.next_frame(0).value()).header.position, 0u);
    }
}

TEST(ImageLoad, CrossesASerialLine) {
    ImageLoad load(tree(), image(), kTimeoutUs);
    const Frame frame = load.next_frame(0).value();
    SendQueue queue(StreamFormat::serial, 14);
    ASSERT_TRUE(queue.push(frame));
    EXPECT_EQ(queue.waiting().size() % 14, 0u);
    EXPECT_LT(queue.waiting().size(), wire::kLoadMessageBytesMax + 24);
    FrameReader reader(StreamFormat::serial);
    Frame line(queue.waiting().begin(), queue.waiting().end());
    std::span<std::byte> bytes(line);
    const auto got = reader.next(bytes);
    ASSERT_TRUE(got);
    EXPECT_EQ(read({got->begin(), got->end()}).block, read(frame).block);
    EXPECT_FALSE(reader.next(bytes));
}

} // namespace image_load_test
} // namespace mesh::host
