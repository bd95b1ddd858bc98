// Frames on a stream: cut right wherever the parts end, refused where they are none, and never
// more kept than the bound.
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/cables/frame_stream.hpp"
#include "host-tools/mesh/cables/lockstep.hpp"
#include "wire/frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace mesh::host {
namespace frame_stream_test {

Bytes frame_of(std::size_t bytes, unsigned mark) { return Bytes(bytes, std::byte(mark)); }

Bytes stream_of(const std::vector<Bytes>& frames) {
    SendQueue queue;
    for (const Bytes& frame : frames)
        EXPECT_TRUE(queue.push(frame));
    const auto bytes = queue.waiting();
    return {bytes.begin(), bytes.end()};
}

std::vector<Bytes> cut(FrameReader& reader, std::span<std::byte> bytes) {
    std::vector<Bytes> frames;
    while (const auto frame = reader.next(bytes))
        frames.emplace_back(frame->begin(), frame->end());
    EXPECT_TRUE(bytes.empty());
    return frames;
}

TEST(FrameReader, GivesTheSameFramesWhereverTheStreamIsCut) {
    const std::vector<Bytes> frames{frame_of(1, 1), frame_of(0, 0), frame_of(300, 3),
                                    frame_of(44, 4)};
    const Bytes stream = stream_of(frames);
    for (std::size_t first = 0; first <= stream.size(); ++first)
        for (std::size_t second = first; second <= stream.size(); second += second < 12 ? 1 : 37) {
            FrameReader reader;
            Bytes bytes = stream;
            const auto all = std::span(bytes);
            std::vector<Bytes> got = cut(reader, all.first(first));
            for (const auto part : {all.subspan(first, second - first), all.subspan(second)}) {
                const std::vector<Bytes> more = cut(reader, part);
                got.insert(got.end(), more.begin(), more.end());
            }
            ASSERT_EQ(got, frames) << first << " " << second;
            ASSERT_FALSE(reader.inside() || reader.broken());
        }
}

TEST(FrameReader, KnowsThatAFrameHasBegunAndNotEnded) {
    for (const std::size_t bytes : {1u, 3u, 4u, 20u}) {
        FrameReader reader;
        Bytes stream = stream_of({frame_of(50, 1)});
        EXPECT_TRUE(cut(reader, std::span(stream).first(bytes)).empty());
        EXPECT_TRUE(reader.inside()) << bytes;
    }
}

TEST(FrameReader, TakesTheLongestFrameAndNoLongerOne) {
    FrameReader good;
    Bytes longest = stream_of({frame_of(bounds::kFrameBytesMax, 1)});
    EXPECT_EQ(cut(good, longest).size(), 1u);
    FrameReader bad;
    Bytes longer = stream_of({frame_of(1, 1), frame_of(bounds::kFrameBytesMax + 1, 1)});
    EXPECT_EQ(cut(bad, longer).size(), 1u);
    EXPECT_TRUE(bad.broken());
    EXPECT_EQ(bad.length(), bounds::kFrameBytesMax + 1);
}

TEST(FrameReader, ReadsNothingMoreFromWhatIsNoStreamOfFrames) {
    for (const std::size_t first : {0u, 1u, 3u}) {
        FrameReader reader;
        Bytes bytes = Bytes(10, std::byte{0xFF});
        EXPECT_TRUE(cut(reader, std::span(bytes).first(first)).empty());
        EXPECT_TRUE(cut(reader, std::span(bytes).subspan(first)).empty());
        EXPECT_TRUE(reader.broken());
        Bytes good = stream_of({frame_of(5, 1)});
        EXPECT_TRUE(cut(reader, good).empty());
    }
}

TEST(SendQueue, SendsEveryByteOnceInOrderWhateverTheSocketTakes) {
    SendQueue queue;
    std::vector<Bytes> frames;
    Bytes sent;
    unsigned taken = 1;
    for (unsigned number = 0; number < 400 || !queue.empty(); ++number) {
        if (number < 400) {
            frames.push_back(frame_of(number * 7 % 5000, number % 251));
            ASSERT_TRUE(queue.push(frames.back()));
        }
        taken = (taken * 31 + 7) % 6000;
        const auto part =
            queue.waiting().first(std::min<std::size_t>(queue.waiting().size(), taken));
        sent.insert(sent.end(), part.begin(), part.end());
        queue.pop(part.size());
    }
    EXPECT_EQ(sent, stream_of(frames));
}

TEST(SendQueue, RefusesWhatIsBeyondItsBoundAndTakesMoreWhenSomeIsSent) {
    SendQueue queue;
    const Bytes frame = frame_of(1000, 1);
    std::size_t count = 0;
    while (queue.push(frame))
        ++count;
    EXPECT_EQ(count, bounds::kUnreadBytesMax / (kLengthBytes + frame.size()));
    EXPECT_LE(queue.waiting().size(), bounds::kUnreadBytesMax);
    queue.pop(3 * frame.size());
    EXPECT_TRUE(queue.push(frame));
}

TEST(SendQueue, DoesNotKeepWhatIsSent) {
    SendQueue queue;
    const Bytes frame = frame_of(1000, 1);
    for (int round = 0; round < 100'000; ++round) { // there is always one that waits
        ASSERT_TRUE(queue.push(frame));
        queue.pop(round == 0 ? 500 : kLengthBytes + frame.size());
        ASSERT_LT(queue.held_bytes(), std::size_t{1} << 20);
    }
}

TEST(SendQueue, KnowsThePortByWhichMostOfItComesIn) {
    SendQueue queue;
    for (const auto& [port, bytes] : std::vector<std::pair<unsigned, std::size_t>>{
             {1, 300}, {7, 200}, {1, 60}, {7, 250}, {255, 100}, {0, 3}}) {
        Bytes frame = frame_of(bytes, 0);
        if (bytes > wire::offset::kCablePort)
            frame[wire::offset::kCablePort] = std::byte(port);
        ASSERT_TRUE(queue.push(frame));
    }
    EXPECT_EQ(queue.busiest_port(), 7u);
    queue.pop(100); // the middle of the first one
    EXPECT_EQ(queue.busiest_port(), 7u);
}

} // namespace frame_stream_test
} // namespace mesh::host
