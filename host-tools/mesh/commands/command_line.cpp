#include "command_line.hpp"

#include "command_words.hpp"
#include "complete_command.hpp"
#include "core/base/operators.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/common/version.hpp"
#include "host-tools/mesh/ops/families.hpp"
#include "host-tools/mesh/options/run_rows.hpp"
#include "host-tools/mesh/plan/find_qemu.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/naming.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace mesh::host {

namespace {

void add_list_format(CLI::App& app, std::string& format) {
    app.add_option("--format", format, "text, json")->capture_default_str();
}

void add_load(CLI::App& app, SeriesArguments& series) {
    app.add_option("program", series.run.rig.load, "as --app names one: an app, or FILE.elf")
        ->required();
    app.option_defaults()->group(kWork);
    auto* const keep = app.add_option(
        "--keep", series.run.rig.keep,
        "nodes keep the program in flash, as this version, and boot it from then on");
    app.add_flag("--older", series.run.rig.older, "also in place of a later version")->needs(keep);
    app.add_option("--flash", series.run.rig.flash,
                   "folder for the flash of emulated nodes, which outlasts the run")
        ->needs(keep);
    add_run(app, series);
}

void add_matrix(CLI::App& app, MatrixArguments& matrix) {
    app.add_option("file", matrix.file, "TOML: a section for each scenario")->required();
    app.add_option("--jobs", matrix.jobs,
                   "runs at a time (default: as many as cores); a simulation counts for one, a rig "
                   "of emulators for one a node");
    app.add_option("--memory", matrix.memory_mbyte,
                   "megabytes for all nodes of all runs at a time (default: what is free)");
    app.add_option("--only", matrix.only, "WORD: those runs that have it in their names")
        ->allow_extra_args(false);
    app.add_flag("--rerun-failed", matrix.rerun_failed, "those that have failed the last time");
    app.add_flag("--list", matrix.list, "print the names of the runs, and run nothing");
    app.add_option("--format", matrix.format, "of --list: text, json")->capture_default_str();
    app.add_option("--log", matrix.log,
                   "a new folder, with one for each run: what its nodes say, the command, the "
                   "report");
    app.add_option("--report", matrix.report, "file for what came of each run, as JSON");
    app.add_option("--junit", matrix.junit, "the same as JUnit's XML");
    add_shard(app, matrix.shard);
    app.footer(describe_matrix_keys);
}

void add_merge(CLI::App& app, MergeArguments& merge) {
    app.add_option("files", merge.files, "what --shard K/N --report FILE has left, of all shards")
        ->required();
    app.add_option("--report", merge.report, "file for the runs of all shards, as JSON");
    app.add_option("--junit", merge.junit, "the same as JUnit's XML");
}

void add_tree(CLI::App& app, TreeArguments& tree) {
    add_topology(app, tree.topology);
    app.add_option("--dim", tree.dim, kDimension)->required();
    app.add_option("--tree,--rule", tree.tree,
                   "name of the structure (default sbt, bts, spt), or ./FILE.hpp with a rule");
    app.add_option("--root", tree.root, "its root")->capture_default_str();
    app.add_option("--format", tree.format, "json, dot, svg, text")->capture_default_str();
    app.add_option("--layout", tree.layout,
                   "of svg and dot: network, or levels with the root on top")
        ->capture_default_str();
    app.add_option("--why", tree.why, "NODE: the rule's arithmetic on its address, step by step");
    app.add_option("--op", tree.op,
                   "with --why: the exchanges of this op, not a tree: barrier, scan, send, "
                   "allgather, alltoall, ascend, descend, sort, fft");
    app.add_option("--ports", tree.ports, "with --op: all, duplex, half")->capture_default_str();
    app.add_option("--schedule", tree.schedule,
                   "with --op allgather and alltoall: level, subtree; on uhc and star queue, of "
                   "alltoall on star also necklace");
    app.add_option("--target", tree.target, "with --op send: the node to which --root sends");
    app.add_option("--route", tree.route, "with --op send: " + list(route_names()))
        ->capture_default_str();
}

void add_embed(CLI::App& app, EmbedArguments& embed) {
    app.add_option("--guest", embed.guest, "tree (full binary), grid")->required();
    app.add_option("--levels", embed.levels, "levels of the tree");
    app.add_option("--shape", embed.shape, "sides of the grid, as 5x5x3");
    app.add_option("--dim", embed.dim, "dimension of the cube; default: the least that does");
    app.add_option("--format", embed.format, "json, svg")->capture_default_str();
}

void add_build(CLI::App& app, BuildArguments& build) {
    app.add_option("files", build.files, "C++ and C files, one with app_main()");
    app.add_option("-o,--output", build.output, "the program");
    app.add_option("--board", build.board, list(board_names()))->capture_default_str();
    app.add_option("--as", build.kind,
                   "relay: for a mesh with one host cable; loaded: for mesh load");
    app.add_option("--engine", build.engine, "qemu, sim: for this one alone");
    app.add_flag("--trace", build.trace,
                 "processes on a board tell --capture what they do, as those of a simulation do");
    app.add_flag("--debug", build.debug, "so that a debugger sees every variable");
    app.add_flag("--strict-warnings", build.strict, "each warning is an error");
    app.add_flag("--strict", build.watched,
                 "the simulation's part looks at each access to memory in mesh run --strict");
    const auto several = [&](const char* name, std::vector<std::string>& words,
                             const char* phrase) {
        app.add_option(name, words, phrase)->allow_extra_args(false);
    };
    app.add_option("-O", build.optimise, "for speed or size: 0, 1, 2, 3, s, g");
    several("-I", build.includes, "a folder of headers");
    several("-D", build.defines, "NAME or NAME=VALUE for the preprocessor");
    several("-L", build.folders, "a folder of libraries");
    several("-l", build.libraries, "a library");
    app.add_option("--show", build.show,
                   "instead print words that other build tools need: compiler, compile, link, "
                   "libraries");
}

void add_new(CLI::App& app, NewArguments& fresh) {
    app.add_option("folder", fresh.folder, "a new folder")->required();
}

void add_list(CLI::App& app, ListArguments& names) {
    app.add_option("what", names.what, list(list_names()))->required();
    add_list_format(app, names.format);
}

void add_view(CLI::App& app, ViewArguments& view) {
    app.add_option("file", view.file, "what `mesh run --capture` wrote; -: standard input")
        ->required();
    app.add_option("--format", view.format, list(view_formats()))->capture_default_str();
    app.add_option("--beside", view.beside, "a second capture: two runs in one page, on one clock");
    app.add_option("--output", view.output, "file for it (default: standard output)");
}

void add_lab(CLI::App& app, LabArguments& lab) {
    app.add_option("what", lab.what, "list, or start")->required();
    app.add_option("lab", lab.lab, "start: its number or name, or a folder of your own with one");
    app.add_option("folder", lab.folder, "start: a new folder for your work");
    add_list_format(app, lab.format);
    app.add_option("--language", lab.language, "start: c++, or c (MPI), which some labs have");
}

void add_grade(CLI::App& app, GradeArguments& grade) {
    app.add_option("folder", grade.folder, "what mesh lab start has made, with your answer")
        ->required();
    app.add_option("--lab", grade.lab, "grade as this lab, whatever the folder says");
    app.add_option("--variant", grade.variant,
                   "draw secrets by this word, as a student's name (default: new ones each time)");
    app.add_option("--json", grade.json, "file for the grade");
    app.add_option("--junit", grade.junit, "the same as JUnit's XML");
    app.add_option("--gradescope", grade.gradescope,
                   "the same as Gradescope's autograder reads it: results.json");
    app.footer(describe_check_keys);
}

void add_debug(CLI::App& app, DebugArguments& debug) {
    app.add_option("nodes", debug.nodes, "the nodes that wait at reset; then -- and words of run")
        ->required();
    app.add_option("--ex", debug.commands, "a command of the debugger, as -ex of gdb itself")
        ->allow_extra_args(false);
    app.add_option("--gdb", debug.gdb, "the debugger")->capture_default_str();
}

void add_doctor(CLI::App& app, DoctorArguments& doctor) {
    app.add_option("--qemu", doctor.qemu, "the emulator")->capture_default_str();
    app.add_option("--board", doctor.board, list(board_names()));
    add_list_format(app, doctor.format);
}

void check_load(const SeriesArguments& series) {
    if (series.asked_for())
        refuse("mesh load is one run: no --repeat, --orders, --until-failure, --shard, A..B");
    for (const std::string_view option : {"--op", "--app"})
        if (series.run.gives(option))
            refuse("{} does not go with mesh load: its image is the program", option);
}

/// The command of `mesh run` or `mesh load`, which `app` has parsed.
Command run_command(const CLI::App& app, SeriesArguments& series, const char* program) {
    RunArguments& run = series.run;
    run.given = given_options(app);
    const std::vector<std::string> words = words_of_each(app, {}, kOfSeries | kOfMachine);
    run.title = shell_line({words.begin() + 2, words.end()});
    if (app.get_name() == "load") {
        check_load(series);
        run.work.app = {run.rig.load};
    }
    if (!series.asked_for())
        return run;
    series.words = words_of_each(app, program_again(program));
    return series;
}

/// A command whose arguments become what is `given` when it has been read.
template <class Arguments>
void add_command(CLI::App& app, Command& given, const char* name, const char* help,
                 void (*add)(CLI::App&, Arguments&)) {
    CLI::App& command = *app.add_subcommand(name, help);
    const auto arguments = std::make_shared<Arguments>();
    add(command, *arguments);
    command.callback([arguments, &given] { given = *arguments; });
}

} // namespace

Command parse_command_line(int count, const char* const* words) {
    CLI::App app("mesh: message passing on 2^n bare-metal nodes, and everything around it", "mesh");
    app.require_subcommand(1);
    app.set_version_flag("-V,--version", fmt::format("mesh {}", kVersion));
    Command given;
    SeriesArguments series;
    CLI::App& run_app = *app.add_subcommand("run", "boot a mesh, do a job on it, verify it");
    add_run(run_app, series);
    CLI::App& load_app =
        *app.add_subcommand("load", "bring a program to all nodes by one host cable, and run it");
    add_load(load_app, series);
    add_command(app, given, "matrix", "many runs from a file, verified", add_matrix);
    add_command(app, given, "merge", "one report of those of all shards", add_merge);
    add_command(app, given, "build", "make a program of source files, for both engines", add_build);
    add_command(app, given, "new", "make a small project to begin with", add_new);
    add_command(app, given, "tree", "print a spanning tree by the node's own rule", add_tree);
    add_command(app, given, "embed", "print where a tree or a grid lives in the cube", add_embed);
    add_command(app, given, "list", "print the names that options take", add_list);
    add_command(app, given, "view", "pictures and tables of a capture", add_view);
    add_command(app, given, "lab", "the labs of the course: list them, start one", add_lab);
    add_command(app, given, "grade", "the checks of a lab, and their points", add_grade);
    add_command(app, given, "debug", "one debugger on nodes of a run: NODE ... -- OPTIONS OF RUN",
                add_debug);
    add_command(app, given, "doctor", "what this machine has for a mesh, and what it lacks",
                add_doctor);
    const std::span<const char* const> all(words, static_cast<std::size_t>(count));
    if (count > 1 && words[1] == std::string_view(kComplete)) // mesh complete -- WORDS
        return HelpText{completions(app, all.subspan(std::min<std::size_t>(3, all.size())))};
    // Behind -- of `mesh debug` the words are those of a run, which may have another -- in them.
    const bool debugged = count > 1 && words[1] == std::string_view("debug");
    const auto own = std::ranges::find(all, std::string_view("--"));
    if (auto help = parse(app, debugged ? static_cast<int>(own - all.begin()) : count, words))
        return *help;
    if (run_app.parsed() || load_app.parsed())
        return run_command(load_app.parsed() ? load_app : run_app, series, words[0]);
    if (auto* const matrix = std::get_if<MatrixArguments>(&given))
        matrix->program = program_again(words[0]);
    if (auto* const debug = std::get_if<DebugArguments>(&given)) {
        if (own == all.end())
            refuse("mesh debug: what is run? mesh debug NODE ... -- OPTIONS OF RUN");
        debug->run.assign(own + 1, all.end());
        debug->program = program_again(words[0]);
    }
    if (auto* const grade = std::get_if<GradeArguments>(&given))
        grade->program = program_again(words[0]);
    return given;
}

} // namespace mesh::host
