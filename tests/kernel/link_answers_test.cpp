// What a link answers: gaps, refusals and acknowledgements reach the peer, and a dead link says
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
    void bring_packet() {
        PacketBuffer* buffer = pool.allocate();
        buffer->header = {.source = node_at(1), .destination = node_at(0)};
        wire::write_packet_header(buffer->header,
                                  buffer->packet().first<wire::kPacketHeaderBytes>());
        wire::seal_packet(buffer->packet());
        const wire::LinkHeader data{.kind = Kind::data,
                                    .port = port_at(0),
                                    .packet_bytes = wire::kPacketHeaderBytes,
                                    .hops = 1};
        EXPECT_FALSE(links.on_frame(port_at(0), data, buffer).packet);
        pool.release(buffer);
    }
};

TEST(LinkAnswers, ANodeWithoutRoomForNoticesNamesNoFreeBuffersUntilItHas) {
    OneNeighbour node;
    node.admission.close(true);
    node.bring_packet();
    const std::optional<wire::LinkHeader> refusal = node.next();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->kind, Kind::ack);
    EXPECT_EQ(refusal->refused, 1u);
    EXPECT_EQ(refusal->free_buffers, 0u);
    node.links.on_buffers_free();
    EXPECT_FALSE(node.next()) << "there is nothing to tell";
    node.admission.close(false);
    node.links.on_buffers_free();
    const std::optional<wire::LinkHeader> told = node.next();
    ASSERT_TRUE(told) << "who was refused is told";
    EXPECT_EQ(told->free_buffers, 16u);
}

} // namespace link_answers_test
} // namespace mesh::test
