// The messages of one node: answered if they are right, counted if not, and shown clean.
#include "hal/check.hpp"
#include "host-tools/mesh/cables/bounds.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/run/node_session.hpp"
#include "kernel/processes/process_watch.hpp"
#include "wire/app_parameters.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace mesh::host {
namespace node_session_test {

constexpr Network kCube{Topology::cube, 2};
constexpr NodeId kNode{1};

class Recorder final : public SessionHandler {
public:
    void answer(NodeId to, wire::HostTag tag, std::span<const std::byte> payload) override {
        EXPECT_EQ(to, kNode);
        answers.emplace_back(tag, payload.size());
    }
    void begin_anew(NodeId) override { ++begun_anew; }
    void came_back(NodeId, std::uint32_t resets) override { came.push_back(resets); }
    void console_line(NodeId, std::string_view line) override { lines.emplace_back(line); }
    void traced(NodeId, const wire::ProcessTrace&, std::span<const std::byte> object) override {
        traces.push_back(object.size());
    }
    void error_line(NodeId, std::string_view line) override { errors.emplace_back(line); }
    void stopped(NodeId, std::string_view why) override { lines.emplace_back(why); }

    unsigned begun_anew = 0;
    std::vector<std::uint32_t> came;
    std::vector<std::pair<wire::HostTag, std::size_t>> answers;
    std::vector<std::size_t> traces;
    std::vector<std::string> lines;
    std::vector<std::string> errors;
};

class NodeSessionTest : public testing::Test {
protected:
    std::string say(wire::HostTag tag, std::span<const std::byte> payload = {}) {
        return session.hear(make_host_frame(kNoNode, tag, payload));
    }
    std::string report(const wire::NodeReport& report) {
        return say(wire::HostTag::report, wire::bytes_of(report));
    }
    std::string push(std::uint32_t position, std::uint32_t bytes, std::size_t sent) {
        return say(wire::HostTag::push,
                   joined(wire::bytes_of(wire::Chunk{position, bytes}), Bytes(sent)));
    }
    std::string print(std::string_view text) {
        return say(wire::HostTag::console, std::as_bytes(std::span(text)));
    }

    Recorder handler;
    std::optional<Bytes> input{Bytes(100)};
    Output output{40, true, [](NodeId) { return Output::Share{10, 20}; }};
    Bytes files = Bytes(50);
    SessionContext context{kCube, &input, &files, &output};
    NodeSession session{kNode, context, handler};
};

TEST_F(NodeSessionTest, CountsGoOnBeyondWhatANodeCountsWith) {
    wire::NodeReport now{};
    const auto counter = static_cast<std::size_t>(Counter::packets_delivered);
    session.begin_work(5);
    std::uint64_t sum = 0;
    for (unsigned times = 0; times < 10; ++times) {
        sum += 0xC000'0000u;
        now.counters[counter] = static_cast<std::uint32_t>(sum);
        now.counters[0] = now.link_packets[2] = now.dma_transfers[1] =
            static_cast<std::uint32_t>(sum);
        EXPECT_EQ(report(now), "");
    }
    const NodeCounts& counts = session.result().counts;
    EXPECT_EQ(counts.of(Counter::packets_delivered), sum);
    EXPECT_EQ(counts.of(Counter::frames_received), sum - 5);
    EXPECT_EQ(counts.link_packets[2], sum);
    EXPECT_EQ(counts.dma_transfers[1], sum);
}

TEST_F(NodeSessionTest, AReportLargerThanAPacketIsPutTogether) {
    wire::NodeReport done{};
    done.done = 1;
    done.untaken_service = 7; // the last of its bytes
    constexpr std::uint32_t kWhole = sizeof done, kCut = 256;
    const auto part = [&](std::uint32_t position, std::uint32_t bytes, std::uint32_t whole) {
        Bytes packet(wire::kPacketHeaderBytes + bytes);
        wire::PacketHeader header{.payload_bytes = static_cast<std::uint16_t>(bytes),
                                  .tag = static_cast<std::uint16_t>(wire::HostTag::report),
                                  .position = position,
                                  .total_bytes = whole};
        wire::write_packet_header(header, std::span(packet).first<wire::kPacketHeaderBytes>());
        std::ranges::copy(wire::bytes_of(done).subspan(position, bytes),
                          packet.begin() + wire::kPacketHeaderBytes);
        wire::seal_packet(packet);
        Bytes head(wire::kHeadBytes);
        wire::write_head({.kind = wire::Kind::host,
                          .port = kHostPort,
                          .packet_bytes = static_cast<std::uint16_t>(packet.size())},
                         {}, std::span(head).first<wire::kHeadBytes>());
        EXPECT_EQ(session.hear(joined(head, packet)), "");
        return session.result().done;
    };
    EXPECT_FALSE(part(kCut, kWhole - kCut, kWhole)) << "its begin is missing";
    EXPECT_FALSE(part(0, kCut, kWhole));
    EXPECT_FALSE(part(0, kCut, kWhole)) << "it begins anew";
    EXPECT_FALSE(part(kCut, kWhole - kCut, kWhole + 4)) << "of something else";
    EXPECT_EQ(session.refusals().host_frames, 2u);
    EXPECT_TRUE(part(kCut, kWhole - kCut, kWhole));
    EXPECT_EQ(session.result().report.untaken_service, 7u);
    EXPECT_EQ(session.refusals().host_frames, 2u);
}

TEST_F(NodeSessionTest, ChunksOfTheInputAreGivenAndNothingBehindIt) {
    for (const auto& [position, bytes] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {0, 100}, {100, 0}, {101, 0}, {0, 101}, {0xFFFF'FFFF, 1}, {99, 0xFFFF'FFFF}})
        EXPECT_EQ(say(wire::HostTag::pull, wire::bytes_of(wire::Pull{position, bytes})), "");
    EXPECT_EQ(handler.answers.size(), 2u);
    EXPECT_EQ(session.refusals().host_frames, 4u);
}

TEST_F(NodeSessionTest, ChunksOfFilesAreGivenFromTheirPlaceOnAndNothingBehindThem) {
    for (const auto& [position, bytes] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {0, 50}, {49, 1}, {50, 0}, {50, 1}, {0, 51}, {51, 0}})
        EXPECT_EQ(
            say(wire::HostTag::pull, wire::bytes_of(wire::Pull{wire::kFilesAt + position, bytes})),
            "");
    EXPECT_EQ(handler.answers.size(), 3u);
    EXPECT_EQ(session.refusals().host_frames, 3u);
}

TEST_F(NodeSessionTest, PushesStayInTheShareOfTheNode) {
    for (const auto& [position, bytes] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
             {10, 20}, {29, 1}, {30, 0}, {9, 1}, {29, 2}, {31, 0}, {0xFFFF'FFFF, 2}})
        EXPECT_EQ(push(position, bytes, bytes), "");
    EXPECT_EQ(session.refusals().pushes, 4u);
    EXPECT_EQ(output.size(), 30u);
    EXPECT_EQ(push(10, 5, 4), ""); // it says more than it has
    EXPECT_EQ(session.refusals().host_frames, 5u);
}

TEST_F(NodeSessionTest, AnAppIsToldThatItWritesTooFar) {
    context.app = true;
    EXPECT_NE(push(29, 2, 2).find("writes up to byte 31 of the output"), std::string::npos);
}

TEST_F(NodeSessionTest, AReportThatComesOfItselfIsNoAnswer) {
    wire::NodeReport done{};
    done.done = 1;
    session.ask(false);
    EXPECT_EQ(report(done), "");
    EXPECT_TRUE(session.asked()); // it is asked again
    EXPECT_EQ(handler.answers.size(), 2u);
    EXPECT_EQ(report(done), "");
    EXPECT_FALSE(session.asked());
    EXPECT_TRUE(session.result().done);
}

TEST_F(NodeSessionTest, AReportThatCannotBeIsNamedAndChangesNothing) {
    for (int wrong = 0; wrong < 4; ++wrong) {
        wire::NodeReport bad{};
        bad.done = wrong == 0 ? 2 : 1;
        bad.status = wrong == 1 ? 256 : 0;
        bad.finish_time = wrong == 2 ? wire::kNever : 0;
        bad.copies_time = wrong == 3 ? wire::kNever : 0;
        EXPECT_NE(report(bad), "") << wrong;
    }
    EXPECT_FALSE(session.result().done);
    EXPECT_EQ(session.result().report.status, 0u);
}

TEST_F(NodeSessionTest, WhatAProcessDoesIsHandedOnIfItCanBe) {
    wire::ProcessTrace trace{};
    for (trace.event = 0; trace.event < 8; ++trace.event)
        EXPECT_EQ(say(wire::HostTag::trace, joined(wire::bytes_of(trace), Bytes(12))), "");
    trace = {.clock = wire::kNever};
    EXPECT_EQ(say(wire::HostTag::trace, wire::bytes_of(trace)), "");
    EXPECT_EQ(say(wire::HostTag::trace, Bytes(sizeof trace - 1)), "");
    constexpr std::size_t kEvents = std::size_t{static_cast<unsigned>(ProcessEvent::ended)} + 1;
    EXPECT_EQ(handler.traces, std::vector<std::size_t>(kEvents, 12));
    EXPECT_EQ(session.refusals().host_frames, 8 - kEvents + 2);
}

TEST_F(NodeSessionTest, WhatOnlyTheHostSaysIsRefused) {
    for (const wire::HostTag tag :
         {wire::HostTag::job, wire::HostTag::start, wire::HostTag::chunk, wire::HostTag::poll,
          wire::HostTag::hang, wire::HostTag::no_carrier, wire::HostTag::resets})
        EXPECT_EQ(say(tag), "");
    EXPECT_EQ(session.hear(Bytes(100)), "");
    EXPECT_EQ(session.refusals().host_frames, 8u);
}

TEST_F(NodeSessionTest, LinesAreShownWholeCleanAndWithinTheirBound) {
    EXPECT_EQ(print("one\ntw"), "");
    EXPECT_EQ(print("o\x1b[2J\r\n"), "");
    EXPECT_EQ(handler.lines, (std::vector<std::string>{"one", "two\\x1b[2J\\x0d"}));
    const std::string half(1000, 'x');
    for (std::size_t bytes = 0; bytes < 3 * bounds::kLineBytesMax; bytes += half.size())
        EXPECT_EQ(print(half), "");
    EXPECT_EQ(handler.lines.size(), 5u);
    EXPECT_EQ(handler.lines.back().size(), bounds::kLineBytesMax);
    session.flush();
    EXPECT_EQ(handler.lines.size(), 6u);
}

TEST_F(NodeSessionTest, ItsEndQuotesTheLastLineOfItsOwnEmulator) {
    session.hear_errors("a line\nthe la");
    session.hear_errors("st\x1b one");
    session.end("exit 5");
    EXPECT_EQ(session.result().note, "exit 5, the last\\x1b one");
    EXPECT_EQ(handler.errors.size(), 2u);
    session.leave(Fate::hung, "later");
    EXPECT_EQ(session.result().fate, Fate::ended);
}

TEST_F(NodeSessionTest, QuietIsANodeThatOwesAndGivesNoSign) {
    using Seconds = Deadlines::Seconds;
    session.look(false, false, Seconds(5)); // owes nothing
    EXPECT_EQ(session.quiet_since(), Seconds(5));
    session.look(true, false, Seconds(6));
    EXPECT_EQ(session.quiet_since(), Seconds(5));
    session.look(true, true, Seconds(7));
    EXPECT_EQ(session.quiet_since(), Seconds(7));
}

TEST(Deadlines, InTheSimulationOnlyAStandstillIsLate) {
    Deadlines deadlines({Deadlines::Seconds(0), Deadlines::Seconds(0), false, false});
    deadlines.tick(true);
    EXPECT_FALSE(deadlines.silent(Deadlines::Seconds(-100)) || deadlines.over());
    deadlines.tick(false);
    EXPECT_TRUE(deadlines.silent(deadlines.now()) && deadlines.stuck(deadlines.now()));
}

TEST(Deadlines, ANodeThatADebuggerHoldsIsNeverLate) {
    Deadlines deadlines({Deadlines::Seconds(0.001), Deadlines::Seconds(0), true, true});
    EXPECT_FALSE(deadlines.silent(Deadlines::Seconds(-100)));
}

TEST(Deadlines, EachHasItsTime) {
    const Deadlines deadlines({Deadlines::Seconds(2), Deadlines::Seconds(0), true, false});
    const auto ago = [&](double s) { return deadlines.now() - Deadlines::Seconds(s); };
    EXPECT_TRUE(!deadlines.silent(ago(1.9)) && deadlines.silent(ago(2.1)));
    EXPECT_TRUE(!deadlines.stuck(ago(5.9)) && deadlines.stuck(ago(6.1)));
}

TEST(CleanText, ShowsControlCharactersAndLeavesTheRest) {
    EXPECT_EQ(cleaned("plain\ttext, caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
              "plain\ttext, caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(cleaned("\x1b[31m\r\n\x7f"), "\\x1b[31m\\x0d\\x0a\\x7f");
    EXPECT_EQ(cleaned("\xc2\x9b \xe2\x80\xae \xe2\x81\xa6"), "\\u{9b} \\u{202e} \\u{2066}");
}

TEST(CleanText, ShowsEveryByteThatIsNoUtf8) {
    EXPECT_EQ(cleaned("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(cleaned("\xc0\xaf"), "\\xc0\\xaf");                   // longer than needed
    EXPECT_EQ(cleaned("\xed\xa0\x80"), "\\xed\\xa0\\x80");          // half of a pair
    EXPECT_EQ(cleaned("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80"); // beyond the last
    EXPECT_EQ(cleaned("\xe2\x82x"), "\\xe2\\x82x");
}

TEST_F(NodeSessionTest, ANodeWithAnAddressThatNoNodeHasIsNamedWithThatWord) {
    wire::CrashRecord record{};
    record.cause = static_cast<std::uint32_t>(Misuse::no_such_node);
    EXPECT_EQ(say(wire::HostTag::fault, wire::bytes_of(record)), "");
    ASSERT_EQ(handler.lines.size(), 1u);
    EXPECT_NE(handler.lines[0].find("names no node of a network"), std::string::npos);
}

TEST_F(NodeSessionTest, AnAppBeginsAnewInARestartedNodeAndAnOpGoesOnWithoutIt) {
    for (const bool app : {false, true}) {
        context.app = app;
        NodeSession node{kNode, context, handler};
        const auto accepted = make_host_frame(kNoNode, wire::HostTag::accepted);
        EXPECT_EQ(node.hear(accepted), "");
        EXPECT_EQ(handler.begun_anew, 0u);
        node.leave(Fate::killed, "");
        node.restart();
        EXPECT_TRUE(node.live());
        EXPECT_EQ(node.result().restarted, !app);
        EXPECT_EQ(node.result().done, !app);
        EXPECT_EQ(node.hear(accepted), "");
        EXPECT_EQ(node.hear(accepted), "");
        EXPECT_EQ(handler.begun_anew, app ? 1u : 0u);
    }
}

TEST_F(NodeSessionTest, ANodeThatEndedOfItselfDoesNotComeBackIntoTheRun) {
    session.end("exit 3");
    session.restart();
    EXPECT_EQ(session.result().fate, Fate::ended);
}

TEST_F(NodeSessionTest, EachResetIsCountedOnceWhetherItsMessageCameOrNot) {
    context.app = true;
    const auto reset = [&](std::uint32_t resets) {
        EXPECT_EQ(say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{resets, 0})), "");
    };
    reset(0);
    reset(1);
    reset(1);
    reset(4); // two were not heard
    reset(3);
    EXPECT_EQ(handler.came, (std::vector<std::uint32_t>{1, 3}));
    EXPECT_EQ(session.result().began_anew, 4u);
    EXPECT_EQ(session.refusals().host_frames, 3u);
    session.restart(); // by the fault plan: its RAM has lost the count
    reset(1);
    EXPECT_EQ(session.result().began_anew, 5u);
    EXPECT_EQ(say(wire::HostTag::began_anew, Bytes(3)), "");
    session.leave(Fate::hung, "");
    reset(2);
    EXPECT_EQ(session.refusals().host_frames, 5u);
}

TEST_F(NodeSessionTest, AProgramBeginsAgainIfItHasSaidThatItMay) {
    std::string ended;
    context.ended = &ended;
    for (const bool app : {false, true}) {
        context.app = app;
        NodeSession node{kNode, context, handler};
        const auto reset = [&](std::uint32_t resets) {
            EXPECT_EQ(node.hear(make_host_frame(kNoNode, wire::HostTag::began_anew,
                                                wire::bytes_of(wire::BeganAnew{resets, 0}))),
                      "");
        };
        reset(1); // no program has begun
        EXPECT_EQ(ended, "");
        node.begin_work(0);
        reset(2);
        EXPECT_EQ(ended, app ? "node 1 began anew, and its program has not said yet that it may "
                               "(may_begin_again() of meshputer.hpp)"
                             : "node 1 began anew, and its program is an op, which no node takes "
                               "up again");
        ended.clear();
        EXPECT_EQ(node.hear(make_host_frame(kNoNode, wire::HostTag::may_begin_again)), "");
        reset(3);
        reset(4);
        EXPECT_EQ(ended.empty(), app);
        ended.clear();
    }
    EXPECT_EQ(handler.begun_anew, 0u);
}

/// The program's own word was lost with the memory of its life.
TEST_F(NodeSessionTest, ANodeThatBeganAnewMaySayThatItsProgramMayBeginAgain) {
    std::string ended;
    context.ended = &ended;
    context.app = true;
    session.begin_work(0);
    say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{1, 1}));
    say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{2, 0}));
    EXPECT_EQ(ended, "");
}

/// Else a run would be over in which all others have come to rest.
TEST_F(NodeSessionTest, ANodeThatBeganAnewIsNotSettledBeforeItsProgramHasBegunAndItSaysSo) {
    context.app = true;
    session.begin_work(0);
    say(wire::HostTag::may_begin_again);
    session.ask(false);
    say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{1, 0}));
    EXPECT_FALSE(session.asked()) << "what it was asked is forgotten";
    EXPECT_FALSE(session.settled());
    handler.answers.clear();
    session.ask(false);
    EXPECT_TRUE(handler.answers.empty()) << "the question waits for `start`";
    report({}); // the question of before may have come to the new life
    EXPECT_FALSE(session.settled());
    EXPECT_TRUE(session.asked());
    say(wire::HostTag::accepted);
    EXPECT_EQ(handler.begun_anew, 1u);
    ASSERT_EQ(handler.answers.size(), 1u);
    EXPECT_EQ(handler.answers[0].first, wire::HostTag::poll);
    EXPECT_FALSE(session.settled());
    report({});
    EXPECT_TRUE(session.settled());
    EXPECT_FALSE(session.asked());
}

TEST_F(NodeSessionTest, AReportOfBeforeARestartOfTheFaultPlanIsNoReport) {
    context.app = true;
    session.begin_work(0);
    session.restart();
    report({});
    EXPECT_FALSE(session.settled());
    say(wire::HostTag::accepted);
    report({});
    EXPECT_TRUE(session.settled());
}

TEST_F(NodeSessionTest, ANodeThatHasLostItsPowerIsToldItsCountOfResetsAndComesBackByIt) {
    const auto ready = [&](std::uint16_t start) {
        wire::Ready said{};
        said.start = start;
        say(wire::HostTag::ready, wire::bytes_of(said));
        say(wire::HostTag::accepted);
    };
    const auto reset = [&](std::uint32_t resets) {
        say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{resets, 0}));
    };
    ready(0);
    session.restart();
    ready(1);
    reset(1);
    ready(2);
    EXPECT_TRUE(handler.answers.empty());
    wire::Ready twice{};
    twice.start = 2;
    say(wire::HostTag::ready, wire::bytes_of(twice));
    ASSERT_EQ(handler.answers.size(), 1u) << "it is ready twice";
    EXPECT_EQ(handler.answers[0].first, wire::HostTag::resets);
    reset(2);
    EXPECT_EQ(session.result().began_anew, 2u);
    say(wire::HostTag::ready, wire::bytes_of(wire::Ready{}));
    EXPECT_EQ(handler.answers.size(), 2u) << "its power fails before it is ready";
    say(wire::HostTag::ready, wire::bytes_of(wire::Ready{}));
    EXPECT_EQ(handler.answers.size(), 3u) << "and before it has done what it was told";
    reset(3);
    ready(3);
    EXPECT_EQ(handler.answers.size(), 3u);
}

TEST_F(NodeSessionTest, ResetsOfBeforeTheRunAreNotOfTheRun) {
    context.was_there = true;
    const auto reset = [&](std::uint32_t resets) {
        say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{resets, 0}));
        return session.result().began_anew;
    };
    EXPECT_EQ(reset(7), 0u);
    EXPECT_EQ(reset(8), 1u);
    EXPECT_EQ(handler.came, (std::vector<std::uint32_t>{1}));
}

/// What the node still keeps may be the word of another run's program.
TEST_F(NodeSessionTest, ThatAProgramMayBeginAgainIsNotTakenFromAnEarlierRun) {
    std::string ended;
    context.ended = &ended;
    context.app = context.was_there = true;
    say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{1, 1}));
    session.begin_work(0);
    say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{2, 1}));
    EXPECT_NE(ended.find("has not said yet that it may"), std::string::npos) << ended;
}

TEST_F(NodeSessionTest, ANodeThatIsResetOnAndOnEndsTheRunBeforeItsNumbersComeRound) {
    std::string ended;
    context.ended = &ended;
    context.app = true;
    say(wire::HostTag::may_begin_again);
    session.begin_work(0);
    session.restart();
    for (std::uint32_t resets = 1; resets < 4095; ++resets)
        say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{resets, 0}));
    EXPECT_EQ(ended, "");
    say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{4095, 0}));
    EXPECT_NE(ended.find("node 1 began anew 4096 times"), std::string::npos) << ended;
}

TEST_F(NodeSessionTest, WhatWasSeenOfALifeBeforeStays) {
    context.app = true;
    say(wire::HostTag::may_begin_again);
    say(wire::HostTag::console, wire::bytes_of(std::array{'h', 'a', 'l', 'f'}));
    say(wire::HostTag::fault, wire::bytes_of(wire::CrashRecord{}));
    const std::string note = session.result().note;
    EXPECT_NE(note, "");
    say(wire::HostTag::began_anew, wire::bytes_of(wire::BeganAnew{1, 0}));
    EXPECT_EQ(session.result().note, note);
    EXPECT_EQ(handler.lines.back(), "half");
    wire::NodeReport last{};
    last.done = 1;
    report(last);
    EXPECT_TRUE(session.result().done) << "its next life may end well";
}

} // namespace node_session_test
} // namespace mesh::host
