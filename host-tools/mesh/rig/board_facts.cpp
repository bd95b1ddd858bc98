#include "board_facts.hpp"

#include "core/base/types.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "kernel/base/limits.hpp"
#include "wire/compact.hpp"
#include "wire/frame.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

namespace mesh::host {

namespace {

using nlohmann::json;

constexpr unsigned kMbyteMax = 1u << 20;
constexpr unsigned kForkedKbyteMax = 1u << 20;
constexpr unsigned kSerialLinesMax = 64;
constexpr unsigned kFillMax = 256;
/// The buffers that one process needs on the network with the shortest paths, and more than any
/// board has.
constexpr unsigned kBuffersMin = limits::pool_buffers_min(1, 1, 1);
constexpr unsigned kBuffersMax = 1u << 13;
constexpr unsigned kNodesMax = 1u << kDimMax;
constexpr unsigned kFlashBytesMax = 1u << 30;
constexpr std::array<std::string_view, 10> kKeys{"machine",    "lines",       "identity", "windows",
                                                 "payload",    "buffers",     "nodes",    "flash",
                                                 "node_mbyte", "forked_kbyte"};

/// One board.json, whose errors name the file, the key and the values that are allowed.
class BoardFile {
public:
    explicit BoardFile(const std::filesystem::path& folder)
        : path_((folder / "board.json").string()) {
        std::ifstream file(path_);
        if (!file)
            refuse("{}: not there; `make` or `make install` puts it there", path_);
        all_ = json::parse(file, nullptr, false);
        if (!all_.is_object())
            refuse("{}: is no JSON object of the keys {}", path_, fmt::join(kKeys, ", "));
        for (const auto& [key, value] : all_.items())
            if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
                refuse("{}: \"{}\": no such key; allowed: {}", path_, key, fmt::join(kKeys, ", "));
    }

    std::vector<std::string> machine() const {
        const char* const wanted = "the emulator's words for the machine, as [\"-M\", \"NAME\"]";
        const json& words = value("machine", wanted);
        if (!are_words(words))
            wrong("machine", wanted);
        return words.get<std::vector<std::string>>();
    }

    void lines(BoardFacts& board) const {
        const std::string wanted = fmt::format(
            "{{\"ethernet\": ports, 1 to {}}} or {{\"serial\": [the emulator's numbers of the "
            "host's serial line and each port's, 2 to {}], \"fill\": bytes, 1 to {}}}, with "
            "\"older\" if older emulators have other numbers",
            kPortsMax, wire::kCompactPorts + 1, kFillMax);
        const json& lines = value("lines", wanted);
        if (lines.is_object() && lines.size() == 1 && lines.contains("ethernet")) {
            board.ethernet_ports = number(lines["ethernet"], 1, kPortsMax, "lines", wanted);
        } else if (lines.is_object() && lines.size() == 2u + lines.contains("older") &&
                   lines.contains("serial") && lines.contains("fill")) {
            board.serial_lines = serial(lines["serial"], wanted);
            board.serial_fill = number(lines["fill"], 1, kFillMax, "lines", wanted);
            if (lines.contains("older"))
                older(board, lines["older"]);
        } else {
            wrong("lines", wanted);
        }
    }

    /// The lines of older emulators.
    void older(BoardFacts& board, const json& older) const {
        constexpr std::string_view kWanted =
            "\"older\" of serial lines: {\"than\": \"MAJOR.MINOR\", \"serial\": [as many "
            "numbers, of an emulator before that version]}";
        const bool whole = older.is_object() && older.size() == 2 && older.contains("serial") &&
                           older.contains("than") && older["than"].is_string();
        const auto than =
            whole ? QemuVersion::read(older["than"].get<std::string>()) : std::nullopt;
        if (!than)
            wrong("lines", kWanted);
        board.older_than = *than;
        board.older_lines = serial(older["serial"], kWanted);
        if (board.older_lines.size() != board.serial_lines.size())
            wrong("lines", kWanted);
    }

    /// "identity": only with serial lines, and then it must be there.
    std::uint64_t identity(bool serial) const {
        const char* const wanted = "where in RAM a node finds its identity, as \"0x2001FFF0\"; "
                                   "goes with serial lines only";
        if (!serial && all_.contains("identity"))
            wrong("identity", wanted);
        if (!serial)
            return 0;
        const json& text = value("identity", wanted);
        const std::string digits = text.is_string() ? text.get<std::string>() : std::string{};
        std::uint64_t address = 0;
        const auto [end, error] =
            std::from_chars(digits.data() + std::min<std::size_t>(2, digits.size()),
                            digits.data() + digits.size(), address, 16);
        if (!digits.starts_with("0x") || error != std::errc{} ||
            end != digits.data() + digits.size() || address > 0xFFFF'FFF8 || address % 8 != 0)
            wrong("identity", wanted);
        return address;
    }

    /// Need not be there.
    std::size_t payload() const {
        if (!all_.contains("payload"))
            return wire::kPayloadBytesMost;
        const std::string wanted =
            fmt::format("a multiple of 4 from {} to {}, bytes that a packet carries: "
                        "MESH_PAYLOAD_MAX of board.mk",
                        wire::kPayloadBytesLeast, wire::kPayloadBytesMost);
        const unsigned bytes = number(all_["payload"], wire::kPayloadBytesLeast,
                                      wire::kPayloadBytesMost, "payload", wanted);
        if (bytes % 4 != 0)
            wrong("payload", wanted);
        return bytes;
    }

    std::vector<std::size_t> windows(unsigned ports) const {
        const std::size_t least = wire::kHeadBytes + wire::kPacketHeaderBytes + payload();
        const std::string wanted = fmt::format(
            "bytes that a neighbour may have under way to a node with 1, 2, ... {} ports, each {} "
            "(the largest frame) or more",
            ports, least);
        const json& list = value("windows", wanted);
        if (!list.is_array() || list.size() != ports)
            wrong("windows", wanted);
        std::vector<std::size_t> windows;
        for (const json& one : list)
            windows.push_back(number(one, least, 1u << 24, "windows", wanted));
        return windows;
    }

    /// Need not be there.
    unsigned buffers() const {
        if (!all_.contains("buffers"))
            return 0;
        const std::string wanted =
            fmt::format("{} to {}, packets that a small node keeps", kBuffersMin, kBuffersMax);
        return number(all_["buffers"], kBuffersMin, kBuffersMax, "buffers", wanted);
    }

    /// Need not be there.
    unsigned nodes() const {
        if (!all_.contains("nodes"))
            return kNodesMax;
        const std::string wanted =
            fmt::format("2 to {}, of a mesh, as many as a node can know", kNodesMax);
        return number(all_["nodes"], 2, kNodesMax, "nodes", wanted);
    }

    /// Need not be there.
    void flash(BoardFacts& board) const {
        constexpr std::string_view kWanted = "{\"bytes\": of the flash in which the loader keeps "
                                             "images, \"machine\": the emulator's "
                                             "words for a machine that has it}";
        if (!all_.contains("flash"))
            return;
        const json& flash = all_["flash"];
        if (!flash.is_object() || flash.size() != 2 || !flash.contains("bytes") ||
            !flash.contains("machine") || !are_words(flash["machine"]))
            wrong("flash", kWanted);
        board.flash_bytes = number(flash["bytes"], 1, kFlashBytesMax, "flash", kWanted);
        board.flash_machine = flash["machine"].get<std::vector<std::string>>();
    }

    unsigned node_mbyte() const {
        const std::string wanted = fmt::format("1 to {}, what one emulator takes", kMbyteMax);
        return number(value("node_mbyte", wanted), 1, kMbyteMax, "node_mbyte", wanted);
    }

    /// Need not be there.
    unsigned forked_kbyte() const {
        if (!all_.contains("forked_kbyte"))
            return 0;
        const std::string wanted =
            fmt::format("1 to {}, what an emulator takes that is forked", kForkedKbyteMax);
        return number(all_["forked_kbyte"], 1, kForkedKbyteMax, "forked_kbyte", wanted);
    }

private:
    static bool are_words(const json& words) {
        const auto is_text = [](const json& word) { return word.is_string(); };
        return words.is_array() && !words.empty() && std::ranges::all_of(words, is_text);
    }
    const json& value(const char* key, std::string_view wanted) const {
        if (!all_.contains(key))
            refuse("{}: \"{}\" is missing: {}", path_, key, wanted);
        return all_[key];
    }
    [[noreturn]] void wrong(const char* key, std::string_view wanted) const {
        refuse("{}: \"{}\": {}; allowed: {}", path_, key, all_[key].dump(), wanted);
    }
    unsigned number(const json& from, std::size_t low, std::size_t high, const char* key,
                    std::string_view wanted) const {
        if (!from.is_number_unsigned() || from.get<std::uint64_t>() < low ||
            from.get<std::uint64_t>() > high)
            wrong(key, wanted);
        return from.get<unsigned>();
    }
    std::vector<unsigned> serial(const json& list, std::string_view wanted) const {
        if (!list.is_array() || list.size() < 2 || list.size() > wire::kCompactPorts + 1)
            wrong("lines", wanted);
        std::vector<unsigned> lines;
        for (const json& one : list) {
            const unsigned line = number(one, 0, kSerialLinesMax - 1, "lines", wanted);
            if (std::find(lines.begin(), lines.end(), line) != lines.end())
                wrong("lines", wanted);
            lines.push_back(line);
        }
        return lines;
    }

    std::string path_;
    json all_;
};

} // namespace

std::size_t BoardFacts::window_bytes(unsigned ports) const {
    if (windows.empty())
        return 0;
    return windows[std::min<std::size_t>(std::max(ports, 1u), windows.size()) - 1];
}

BoardFacts read_board(const std::filesystem::path& folder) {
    const BoardFile file(folder);
    BoardFacts board;
    board.name = folder.filename().string();
    board.machine = file.machine();
    file.lines(board);
    board.identity_at = file.identity(board.serial());
    board.windows = file.windows(board.ports());
    board.payload = file.payload();
    board.buffers = file.buffers();
    board.nodes = file.nodes();
    file.flash(board);
    board.node_mbyte = file.node_mbyte();
    board.forked_kbyte = file.forked_kbyte();
    return board;
}

} // namespace mesh::host
