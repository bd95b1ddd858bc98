// The answers of a link: gaps, refusals and acknowledgements reach the peer, and a dead link sends
// nothing and takes nothing.
#include "bare_links.hpp"
#include "link_pair.hpp"

#include <gtest/gtest.h>

namespace mesh::test {
namespace link_answers_test {

using wire::Kind;

LinkFrame data(std::uint16_t sequence) {
    return {{.kind = Kind::data, .port = port_at(0), .sequence = sequence, .hops = 1}, sequence, 1};
}

TEST(LinkAnswers, AGapThatHasNotBeenToldYetIsToldHoweverManyFramesComeEarly) {
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    for (std::uint16_t sequence = 1; sequence <= 3; ++sequence)
        end.take(data(sequence)); // number 0 is missing
    LinkFrame answer;
    ASSERT_TRUE(end.next(answer));
    EXPECT_EQ(answer.header.kind, Kind::ack);
    EXPECT_NE(answer.header.flags & wire::link_flag::kGap, 0);
    end.take(data(4));
    EXPECT_FALSE(end.next(answer)) << "a gap is told once";
}

TEST(LinkAnswers, AGapThatIsToldWithWhatCameBeforeItIsSentAgainAtOnce) {
    LinkPair pair{1};
    for (std::uint32_t number = 0; number < 5; ++number)
        ASSERT_TRUE(pair.ends[0].offer(number));
    pair.send(0, 3);
    pair.cut[1] = true;
    pair.send(0, 1);
    pair.cut[1] = false;
    pair.settle(); // no time passes
    ASSERT_EQ(pair.ends[1].got.size(), 5u);
}

TEST(LinkAnswers, ADamagedPacketIsToldAsAGapButNotOneThatCameBefore) {
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    end.take(data(0));
    LinkFrame answer;
    end.rest();
    ASSERT_TRUE(end.next(answer));
    end.link.on_damaged(data(0).header);
    EXPECT_FALSE(end.next(answer));
    end.link.on_damaged(data(1).header);
    ASSERT_TRUE(end.next(answer));
    EXPECT_NE(answer.header.flags & wire::link_flag::kGap, 0);
    EXPECT_EQ(answer.header.acknowledged, 1u);
}

TEST(LinkAnswers, AHelloCarriesNoAcknowledgementAway) {
    for (const bool answer_hello : {false, true}) {
        LinkPair pair{1};
        LinkEnd& end = pair.ends[0];
        end.take(data(0));
        end.take(data(2));
        if (answer_hello)
            end.link.on_hello(end.context, {.kind = Kind::hello});
        else
            end.link.say_hello();
        LinkFrame frame;
        ASSERT_TRUE(end.next(frame));
        EXPECT_NE(frame.header.kind, Kind::ack);
        ASSERT_TRUE(end.next(frame)) << "the acknowledgement is still owed";
        EXPECT_EQ(frame.header.kind, Kind::ack);
        EXPECT_EQ(frame.header.acknowledged, 1u);
        EXPECT_NE(frame.header.flags & wire::link_flag::kGap, 0);
    }
}

TEST(LinkAnswers, ARefusedPeerHearsOfBuffersAsSoonAsOneOfItsPacketsFits) {
    LinkPair pair{1, 8};
    std::vector<PacketBuffer*> taken;
    for (unsigned count = 0; count < 5; ++count) // 3 of 8 buffers stay free
        taken.push_back(pair.ends[1].pool().allocate());
    ASSERT_TRUE(pair.ends[0].offer(1, 8)); // needs 8 free buffers there
    ASSERT_TRUE(pair.ends[0].offer(2, 4)); // needs 4
    pair.settle();
    EXPECT_TRUE(pair.ends[1].got.empty());
    pair.ends[1].pool().release(taken.back());
    pair.settle(); // no time passes
    ASSERT_EQ(pair.ends[1].got.size(), 1u);
    EXPECT_EQ(pair.ends[1].got[0].number, 2u);
}

TEST(LinkAnswers, ADeadLinkTakesNoDataThatItCouldNotAcknowledge) {
    LinkPair pair{1};
    LinkEnd& end = pair.ends[0];
    pair.cut[1] = true; // nothing reaches the peer
    ASSERT_TRUE(end.offer(1));
    for (pair.settle(); !end.link.dead(); pair.settle())
        ASSERT_TRUE(pair.pass_time());
    ASSERT_TRUE(pair.ends[1].offer(7));
    pair.settle();
    EXPECT_TRUE(end.got.empty());
    for (unsigned turn = 0; turn < 1000 && !pair.ends[1].link.dead(); ++turn) {
        static_cast<void>(pair.pass_time());
        pair.settle();
    }
    EXPECT_TRUE(pair.ends[1].link.dead()); // and its peer is right to call the packet lost
    EXPECT_TRUE(end.got.empty());
}

/// A node with one neighbour, which has said hello.
struct OneNeighbour : BareLinks {
    OneNeighbour() : BareLinks({{Topology::cube, 1}, node_at(0)}, 1) {
        bring(0, hello(0));
        EXPECT_TRUE(next());
    }
    /// True if the node takes the packet, which it lets go of at once.
    bool bring_packet(wire::LinkHeader data = {.kind = Kind::data, .port = port_at(0), .hops = 1}) {
        PacketBuffer* buffer = pool.allocate();
        buffer->header = {.source = node_at(1), .destination = node_at(0)};
        wire::write_packet_header(buffer->header,
                                  buffer->packet().first<wire::kPacketHeaderBytes>());
        wire::seal_packet(buffer->packet());
        data.packet_bytes = wire::kPacketHeaderBytes;
        const bool taken = links.on_frame(port_at(0), data, buffer).packet;
        pool.release(buffer);
        return taken;
    }
};

/// Packets go one way only, one at a time: both ends come to rest after each.
struct OneWay {
    explicit OneWay(std::size_t buffers) : sender(buffers, false, 4096) { sender.meet(); }
    /// Acknowledgements that the last packet made leave.
    unsigned send(unsigned packets) {
        unsigned answers = 0;
        for (LinkFrame frame; packets != 0; --packets) {
            EXPECT_TRUE(sender.offer(0, 0, 0));
            EXPECT_TRUE(sender.next(frame));
            EXPECT_TRUE(receiver.bring_packet(frame.header));
            answers = rest();
            all += answers;
        }
        return answers;
    }
    unsigned rest() {
        receiver.links.acknowledge(false);
        unsigned answers = 0;
        for (; const auto answer = receiver.next(); ++answers)
            sender.take({*answer});
        return answers;
    }
    LinkEnd sender;
    OneNeighbour receiver;
    unsigned all = 0; // acknowledgements
};

TEST(LinkAnswers, OneWayTrafficHasAnAcknowledgementForEveryEighthPacketAndOneAtItsEnd) {
    OneWay cable{48};
    cable.send(200);
    EXPECT_EQ(cable.all, 25u);
    cable.send(5);
    EXPECT_EQ(cable.sender.link.pending(), 5u);
    const std::uint64_t alarm = cable.receiver.links.next_deadline();
    EXPECT_EQ(alarm, limits::kRtoMinUs / limits::kAcknowledgeShare);
    cable.receiver.time.set_clock(alarm - 1);
    EXPECT_EQ(cable.rest(), 0u);
    cable.receiver.time.set_clock(alarm);
    EXPECT_EQ(cable.rest(), 1u);
    EXPECT_EQ(cable.sender.link.pending(), 0u);
    EXPECT_EQ(cable.receiver.links.next_deadline(), wire::kNever);
    EXPECT_EQ(cable.sender.context.counters[Counter::retransmissions], 0u);
}

TEST(LinkAnswers, PacketsOfTheWayBackCarryTheAcknowledgementAndNoAlarmIsLeft) {
    OneWay cable{48};
    cable.send(3);
    PacketBuffer* back = cable.receiver.pool.allocate();
    back->header = {.source = node_at(0), .destination = node_at(1)};
    EXPECT_TRUE(cable.receiver.links.send(port_at(0), back));
    EXPECT_EQ(cable.rest(), 1u);
    EXPECT_EQ(cable.sender.link.pending(), 0u);
    cable.receiver.time.set_clock(limits::kRtoMinUs);
    EXPECT_EQ(cable.rest(), 0u);
}

TEST(LinkAnswers, ASenderShortOfBuffersIsAnsweredAtOnce) {
    OneWay cable{8};
    EXPECT_EQ(cable.send(3), 0u);
    EXPECT_EQ(cable.send(1), 1u) << "half of them are in use";
    for (unsigned other = 0; other < 4; ++other)
        ASSERT_NE(cable.sender.pool().allocate(), nullptr);
    cable.all = 0;
    cable.send(20);
    EXPECT_EQ(cable.all, 20u);
}

TEST(LinkAnswers, AFrameThatIsSentAgainIsAnsweredAtOnce) {
    OneWay cable{48};
    ASSERT_TRUE(cable.sender.offer(0, 0, 0));
    LinkFrame frame;
    ASSERT_TRUE(cable.sender.next(frame)); // and is lost
    cable.sender.context.time.set_clock(cable.sender.link.deadline());
    cable.sender.link.on_timer(cable.sender.context);
    ASSERT_TRUE(cable.sender.next(frame));
    EXPECT_TRUE(cable.receiver.bring_packet(frame.header));
    EXPECT_EQ(cable.rest(), 1u);
    EXPECT_EQ(cable.sender.link.pending(), 0u);
}

} // namespace link_answers_test
} // namespace mesh::test
