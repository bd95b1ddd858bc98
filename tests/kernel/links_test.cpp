// Frames that no healthy mesh brings: from neighbours that are others, by ports that do not exist,
// and answers that have lost their way.
#include "bare_links.hpp"

#include <bit>
#include <map>
#include <utility>
#include <vector>

namespace mesh::test {
namespace links_test {

using wire::Kind;

constexpr Network kCube3{Topology::cube, 3};
constexpr Network kUhc4{Topology::uhc, 4};

TEST(Links, TellOfTheFirstCableThatIsPluggedInWrong) {
    const auto found = [](auto change) {
        BareLinks node{{kCube3, node_at(0)}, 3};
        wire::LinkHeader wrong = node.hello(1);
        change(wrong);
        node.bring(1, wrong);
        wire::LinkHeader other = node.hello(2);
        other.refused = 7;
        node.bring(2, other);
        wire::Ready ready{};
        EXPECT_TRUE(node.links.take_ready(ready)) << "nobody waits for the others then";
        EXPECT_EQ(ready.ports_good, 0u);
        EXPECT_EQ(ready.ports_miswired, 6u);
        EXPECT_EQ(ready.miswired_port, 1u);
        EXPECT_FALSE(node.links.at(port_at(1)).up());
        return std::pair{ready.found_node, unsigned{ready.found_port}};
    };
    EXPECT_EQ(found([](wire::LinkHeader& hello) { hello.port = port_at(2); }), std::pair(2u, 2u));
    EXPECT_EQ(found([](wire::LinkHeader& hello) { hello.refused = 5; }), std::pair(5u, 1u));
    EXPECT_EQ(found([](wire::LinkHeader& hello) { ++hello.sequence; }), std::pair(2u, 1u));
}

TEST(Links, OfANetworkWithMorePortsThanTheBoardHasAreThoseOfTheBoard) {
    BareLinks node{{kCube3, node_at(0)}, 2};
    node.links.say_hello();
    EXPECT_EQ(node.ports_that_speak(), 3u);
}

TEST(Links, DropAndCountFramesOfNoKindAndAtPortsThatThereAreNot) {
    BareLinks node{{kCube3, node_at(0)}, 3};
    for (const Kind kind : {Kind{0}, Kind::idle, static_cast<Kind>(0xFF)})
        node.bring(1, {.kind = kind, .port = port_at(1)});
    node.bring(7, {.kind = Kind::ack, .port = port_at(7)});
    EXPECT_EQ(node.counters[Counter::drop_malformed], 4u);
    node.bring(1, {.kind = Kind::ack, .port = port_at(2)});
    EXPECT_EQ(node.counters[Counter::drop_wrong_port], 1u);
}

TEST(Links, PassAnAnswerOnWhenItsPortIsReadyAndDropOneThatHasLostItsWay) {
    BareLinks node{{kUhc4, node_at(0)}, 4};
    const PortSet out = node.here.out_ports();
    const auto link = static_cast<unsigned>(std::countr_zero(~out & 15u));
    const auto answer = static_cast<unsigned>(std::countr_zero(out));
    wire::LinkHeader header{.kind = Kind::ack, .port = port_at(link), .hops = 2};
    header.flags = wire::WayBack{port_at(link), port_at(answer)}.flags();
    node.bring(link, header);
    EXPECT_TRUE(node.links.passing());
    EXPECT_FALSE(node.next(0)) << "its port is busy";
    const std::optional<wire::LinkHeader> passed = node.next(bit_of(port_at(answer)));
    ASSERT_TRUE(passed);
    EXPECT_EQ(passed->hops, 3u);
    EXPECT_FALSE(node.links.passing());
    header.hops = 5;
    node.bring(link, header);
    EXPECT_FALSE(node.links.passing());
    EXPECT_EQ(node.counters[Counter::drop_wrong_port], 1u);
}

// An answer of this node's own leaves by another port than its link's, and waits for that one.
TEST(Links, HoldAnAnswerBackUntilThePortIsReadyThatItLeavesBy) {
    BareLinks node{{kUhc4, node_at(0)}, 4};
    const auto link = static_cast<unsigned>(std::countr_zero(node.here.in_ports()));
    node.bring(link, node.hello(link));
    const PortSet way = bit_of(node.links.at(port_at(link)).leaves_by());
    ASSERT_EQ(way & node.here.out_ports(), way);
    EXPECT_FALSE(node.next(~way)) << "its link's port is ready, and of no use";
    EXPECT_TRUE(node.links.more_frames());
    const std::optional<wire::LinkHeader> answer = node.next();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->kind, Kind::hello_answer);
    EXPECT_EQ(bit_of(answer->port), way);
}

// Otherwise runs in lockstep would depend on how long neighbours took to boot.
TEST(Links, AnswerByTheFirstWayAgainWhenTimeBeginsAnew) {
    BareLinks node{{kUhc4, node_at(0)}, 4};
    const auto link = static_cast<unsigned>(std::countr_zero(node.here.in_ports()));
    const auto way = [&] { return node.links.at(port_at(link)).leaves_by(); };
    const Port first = way();
    for (unsigned hello = 0; hello < 2; ++hello) { // the second: the first answer was lost
        node.bring(link, node.hello(link));
        ASSERT_TRUE(node.next());
    }
    ASSERT_NE(way(), first);
    node.links.on_new_time();
    EXPECT_EQ(way(), first);
}

/// The questions and answers that leave by each port, of a node whose ports share a transmitter or
/// have one each, which is then busy until the node has nothing for the others.
using FramesByPort = std::map<unsigned, std::vector<std::pair<Kind, unsigned>>>;
FramesByPort frames_by_port(NodeId id, bool one_each) {
    constexpr Network kUhc{Topology::uhc, BareLinks::kPortsMax};
    BareLinks node{{kUhc, id}, kUhc.dim};
    node.time.begin_lockstep();
    FramesByPort frames;
    for (unsigned round = 0; round < 3; ++round) {
        node.links.say_hello();
        for (unsigned link = 0; link < kUhc.dim; ++link)
            if ((node.here.in_ports() >> link & 1u) != 0)
                node.bring(link, node.hello(link));
        for (PortSet busy = 0; node.links.more_frames(); busy = 0)
            while (const auto header = node.next(~busy)) {
                frames[index(header->port)].emplace_back(header->kind, header->flags);
                busy |= one_each ? bit_of(header->port) : 0;
            }
    }
    return frames;
}

// So in lockstep a board with a transmitter for each port does the same as one with a single
// transmitter.
TEST(Links, SendInAnOrderByEachPortThatDoesNotDependOnWhichOthersWereBusy) {
    for (std::uint32_t id = 0; id < 1u << BareLinks::kPortsMax; ++id)
        EXPECT_EQ(frames_by_port(node_at(id), true), frames_by_port(node_at(id), false)) << id;
}

// A node that is not in its first life waits for silent neighbours for a limited time. A link that
// has died of another cause by then counts as dead once.
TEST(Links, GiveUpSilentNeighboursOfALaterLifeOnceEach) {
    BareLinks node{{kCube3, node_at(0), 1}, 3};
    for (const unsigned port : {0u, 1u}) {
        wire::LinkHeader answer = node.hello(port, Kind::hello_answer);
        answer.free_buffers = 16; // the number of this life
        node.bring(port, answer);
        ASSERT_TRUE(node.links.at(port_at(port)).up());
    }
    wire::LinkHeader anew = node.hello(1);
    anew.acknowledged = 16;
    anew.free_buffers = wire::kNoNumber;
    node.bring(1, anew); // and then this neighbour stops
    ASSERT_TRUE(node.links.at(port_at(1)).dead());
    for (unsigned hello = 0; hello < 2 * limits::kHellosMax; ++hello)
        node.links.say_hello();
    EXPECT_EQ(node.links.dead_ports(), 6u);
    EXPECT_EQ(node.counters[Counter::links_dead], 2u);
}

} // namespace links_test
} // namespace mesh::test
