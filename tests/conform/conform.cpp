// conform BOARD-FOLDER [IMAGE] [--quick] [GoogleTest's words]: what a board promises by its HAL
// (firmware/hal/concepts.hpp), asked of the board itself over its host port. Each case says what it
// is there to catch. IMAGE: another build of tests/conform/image than the one in the folder.
#include "hal/check.hpp"
#include "host-tools/mesh/engines/simulation.hpp"
#include "rig.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace mesh::conform {
namespace {

using namespace std::chrono_literals;

Subject subject;
bool quick = false;

/// The numbers of a line, by the words before them.
std::map<std::string, std::uint64_t> read(const std::string& line) {
    std::map<std::string, std::uint64_t> found;
    std::istringstream words(line);
    std::string word;
    for (std::uint64_t number = 0; words >> word >> number;)
        found[word] = number;
    return found;
}

class Conform : public testing::Test {
protected:
    /// All ports, or of many the first, one amid them and the last.
    std::set<unsigned> some_ports() const {
        std::set<unsigned> ports;
        for (unsigned port = 0; port < rig.ports(); ++port)
            ports.insert(port);
        return quick ? std::set<unsigned>{0, rig.ports() - 1} : ports;
    }
    Rig::Bytes frame(unsigned port, std::uint32_t number, int payload_bytes) const {
        std::array<std::byte, wire::kPacketBytesMax> room;
        std::span<const std::byte> packet;
        if (payload_bytes >= 0)
            packet = make_packet(number, static_cast<std::size_t>(payload_bytes), room);
        Rig::Bytes bytes(wire::kHeadBytes);
        wire::write_head(make_header(port_at(port), number, packet.size()), {},
                         std::span{bytes}.first<wire::kHeadBytes>());
        bytes.insert(bytes.end(), packet.begin(), packet.end());
        return bytes;
    }
    /// The node's counts since it was last asked: waits until `good` whole frames have come, or
    /// none for a while, as a line is slow.
    std::map<std::string, std::uint64_t> counts(std::uint64_t good) {
        std::map<std::string, std::uint64_t> seen;
        for (unsigned tried = 0; seen["good"] < good && tried < 50; ++tried) {
            rig.run_for(100ms);
            auto more = read(rig.ask({What::counts, 0, 0, 0, 0}));
            for (const auto& [what, number] : more)
                seen[what] += number;
            if (more["good"] != 0)
                tried = 0;
        }
        return seen;
    }

    /// The most bytes that a packet carries on the board.
    static std::uint32_t payload() { return static_cast<std::uint32_t>(subject.board.payload); }
    Rig rig{subject};
};

/// Lengths that the stuffing of bytes, a FIFO or a ring takes for another; bytes that a line eats.
TEST_F(Conform, FramesOfEveryLengthAndContentComeBackByEveryPort) {
    for (const unsigned port : some_ports()) {
        const std::uint32_t step = quick ? 85 : 1; // 255 among its multiples
        const auto answer = rig.ask({What::lengths, port, 0, payload() + 1, step});
        EXPECT_EQ(read(answer)["back"], (payload() + 1) / step + 1)
            << "port " << port << ": " << answer;
    }
}

/// Interrupts of both directions that meet in one frame, rings that are too small, a port that gets
/// no turn.
TEST_F(Conform, AllPortsAtOnceLoseNothingAndAllHaveTheirTurn) {
    std::string answer = rig.ask({What::flood, 0, quick ? 1000u : 10'000u, 0, 0});
    for (unsigned port = 0; port < rig.ports(); ++port) {
        auto seen = read(answer);
        EXPECT_GE(seen["sent"], 2u) << answer;
        EXPECT_EQ(seen["sent"], seen["back"]) << answer;
        EXPECT_EQ(seen["wrong"], 0u) << answer;
        if (port + 1 < rig.ports())
            answer = rig.line().value_or("no further line");
    }
}

/// ready_ports() that names a port while its packet is still being read.
TEST_F(Conform, APacketThatLeavesSlowlyStaysAsItWasWhenItWasSent) {
    const std::uint32_t count = quick ? 8 : 40;
    rig.loop_back(false);
    rig.throttle(64);
    const auto answer = rig.ask({What::send, 0, count, 0, 0});
    rig.throttle(0);
    rig.run_for(200ms);
    EXPECT_EQ(read(answer)["sent"], count) << answer;
    ASSERT_EQ(rig.frames.size(), count);
    for (std::uint32_t number = 0; number < count; ++number) {
        const auto bytes = std::span<const std::byte>(rig.frames[number].bytes);
        EXPECT_TRUE(is_frame(bytes.first(wire::kHeadBytes), bytes.subspan(wire::kHeadBytes), number,
                             payload()))
            << "frame " << number;
    }
    RecordProperty("busy", std::to_string(read(answer)["busy"]));
}

/// window_bytes() that promises more than the receivers hold.
TEST_F(Conform, WhatTheWindowsPromiseFitsAtAllPortsWhileTheReceiverSleeps) {
    const std::size_t window = subject.board.window_bytes(rig.ports());
    std::uint32_t sent = 0;
    rig.tell({What::sleep, 0, 700, 0, 0});
    rig.run_for(50ms);
    for (unsigned port = 0; port < rig.ports(); ++port) {
        const std::size_t largest = wire::kHeadBytes + wire::kPacketHeaderBytes + payload();
        for (std::size_t room = window; room >= largest; room -= largest, ++sent)
            rig.send(port, frame(port, sent, static_cast<int>(payload())));
        rig.send(port, frame(port, sent++, -1)); // and an acknowledgement
    }
    EXPECT_EQ(rig.line(), "awake");
    auto seen = counts(sent);
    EXPECT_EQ(seen["good"], sent);
    EXPECT_EQ(seen["bad"], 0u);
}

/// A receiver that noise, or a frame without an end, puts out of step for good.
TEST_F(Conform, AfterNoiseAndBrokenFramesTheNextOneIsTaken) {
    std::mt19937 random{1};
    const auto noise = [&](std::size_t size) {
        Rig::Bytes bytes(size);
        for (std::byte& byte : bytes)
            byte = static_cast<std::byte>(random());
        return bytes;
    };
    for (const unsigned port : some_ports()) {
        for (const std::size_t size : kNoiseBytes) {
            if (rig.serial()) {
                rig.raw(port, noise(size));
                rig.send(port, frame(port, 1, 150)); // may end the noise, and is lost with it then
            } else {
                rig.send(port, noise(std::min<std::size_t>(size, 2000)));
            }
            rig.send(port, frame(port, 2, static_cast<int>(payload() - 24)));
            EXPECT_GE(counts(1)["good"], 1u) << size << " bytes of noise on port " << port;
        }
    }
}

/// wait() that returns for each byte, or sleeps over the event that it was to wait for.
TEST_F(Conform, AWaitEndsForFramesAndNotForBytes) {
    const std::uint32_t most = std::min(payload(), 700u), least = most - std::min(most, 300u);
    for (unsigned round = 0; round < (quick ? 1u : 100u); ++round) {
        auto seen = read(rig.ask({What::lengths, 0, least, most, 3}));
        ASSERT_EQ(seen["back"], (most - least) / 3 + 1);
        EXPECT_LE(seen["waits"], kWaitsOfFrame * seen["back"]) << "wait() returns too often";
    }
}

/// Alarms that come early, or not at all when a shorter one was set before.
TEST_F(Conform, AnAlarmIsNeverEarlyInWhateverOrder) {
    for (const std::uint32_t us :
         {10u, 100'000u, 1u, 0u, 1'000u, quick ? 300'000u : 10'000'000u, 50u, 20'000u}) {
        auto seen = read(rig.ask({What::alarm, 0, us, 0, 0}));
        EXPECT_GE(seen["slept"], us);
        EXPECT_LE(seen["slept"], us + 2'000'000);
        EXPECT_LE(seen["wakes"], 3u) << "in " << us << " us";
    }
}

/// A timer that keeps the period of a short alarm, a receiver that is asked all the time.
TEST_F(Conform, ANodeThatWaitsForNothingCostsNothingAfterAShortAlarmToo) {
    for (unsigned round = 0; round < 20; ++round) // some may be over before they are set
        (void)rig.ask({What::alarm, 0, 100, 0, 0});
    rig.run_for(100ms);
    const double before = rig.cpu_s();
    rig.run_for(quick ? 1000ms : 5000ms);
    EXPECT_LE(rig.cpu_s() - before, quick ? 0.06 : 0.1);
}

/// An identity that is read from another place, or with its bytes turned round.
TEST_F(Conform, ANodeIsTheOneThatItWasToldToBe) {
    for (const std::uint32_t node : {1u, (1u << rig.ports()) - 1}) {
        Rig other(subject, node);
        const auto expected = "identity 0 " + std::to_string(rig.ports()) + " " +
                              std::to_string(node) + " " + std::to_string(rig.ports());
        EXPECT_EQ(other.ask({What::sizes, 0, 0, 0, 0}), expected);
    }
}

/// A pool that the board's own trees deadlock; a board.json that says what is not so.
TEST_F(Conform, TheMemoryCarriesTheNetworksThatTheBoardHasPortsFor) {
    (void)rig.ask({What::sizes, 0, 0, 0, 0});
    std::istringstream memory(rig.line().value_or(""));
    std::string word;
    std::uint64_t path = 0, processes = 0, receivers = 0, arena = 0, workspace = 0, buffers = 0;
    memory >> word >> path >> processes >> receivers >> arena >> workspace >> buffers;
    EXPECT_GE(path, rig.ports() + 1) << "links of the longest path of the trees of a cube";
    EXPECT_GE(processes, rig.ports() + 1) << "one for each tree of msbt, and the program's own";
    EXPECT_GE(receivers, 2u) << "the program, and what takes for it meanwhile";
    EXPECT_GE(workspace, 18u * 1024) << "tables of fft, and what an image of relay/ takes of it";
    EXPECT_EQ(buffers, host::simulated_buffers({Topology::cube, 1}, subject.board.buffers))
        << "of a node; board.json says \"buffers\" where a simulation has others";
    for (unsigned ports = 1; ports <= rig.ports(); ++ports)
        EXPECT_EQ(read(rig.line().value_or(""))["window"], subject.board.window_bytes(ports));
    EXPECT_GE(read(rig.line().value_or(""))["stack"], 100u);
}

/// Text that is cut, or that the next line overtakes.
TEST_F(Conform, ALineLongerThanAFrameOfTheConsoleComesWhole) {
    for (const std::uint32_t bytes : {300u, 1u, 255u, 256u, 257u, 2000u})
        EXPECT_EQ(rig.ask({What::print, 0, bytes, 0, 0}).size(), bytes - 1);
}

/// Crash records that are lost: with nothing under way, in the middle of a frame, on a full stack.
class CrashRecord : public Conform, public testing::WithParamInterface<What> {};
TEST_P(CrashRecord, IsHeard) {
    rig.tell({GetParam(), 0, 1'000'000, 0, 0});
    const auto record = rig.fault();
    ASSERT_TRUE(record) << "no crash record";
    if (GetParam() == What::recurse)
        EXPECT_GE(record->cause, wire::kProcessorFault);
    else
        EXPECT_EQ(record->cause, (GetParam() == What::check ? CheckId{Invariant::arena_bad_free}
                                                            : CheckId{ProgramEnd::program_exited})
                                     .number);
    EXPECT_EQ(rig.end(), "exit 3");
}
INSTANTIATE_TEST_SUITE_P(Conform, CrashRecord,
                         testing::Values(What::check, What::halt, What::recurse));

/// A hang that answers, or that keeps the processor.
TEST_F(Conform, ANodeThatHangsSaysNothingAndCostsNothing) {
    rig.tell({What::hang, 0, 0, 0, 0});
    rig.run_for(200ms);
    const double before = rig.cpu_s();
    rig.tell({What::counts, 0, 0, 0, 0});
    EXPECT_FALSE(rig.line(500ms));
    EXPECT_LE(rig.cpu_s() - before, 0.05);
}

} // namespace
} // namespace mesh::conform

int main(int count, char** words) {
    using namespace mesh;
    testing::InitGoogleTest(&count, words);
    std::vector<std::string> rest(words + 1, words + count);
    conform::quick = std::erase(rest, "--quick") != 0;
    if (rest.empty() || rest.size() > 2) {
        std::fprintf(stderr, "use: conform BOARD-FOLDER [IMAGE] [--quick]\n");
        return 2;
    }
    conform::subject.board = host::read_board(rest[0]);
    conform::subject.image = rest.size() == 2 ? rest[1] : rest[0] + "/conform.elf";
    return RUN_ALL_TESTS();
}
