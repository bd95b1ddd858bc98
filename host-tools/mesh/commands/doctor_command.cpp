#include "doctor_command.hpp"

#include "host-tools/mesh/common/child_process.hpp"
#include "host-tools/mesh/common/cores.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/list_format.hpp"
#include "host-tools/mesh/common/memory.hpp"
#include "host-tools/mesh/common/own_folder.hpp"
#include "host-tools/mesh/common/tables.hpp"
#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/plan/find_qemu.hpp"
#include "host-tools/mesh/programs/kept_files.hpp"
#include "host-tools/mesh/programs/tool_process.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/board_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace mesh::host {

namespace {

enum class State : std::uint8_t { good, note, mend };

constexpr std::string_view name_of(State state) {
    constexpr std::array<std::string_view, 3> kNames{"good", "note", "mend"};
    return kNames[static_cast<std::size_t>(state)];
}

struct Finding {
    State state;
    std::string text;
};

Finding good(std::string text) { return {State::good, std::move(text)}; }
Finding note(std::string text) { return {State::note, std::move(text)}; }

/// The finding of a look; a refusal in it is something to be mended.
template <class Look>
Finding looked(Look look) {
    try {
        return look();
    } catch (const UsageError& error) {
        return {State::mend, error.what()};
    }
}

/// The emulator and what depends on it, as far as there is one.
class Emulator {
public:
    explicit Emulator(const std::string& name)
        : found_(looked([&] {
              qemu_ = find_qemu(name);
              return good(fmt::format("{}, version {}", qemu_.path, qemu_.version.text()));
          })) {}

    Finding found() const { return found_; }

    Finding start() const {
        if (found_.state == State::mend)
            return note("without an emulator, --engine sim is left");
        const std::string why = why_not_forked(qemu_);
        return why.empty()
                   ? good("nodes are forked from one emulator that has started (--boot)")
                   : note(fmt::format("each node starts by itself, which takes longer: {}", why));
    }

    Finding sandbox() const {
        if (found_.state == State::mend)
            return note("without an emulator, --engine sim is left");
        if (!has_sandbox(qemu_.path))
            return note("this emulator has none: run programs of strangers as another user");
        if (geteuid() == 0)
            return note("emulators are confined, but run as root: better as a user of your own");
        return good("emulators are confined to what a node needs");
    }

private:
    Qemu qemu_;
    Finding found_;
};

/// Compiles a file that needs the compiler's own headers and those of its library.
Finding compiles(std::string_view place) {
    return looked([&] {
        const Compiler compiler = compiler_for(place);
        const TemporaryFolder folder("mesh-doctor");
        const std::string source = folder / "look.cpp";
        std::ofstream(source) << "#include <algorithm>\n#include <cstdint>\n#include <stdio.h>\n";
        std::vector<std::string> words = compiler.cxx;
        words.insert(words.end(), {"-fsyntax-only", source});
        std::string said;
        if (!run_tool(words, said, folder.path().string()))
            return Finding{State::mend, fmt::format("{} does not compile: {}", words.front(),
                                                    said.substr(0, said.find('\n')))};
        return good(fmt::format("{} compiles", find_program(words.front())));
    });
}

Finding toolkit() {
    const std::vector<std::string> names = board_names();
    if (names.empty())
        return {State::mend, fmt::format("{} has no board: `make`, or install meshputer again",
                                         toolkit_folder().string())};
    return good(fmt::format("{}: {}", toolkit_folder().string(), fmt::join(names, ", ")));
}

Finding temporary() {
    return looked(
        [] { return good(TemporaryFolder("mesh-doctor").path().parent_path().string()); });
}

Finding cache() {
    return looked([] {
        const std::string folder = cache_folder().string();
        const bool lasts = folder.find("mesh-cache-") == folder.npos;
        return lasts
                   ? good(folder)
                   : note("none lasts: programs are built again for each run; set XDG_CACHE_HOME");
    });
}

/// The largest power of two that is not greater, for nodes of a cube.
std::uint64_t cube_in(std::uint64_t nodes) {
    std::uint64_t cube = 1;
    while (cube * 2 <= nodes)
        cube *= 2;
    return nodes == 0 ? 0 : cube;
}

Finding room(std::uint64_t nodes, std::string_view what) {
    const std::string text =
        fmt::format("{}: room for a cube of {} emulators", what, cube_in(nodes));
    constexpr std::uint64_t kFew = 8;
    return nodes < kFew ? note(text) : good(text);
}

/// As many nodes as the rig's own check allows for a cube of 8 ports (plan/plan_rig.cpp).
Finding open_files(const BoardFacts& board) {
    const std::size_t most = descriptors_max();
    std::size_t nodes = 1;
    while (nodes < board.nodes && descriptors_for(nodes * 2, board.sockets(board.ports())) <= most)
        nodes *= 2;
    return room(nodes, fmt::format("{} open files (ulimit -Hn)", most));
}

Finding memory_for(const BoardFacts& board, bool forked) {
    const std::uint64_t free = available_kbyte();
    return room(std::min<std::uint64_t>(free / board.node_kbyte(forked), board.nodes),
                fmt::format("{} MB free, on {} cores", free / 1024, cores()));
}

Finding terminal() {
    if (isatty(STDERR_FILENO) == 0)
        return note("standard error is none: progress is printed as lines");
    const char* const name = std::getenv("TERM");
    if (name == nullptr || std::string_view(name) == "dumb")
        return note("TERM is not set: --live has no picture");
    return good(name);
}

/// A program that a command takes if it is there.
Finding optional(const char* program, std::string_view what, std::string_view package) {
    const std::string path = find_program(program);
    return path.empty()
               ? note(fmt::format("{} not found: install {} for {}", program, package, what))
               : good(path);
}

} // namespace

bool run_doctor(const DoctorArguments& arguments) {
    const bool json = is_json(arguments.format);
    const std::string board = arguments.board.empty() ? default_board() : arguments.board;
    if (!arguments.board.empty())
        place_of(board_names(), board, "--board");
    const Emulator emulator(arguments.qemu);
    std::vector<std::pair<std::string_view, Finding>> all{
        {"emulator", emulator.found()},  {"start", emulator.start()},
        {"sandbox", emulator.sandbox()}, {"toolkit", toolkit()},
        {"compiler", compiles(board)},   {"simulation", compiles("host")},
        {"temporary", temporary()},      {"cache", cache()}};
    if (!board.empty()) {
        const BoardFacts facts = read_board(toolkit_folder() / board);
        all.emplace_back("files", open_files(facts));
        all.emplace_back("memory", memory_for(facts, emulator.start().state == State::good));
    }
    all.emplace_back("terminal", terminal());
    all.emplace_back("debugger",
                     optional("gdb-multiarch", "--gdb and mesh debug", "gdb-multiarch"));
    all.emplace_back("captures", optional("tshark", "reading captures by packet", "tshark"));

    const auto to_mend =
        std::ranges::count_if(all, [](const auto& one) { return one.second.state == State::mend; });
    if (json) {
        std::vector<std::vector<std::string>> rows;
        for (const auto& [what, finding] : all)
            rows.push_back({std::string(what), std::string(name_of(finding.state)), finding.text});
        print_json(std::array<std::string_view, 3>{"name", "state", "text"}, rows);
        return to_mend == 0;
    }
    constexpr std::size_t kIndent = 17;
    for (const auto& [what, finding] : all)
        fmt::print("{}", wrapped(fmt::format("{:<4}  {:<10} {}\n", name_of(finding.state), what,
                                             finding.text),
                                 kTextColumns, kIndent));
    fmt::print("{}\n", to_mend == 0 ? "nothing is to be mended"
                                    : fmt::format("{} to be mended", counted(to_mend, "thing")));
    return to_mend == 0;
}

} // namespace mesh::host
