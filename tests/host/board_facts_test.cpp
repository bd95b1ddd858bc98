// board.json: a good file is read; a bad one is refused with the file, the key and the value that
// belongs there.
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/rig/board_facts.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace board_facts_test {
using namespace mesh;
using namespace mesh::host;
using nlohmann::json;
namespace fs = std::filesystem;

class BoardFile : public testing::Test {
protected:
    BoardFile() {
        std::string name = (fs::temp_directory_path() / "board-XXXXXX").string();
        folder_ = mkdtemp(name.data());
    }
    ~BoardFile() override { fs::remove_all(folder_); }

    BoardFacts read(const json& text) { return read_text(text.dump()); }
    BoardFacts read_text(const std::string& text) {
        std::ofstream(folder_ / "board.json") << text;
        return read_board(folder_);
    }
    void refused(const json& text, const std::string& key) {
        try {
            read(text);
            ADD_FAILURE() << text;
        } catch (const UsageError& error) {
            const std::string words = error.what();
            EXPECT_TRUE(words.starts_with((folder_ / "board.json: ").string())) << words;
            EXPECT_NE(words.find("\"" + key + "\""), std::string::npos) << words;
            EXPECT_TRUE(words.find("allowed: ") != std::string::npos ||
                        words.find("is missing: ") != std::string::npos)
                << words;
        }
    }

    const json good_{{"machine", {"-M", "some"}},
                     {"lines", {{"serial", {0, 2, 1}}, {"fill", 14}}},
                     {"identity", "0x2001FFF0"},
                     {"windows", {2000, 1500}},
                     {"node_mbyte", 12}};
    fs::path folder_;
};

TEST_F(BoardFile, SaysWhatABoardWithSerialLinesIs) {
    const BoardFacts board = read(good_);
    EXPECT_EQ(board.name, folder_.filename());
    EXPECT_EQ(board.machine, (std::vector<std::string>{"-M", "some"}));
    EXPECT_EQ(board.serial_lines, (std::vector<unsigned>{0, 2, 1}));
    EXPECT_EQ(board.serial_fill, 14u);
    EXPECT_EQ(board.ports(), 2u);
    EXPECT_EQ(board.identity_at, 0x2001'FFF0u);
    EXPECT_EQ(board.node_mbyte, 12u);
    EXPECT_EQ(board.buffers, 0u) << "nothing is said";
    json small = good_;
    small["buffers"] = 42;
    EXPECT_EQ(read(small).buffers, 42u);
    EXPECT_EQ(board.nodes, 1u << 20) << "nothing is said";
    small["nodes"] = 128;
    EXPECT_EQ(read(small).nodes, 128u);
    EXPECT_EQ(board.payload, wire::kPayloadBytesMost) << "nothing is said";
    json tight = good_;
    tight["payload"] = 256;
    tight["windows"] = {500, 336};
    EXPECT_EQ(read(tight).payload, 256u);
    tight["windows"] = {500, 335};
    refused(tight, "windows");
    EXPECT_EQ(board.node_kbyte(true), 12u * 1024) << "nothing is said of forked ones";
    small["forked_kbyte"] = 3500;
    EXPECT_EQ(read(small).node_kbyte(true), 3500u);
    EXPECT_EQ(read(small).node_kbyte(false), 12u * 1024);
    EXPECT_EQ(board.flash_bytes, 0u) << "nothing is said";
    small["flash"] = {{"bytes", 65536}, {"machine", {"-M", "larger"}}};
    EXPECT_EQ(read(small).flash_bytes, 65536u);
    EXPECT_EQ(read(small).flash_machine.back(), "larger");
    EXPECT_EQ(board.window_bytes(1), 2000u);
    EXPECT_EQ(board.window_bytes(7), 1500u) << "as with all ports that it has";
}

TEST_F(BoardFile, SaysHowOlderEmulatorsNumberTheLines) {
    json renumbered = good_;
    renumbered["lines"]["older"] = {{"than", "10.0"}, {"serial", {0, 3, 2}}};
    const auto lines_of = [&](const json& file, QemuVersion version) {
        BoardFacts board = read(file);
        board.take_lines_of(version);
        return board.serial_lines;
    };
    const std::vector<unsigned> now{0, 2, 1}, before{0, 3, 2};
    EXPECT_EQ(lines_of(renumbered, {7, 2}), before);
    EXPECT_EQ(lines_of(renumbered, {9, 99}), before);
    EXPECT_EQ(lines_of(renumbered, {10, 0}), now);
    EXPECT_EQ(lines_of(renumbered, {11, 2}), now);
    EXPECT_EQ(lines_of(good_, {7, 2}), now) << "there is one way only";
    renumbered["lines"]["older"]["than"] = "10.2";
    EXPECT_EQ(lines_of(renumbered, {10, 1}), before);
    EXPECT_EQ(lines_of(renumbered, {10, 2}), now);
    EXPECT_EQ(lines_of(renumbered, {10, 10}), now) << "a number, not a text";
    EXPECT_EQ(lines_of(renumbered, {11, 0}), now) << "whatever the minor number is";
}

TEST_F(BoardFile, ThatCannotBeIsRefusedByFileAndKey) {
    const auto with = [&](const char* key, const json& value) {
        json bad = good_;
        bad[key] = value;
        refused(bad, key);
    };
    with("machin", "-M");
    with("machine", "-M some");
    with("machine", json::array());
    with("lines", 3);
    with("lines", {{"ethernet", 17}});
    with("lines", {{"ethernet", -1}});
    with("lines", {{"wire", 3}});
    with("lines", {{"serial", {0, 1}}});
    with("lines", {{"serial", {0, 1}}, {"fill", 0}});
    with("lines", {{"serial", {0}}, {"fill", 1}});
    with("lines", {{"serial", {0, 1, 1}}, {"fill", 1}});
    with("lines", {{"serial", {0, 1, 64}}, {"fill", 1}});
    const auto with_older = [&](const json& older) {
        with("lines", {{"serial", {0, 2, 1}}, {"fill", 14}, {"older", older}});
    };
    with_older("7.2");
    with_older({{"serial", {0, 1, 2}}});
    with_older({{"than", 10}, {"serial", {0, 1, 2}}});
    with_older({{"than", "ten"}, {"serial", {0, 1, 2}}});
    with_older({{"than", "10.0"}, {"serial", {0, 1}}});
    with_older({{"than", "10.0"}, {"serial", {0, 1, 1}}});
    with("identity", 5);
    with("identity", "2001FFF0");
    with("identity", "0x2001FFF1");
    with("identity", "0x");
    with("identity", "0x100000000");
    with("buffers", 3);
    with("buffers", 100'000);
    with("forked_kbyte", 0);
    with("flash", 65536);
    with("flash", {{"bytes", 0}, {"machine", {"-M"}}});
    with("flash", {{"bytes", 1}, {"machine", json::array()}});
    with("flash", {{"bytes", 1}});
    with("payload", 188);
    with("payload", 254);
    with("payload", 1028);
    with("payload", "256");
    with("nodes", 1);
    with("nodes", 2'000'000);
    with("windows", {2000});
    with("windows", {2000, 1103});
    with("windows", {2000, "many"});
    with("node_mbyte", 0);
    for (const auto& [key, value] : good_.items()) {
        json without = good_;
        without.erase(key);
        refused(without, key);
    }
    json ethernet = good_;
    ethernet["lines"] = {{"ethernet", 2}};
    refused(ethernet, "identity");
}

TEST_F(BoardFile, ThatIsNoJsonOrNotThereIsRefused) {
    EXPECT_THROW(read_text("{"), UsageError);
    EXPECT_THROW(read_text("[]"), UsageError);
    EXPECT_THROW(read_board(folder_ / "none"), UsageError);
}

} // namespace board_facts_test
