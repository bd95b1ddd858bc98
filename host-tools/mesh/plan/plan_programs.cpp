#include "plan_programs.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/nearest.hpp"
#include "host-tools/mesh/common/node_names.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/programs/build_command.hpp"
#include "host-tools/mesh/programs/image_symbols.hpp"
#include "host-tools/mesh/programs/program_file.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "host-tools/mesh/rig/own_rule.hpp"

#include "boards/host/stop.hpp"
#include "kernel/base/limits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace mesh::host {

namespace {

namespace fs = std::filesystem;

std::uint32_t read_node(std::string_view text, Network network) {
    const auto number = number_in<std::int64_t>(text);
    if (!number)
        refuse("--app ...@{}: allowed: nodes as 0, 1-3, or 0,2,5-7", text);
    return index(node_of(network, *number, "--app ...@"));
}

/// The nodes of a word of numbers and ranges get this program.
void give(std::vector<std::uint8_t>& program_of, std::string_view nodes, std::uint8_t program,
          Network network) {
    while (!nodes.empty()) {
        const std::string_view range = nodes.substr(0, nodes.find(','));
        nodes.remove_prefix(std::min(nodes.size(), range.size() + 1));
        const std::size_t dash = std::min(range.find('-'), range.size());
        const std::uint32_t first = read_node(range.substr(0, dash), network);
        const std::uint32_t last =
            dash == range.size() ? first : read_node(range.substr(dash + 1), network);
        if (last < first)
            refuse("--app ...@{}: allowed: nodes as 0, 1-3, or 0,2,5-7", range);
        for (std::uint32_t node = first; node <= last; ++node)
            program_of[node] = program;
    }
}

/// The place that the images of the run's board are in, and are made for.
std::string place_of_images(const RigPlan& rig) {
    if (!rig.loader.empty())
        return rig.board.loaded_folder();
    return rig.one_cable ? rig.board.relay_folder() : rig.board.name;
}

/// The image of an op or app.
std::string made_image(std::string_view name, const RigPlan& rig) {
    const std::string place = place_of_images(rig);
    const fs::path image = image_of(name, place);
    if (!fs::is_regular_file(image))
        refuse(Refusal::file, "'{}': not there; in the source tree `make build/{}/{}.elf` makes it",
               image.string(), place, name);
    return image.string();
}

/// The file of a program by its name, its path, or that of its source.
std::string file_of(const std::string& word, const RigPlan& rig) {
    if (is_source(word))
        return built_program(word, rig.simulated() ? "sim" : "qemu", place_of_images(rig),
                             {.watched = rig.strict})
            .string();
    if (word.find('/') != std::string::npos || word.ends_with(".elf"))
        return word;
    const auto names = app_names();
    if (std::find(names.begin(), names.end(), word) != names.end())
        return made_image(word, rig);
    if (fs::is_regular_file(word))
        refuse(Refusal::file, "--app '{}': a file is named with its folder: ./{}", word, word);
    refuse("--app '{}': no such app; {}there are: {}, and any file: ./PROGRAM, FILE.cpp", word,
           did_you_mean(word, names), fmt::join(names, ", "));
}

/// The part of this file that the engine loads.
RigProgram loaded_part(const std::string& name, const std::string& path, const RigPlan& rig) {
    const ProgramFile file(path);
    if (rig.simulated()) {
        file.check_for_simulation();
        const auto unpacked = std::make_shared<const Fd>(file.simulated());
        // With the process, for the tools that find lines in it.
        return {name, fmt::format("/proc/{}/fd/{}", getpid(), unpacked->get()), unpacked};
    }
    file.check_for_board(place_of_images(rig));
    return {name, path, nullptr, file.waits_for_times()};
}

void plan_apps(const RunPlan& run, RigPlan& rig) {
    constexpr std::uint8_t kNone = 0xFF;
    const std::vector<std::string>& words = run.work.app;
    if (words.size() > board::kLoadedMax)
        refuse("--app: {} programs; at most {} are allowed", words.size(), board::kLoadedMax);
    rig.program_of.assign(run.nodes(), kNone);
    for (const std::string& word : words) {
        const std::size_t at = nodes_in(word);
        const auto number = static_cast<std::uint8_t>(rig.programs.size());
        const std::string name = word.substr(0, at);
        const std::string file = file_of(name, rig);
        if ((run.work.ranks || run.work.heap || run.work.strict || !run.work.tree.empty()) &&
            !ProgramFile(file).has_main())
            refuse("--ranks, --heap, --strict, --tree: '{}' has no main(), or no names; allowed: "
                   "programs with one",
                   name);
        if (rig.strict && !ProgramFile(file).is_watched())
            say("note: {} was made without mesh build --strict: its loads and stores are not "
                "looked "
                "at\n",
                name);
        rig.programs.push_back(loaded_part(name, file, rig));
        rig.programs.back().may_read = ProgramFile(file).may_read();
        if (at == word.size())
            std::ranges::replace(rig.program_of, kNone, number);
    }
    // A program with named nodes overrides one for all the others.
    for (std::size_t number = 0; number < words.size(); ++number)
        if (const std::size_t at = nodes_in(words[number]); at != words[number].size())
            give(rig.program_of, std::string_view(words[number]).substr(at + 1),
                 static_cast<std::uint8_t>(number), rig.network);
    for (std::size_t number = 0; number < words.size(); ++number)
        if (std::ranges::find(rig.program_of, number) == rig.program_of.end())
            refuse("--app {}: the others leave no node for it: name its nodes, as {}@0,2-3",
                   words[number], rig.programs[number].name);
    NodeNumbers without;
    for (std::uint32_t node = 0; node < run.nodes(); ++node)
        if (rig.program_of[node] == kNone)
            without.push_back(node);
    if (!without.empty())
        refuse("--app: no program for {}: name them, or give one program without @",
               name_nodes(without));
}

} // namespace

std::size_t workspace_for(const OpKind& kind, const RunPlan& run) {
    const std::string& asked = run.rig.options.image;
    const std::string image =
        asked.empty() ? image_of(kind.program, place_of_images(run.rig)).string() : asked;
    if (run.rig.simulated() || !fs::is_regular_file(image)) // plan_programs() will refuse it
        return limits::kWorkspaceBytes;
    const NodeMemoryRecord memory = ImageSymbols(image).node_memory();
    return memory.processes != 0 ? memory.workspace_bytes : limits::kWorkspaceBytes;
}

void plan_programs(const Operation& op, RigPlan& rig) {
    const RunPlan& run = op.run();
    const std::string& image = rig.options.image;
    const std::string name{op.kind().program};
    if (!image.empty() && is_rule_file(run.work.tree))
        refuse("--tree '{}': goes without --image, which does not have the rule", run.work.tree);
    if (!image.empty())
        rig.programs = {loaded_part(std::string(op.title()), image, rig)};
    else if (op.is_app())
        plan_apps(run, rig);
    else if (rig.simulated())
        rig.programs = {RigProgram{name, ""}}; // part of this tool
    else if (is_rule_file(run.work.tree))
        rig.programs = {loaded_part(name, own_rule_image(place_of_images(rig)).string(), rig)};
    else
        rig.programs = {loaded_part(name, made_image(name, rig), rig)};
}

} // namespace mesh::host
