// The answer key, and how much memory there is.
#include "host-tools/mesh/common/memory.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "ops/room.hpp"
#include "wire/bytes.hpp"
#include "wire/crc32.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace mesh::host {
namespace ops_test {

constexpr Network kCube{Topology::cube, 2};

std::unique_ptr<Operation> planned(std::string_view name) {
    RunArguments arguments;
    arguments.work.op = name;
    arguments.data.bytes = 12;
    arguments.data.output = "file";
    RunPlan run(arguments, {});
    run.rig.network = kCube;
    const OpKind& kind = kind_of(arguments);
    return kind.plan(kind, std::move(run));
}

Bytes bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// All nodes report that they have got these bytes.
Outcome outcome_with(std::span<const std::byte> got) {
    Outcome outcome;
    wire::NodeReport report{};
    report.done = 1;
    report.crc = wire::crc32(got);
    report.received_bytes = static_cast<std::uint32_t>(got.size());
    report.received_messages = 1;
    outcome.reports.assign(node_count(kCube), report);
    outcome.pushed = got;
    return outcome;
}

TEST(Ops, ANodeThatPushesOtherBytesThanItReportsIsWrong) {
    const auto op = planned("bcast");
    op->run().input = bytes_of("twelve bytes");
    Bytes pushed = *op->run().input;
    Outcome outcome = outcome_with(pushed);
    EXPECT_EQ(op->judge(outcome).right, std::vector(4, true));
    pushed[5] ^= std::byte{1};
    EXPECT_EQ(op->judge(outcome).right, (std::vector{true, true, true, false}));
    pushed[5] ^= std::byte{1};
    outcome.pushed = std::span(pushed).first(11);
    EXPECT_EQ(op->judge(outcome).right, (std::vector{true, true, true, false}));
}

TEST(Ops, ANodeThatReportsOtherBytesIsWrong) {
    const auto op = planned("bcast");
    op->run().input = bytes_of("twelve bytes");
    Outcome outcome = outcome_with(*op->run().input);
    outcome.reports[2].crc ^= 1u;
    EXPECT_EQ(op->judge(outcome).right, (std::vector{true, true, false, true}));
}

TEST(Ops, APartThatANodePushesToTheWholeIsComparedToo) {
    const auto op = planned("sort"); // three words a node, behind a table of five
    const auto words = std::span(*op->run().input).subspan(20);
    std::vector<std::int32_t> numbers(12);
    std::memcpy(numbers.data(), words.data(), words.size());
    std::sort(numbers.begin(), numbers.end());
    const auto sorted = std::as_bytes(std::span(numbers));
    Bytes pushed(sorted.begin(), sorted.end());
    Outcome outcome = outcome_with(pushed);
    for (std::size_t node = 0; node < 4; ++node) {
        outcome.reports[node].crc = wire::crc32(sorted.subspan(12 * node, 12));
        outcome.reports[node].received_bytes = 12;
    }
    EXPECT_EQ(op->judge(outcome).right, std::vector(4, true));
    pushed[12 * 2] ^= std::byte{1};
    EXPECT_EQ(op->judge(outcome).right, (std::vector{true, true, false, true}));
}

TEST(Ops, AGatherWithoutAPacketSizeTakesItsBlocksAlone) {
    wire::Job job;
    job.op = wire::Op::gather;
    job.message_bytes = 100;
    const Network cube{Topology::cube, 3};
    job.packet_bytes = 16;
    EXPECT_EQ(workspace_needed(cube, job), 8u * (100 + 7)) << "and a mark for each packet";
    job.packet_bytes = 0;
    EXPECT_EQ(workspace_needed(cube, job), 8u * 100);
}

std::uint16_t rto_min_ms_with(unsigned dim, std::size_t window, unsigned fill) {
    const auto op = planned("barrier");
    op->run().rig.network.dim = static_cast<std::uint8_t>(dim);
    if (window != 0) {
        BoardFacts board;
        board.serial_lines = {0, 1};
        board.serial_fill = fill;
        board.windows = {window};
        op->run().rig.board = board;
    }
    return wire::load<wire::Job>(op->job_for(NodeId{0}), 0).rto_min_ms;
}

TEST(Ops, NodesWaitForWhatEmulatorsWorkForBytesOfSerialLines) {
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    const auto dim = static_cast<unsigned>(std::bit_width(cores)) + 2;
    const unsigned per_core = (1u << dim) / cores;
    EXPECT_EQ(rto_min_ms_with(dim, 0, 1), per_core * 3) << "all ports share one interface";
    EXPECT_EQ(rto_min_ms_with(dim, 4000, 1), std::min(per_core * 83, 16000u));
    EXPECT_EQ(rto_min_ms_with(dim, 4000, 16), per_core * 8) << "16 bytes are taken at a time";
    EXPECT_EQ(rto_min_ms_with(dim + 10, 4000, 1), 16000) << "the most";
}

TEST(Ops, EveryKindHasANameAPhraseAndAProgram) {
    for (const OpKind& kind : op_kinds()) {
        EXPECT_FALSE(kind.name.empty() || kind.phrase.empty() || kind.program.empty()) << kind.name;
        EXPECT_LT(kind.phrase.size(), 60u) << kind.name;
    }
}

/// Files as the kernel shows them.
class Memory : public testing::Test {
protected:
    Memory() {
        std::string name = (std::filesystem::temp_directory_path() / "memory").string() + "XXXXXX";
        folder_ = mkdtemp(name.data());
        put("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n");
        put("proc/self/cgroup", "0::/outer/inner\n");
    }
    ~Memory() override { std::filesystem::remove_all(folder_); }
    void put(const std::string& path, const std::string& text) {
        std::filesystem::create_directories((folder_ / path).parent_path());
        std::ofstream(folder_ / path) << text;
    }
    std::uint64_t available() { return available_kbyte(folder_ / "proc", folder_ / "groups"); }

    std::filesystem::path folder_;
};

TEST_F(Memory, IsWhatTheKernelSaysIsAvailable) { EXPECT_EQ(available(), 8000u); }

TEST_F(Memory, IsAtMostWhatTheNarrowestGroupHasLeft) {
    put("groups/outer/memory.max", "4096000\n");
    put("groups/outer/memory.current", "2048000\n");
    put("groups/outer/inner/memory.max", "max\n");
    EXPECT_EQ(available(), 2000u);
    put("groups/outer/memory.stat", "anon 5\ninactive_file 1024000\n");
    EXPECT_EQ(available(), 3000u) << "what it keeps of files can be dropped";
    put("groups/outer/inner/memory.max", "1024\n");
    put("groups/outer/inner/memory.current", "2048\n");
    EXPECT_EQ(available(), 0u);
}

TEST_F(Memory, ThreadsAreThoseThatTheUserAndTheNarrowestGroupHaveLeft) {
    const auto available = [&](std::uint64_t limit) {
        return available_threads({1000, limit}, folder_ / "proc", folder_ / "groups");
    };
    constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
    EXPECT_EQ(available(kNoLimit), kNoLimit);
    put("proc/7/status", "Name:\tone\nUid:\t1000\t1000\nThreads:\t3\n");
    put("proc/8/status", "Name:\ttwo\nUid:\t1000\t1000\nThreads:\t2\n");
    put("proc/9/status", "Name:\tanother's\nUid:\t0\t0\nThreads:\t40\n");
    EXPECT_EQ(available(100), 95u);
    EXPECT_EQ(available(4), 0u);
    put("groups/outer/pids.max", "50\n");
    put("groups/outer/pids.current", "20\n");
    put("groups/outer/inner/pids.max", "max\n");
    EXPECT_EQ(available(100), 30u);
    EXPECT_EQ(available(kNoLimit), 30u);
}

} // namespace ops_test
} // namespace mesh::host
