#include "options.hpp"

#include "command_line.hpp"
#include "core/base/operators.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/common/version.hpp"
#include "host-tools/mesh/ops/families.hpp"
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
#include <string_view>

namespace mesh::host {

namespace {

constexpr const char* kWork = "Work";
constexpr const char* kData = "Data";
constexpr const char* kModel = "Model";
constexpr const char* kRig = "Rig";
constexpr const char* kFaults = "Faults and results";
constexpr const char* kSeveralRuns = "Several runs";

template <class Names>
std::string list(const Names& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string op_list() {
    std::vector<std::string_view> names;
    for (const OpKind& kind : op_kinds())
        names.push_back(kind.name);
    return list(names);
}

std::string schedule_list() {
    std::vector<std::string_view> names;
    for (unsigned number = 0; number < static_cast<unsigned>(Schedule::kCount); ++number)
        names.push_back(name(static_cast<Schedule>(number)));
    return list(names);
}

std::string tree_list() {
    std::string text;
    for (const Topology topology : {Topology::cube, Topology::uhc, Topology::star})
        text += fmt::format("{}{}: {} (default {}, with copies {})", text.empty() ? "" : "; ",
                            name(topology), list(tree_names(topology)),
                            name(usual_tree(topology, false)), name(usual_tree(topology, true)));
    return text;
}

std::string fault_list() {
    std::vector<std::string_view> forms;
    for (const FaultKind* kind : fault_kinds())
        for (const FaultForm& fault : kind->forms())
            forms.push_back(fault.form);
    return fmt::format("comma list or @FILE: {}; with @T, @random, xK", list(forms));
}

template <class Dim>
CLI::Option* add_network(CLI::App& app, std::string& topology, Dim& dim) {
    app.add_option("--topology", topology, list(topology_names()))->capture_default_str();
    return app.add_option("--dim", dim, "dimension N: 2^N nodes of a cube or uhc, N! of a star");
}

void add_work(CLI::App& app, RunArguments& run) {
    app.option_defaults()->group(kWork);
    app.add_option("--op", run.op, op_list());
    app.add_option("--app", run.app,
                   fmt::format("a program: {}, ./PROGRAM, or FILE.cpp, which is built; on every "
                               "node, or several of them, each PROGRAM@NODES, as master@0; the "
                               "simulation runs it as a part of mesh, with your rights",
                               list(app_names())))
        ->allow_extra_args(false);
    app.add_option("words", run.words, "after --: words for the app");
    app.add_option(
        "--ranks", run.ranks,
        "a program with a main() runs on so many nodes, from node 0 on; the others forward");
    app.add_option("--heap", run.heap,
                   "sim: bytes of the heap of each rank of a program with a main() (default 12M)");
    app.add_option("--tree", run.tree,
                   "the spanning tree, or ./FILE.hpp with the rule of one; " + tree_list());
    app.add_option("--avoid", run.avoid, "NODE/PORT: choose a tree that does without this cable");
    app.add_option(
        "--schedule", run.schedule,
        fmt::format("order of a personalised op (default: the best): {}", schedule_list()));
    app.add_option("--type", run.element,
                   fmt::format("elements of a reduction: {}; what sort sorts: i32, lines",
                               list(kElementNames)))
        ->capture_default_str();
    app.add_option("--operator", run.reduction, list(kOperatorNames))->capture_default_str();
    app.add_flag("--exclusive", run.exclusive, "scan: without the node's own element");
    app.add_option("--route", run.route, "send: " + list(route_names()))->capture_default_str();
    app.add_option("--root", run.root, "root of a tree, sender of a send to one target")
        ->capture_default_str();
    app.add_option("--target,--to", run.target,
                   "send: the receiver, or 'random': every node sends to random nodes")
        ->capture_default_str();
    app.add_option("--messages", run.messages, "send: messages of each sender")
        ->capture_default_str();
    app.add_option("--copies", run.copies,
                   "send each packet over so many disjoint trees (bcast; uhc, star: blocks too)")
        ->capture_default_str();
}

void add_data(CLI::App& app, RunArguments& run) {
    app.option_defaults()->group(kData);
    app.add_option(
        "--bytes", run.bytes,
        "bytes of a message, or of a node's block (default 4096, or the input's); with k, "
        "M or G: times 1024, and so on");
    app.add_option("--packet", run.packet,
                   "most payload bytes that move as one: 16 to what a packet of the board "
                   "carries, 1024 or less, the default; bcast and scatter to 65536; bcast: auto; "
                   "in cycles: 0 for unbounded, the default");
    app.add_option("--input", run.input,
                   "file to send, or - for standard input; default: bytes made from the seed, and "
                   "for --app, of one run, the file or pipe that standard input is");
    app.add_option("--files", run.files, "folder whose files a main() may open to read");
    app.add_option("--output", run.output,
                   "file for what the last node (gather, reduce: the root; send: the target) got, "
                   "or what an app writes; only if the run is verified");
}

void add_model(CLI::App& app, RunArguments& run) {
    app.option_defaults()->group(kModel);
    app.add_option("--ports", run.ports, "port model: " + list(port_model_names()))
        ->capture_default_str();
    app.add_option("--tau", run.tau, "start-up time of a packet on a link, in model time units")
        ->capture_default_str();
    app.add_option("--tc", run.tc, "time of one byte on a link")->capture_default_str();
    CLI::Option* const lockstep =
        app.add_flag("--lockstep", run.lockstep,
                     "release frames by model time: the same run again, to the byte");
    app.add_option("--order", run.order,
                   "sim: the choices at which what may happen first is put off, as 12,40, or none: "
                   "the order that a run of --orders printed");
    app.add_flag("--free", run.free, "let frames pass as they come (faster, engine qemu)")
        ->excludes(lockstep);
}

void add_rig(CLI::App& app, RunArguments& run) {
    app.option_defaults()->group(kRig);
    app.add_option("--engine", run.engine, "qemu (real firmware), sim (in this process)")
        ->capture_default_str();
    app.add_option("--board", run.board, "board of engine qemu: " + list(board_names()))
        ->capture_default_str();
    app.add_flag(
        "--dry-run", run.dry_run,
        "boot nothing; print the plan, the wiring, an emulator's command line, the memory");
    app.add_option("--limit", run.limit_s, "seconds that the whole run may take; 0: no limit")
        ->capture_default_str();
    app.add_option("--log", run.log,
                   "a new folder for what each node and its emulator say, the command, the report");
    CLI::Option* const live = app.add_flag(
        "--live", run.live, "show nodes, rates and faults in the terminal while the run goes");
    app.add_flag("--quiet", run.quiet, "no lines of how far the run has come")->excludes(live);
    app.add_flag("--raw", run.raw,
                 "console text as it is, control characters too, unless it goes to a terminal");
    app.add_option("--gdb", run.gdb,
                   "hold these nodes (N,N,...) at reset for a debugger each; a debugger opens and "
                   "writes the files that an image asks for: only with images that you trust")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--boot", run.boot,
                   "qemu: fork makes the machine once and forks for each node, exec starts each "
                   "node's emulator by itself (default: fork, if the tests have done so with the "
                   "emulator's version)");
    app.add_option("--memory", run.memory, "megabytes for all nodes (default: what is free)");
    app.add_option(
        "--host-at", run.host_at,
        "0: node 0 alone has a host cable; jobs, data, console and reports of the others "
        "cross the mesh, which gives them their numbers");
    app.add_option("--serial", run.serial,
                   "the line of node 0 of a mesh that is there already, as /dev/ttyUSB0");
    app.add_option("--baud", run.baud, "bits a second of --serial")->capture_default_str();
    app.add_option("--image", run.image, "another image for the nodes");
    app.add_option("--qemu", run.qemu, "the emulator; tested with " + tested_qemu_versions())
        ->capture_default_str();
    app.add_option("--miswire", run.miswire,
                   "swap the cables at two NODE/PORT, to see the self-check find it")
        ->expected(2);
}

void add_results(CLI::App& app, RunArguments& run) {
    app.option_defaults()->group(kFaults);
    app.add_option("--faults", run.faults, fault_list());
    app.add_option(
        "--report", run.report,
        "file for the report, as JSON, or as a page to look at if it is called FILE.html; "
        "-: standard output, the table to standard error");
    app.add_option("--capture", run.capture,
                   "file for every frame on every cable, as pcapng for Wireshark and `mesh view`; "
                   "-: standard output, for a Wireshark that looks on (wireshark -k -i -)");
    app.add_option("--capture-bytes", run.capture_bytes,
                   "keep so many bytes of each frame: 80 are its headers (default: all)");
    app.add_option("--expect", run.expect,
                   "file with what the console must show, [node] text, the lines of each node in "
                   "their order");
    app.add_option("--timeout", run.timeout_s, "seconds of silence after which a node is hung")
        ->capture_default_str();
    app.add_option("--junit", run.junit,
                   "file for what came of the run, or of each of several, as JUnit's XML");
}

void add_shard(CLI::App& app, std::string& shard) {
    app.add_option("--shard", shard,
                   "K/N: only every Nth run, from run K on: the part of machine K");
}

/// --seed, which can be a range, and the options that make several runs of one.
void add_series(CLI::App& app, SeriesArguments& series) {
    const auto read_seeds = [&](const std::string& text) {
        const auto seeds = seed_range_of(text);
        if (!seeds)
            refuse("--seed '{}': allowed: a number, or A..B for a run with each of them", text);
        series.seeds = *seeds;
        series.run.seed = seeds->first;
        series.ranged = text.find('.') != std::string::npos;
    };
    app.option_defaults()->group(kSeveralRuns);
    app.add_option_function<std::string>(
           "--seed", read_seeds,
           "repeats a run; 64 bits; A..B: several runs, one with each of these seeds")
        ->default_str("1");
    app.add_option("--repeat", series.repeat,
                   "so many runs, with the seeds S, S+1, ...; with A..B, all of them so often");
    app.add_option("--orders", series.orders,
                   "sim: so many runs, each with an order of packets and processes that the seed "
                   "draws, the first that fails made as small as can be; all, or all:N (default "
                   "all:1000): instead every order with no put-off, with one, with two, in N runs "
                   "at most");
    app.add_flag("--until-failure", series.until_failure,
                 "stop at the first run that fails; without a number of runs, go on until then");
    add_shard(app, series.shard);
}

void add_run(CLI::App& app, SeriesArguments& series) {
    add_network(app, series.run.topology, series.run.dim);
    add_work(app, series.run);
    add_data(app, series.run);
    add_model(app, series.run);
    add_rig(app, series.run);
    add_results(app, series.run);
    add_series(app, series);
}

void add_load(CLI::App& app, SeriesArguments& series) {
    app.add_option("program", series.run.load, "as --app names one: an app, or FILE.elf")
        ->required();
    app.option_defaults()->group(kWork);
    auto* const keep = app.add_option(
        "--keep", series.run.keep,
        "nodes keep the program in flash, as this version, and boot it from then on");
    app.add_flag("--older", series.run.older, "also in place of a later version")->needs(keep);
    app.add_option("--flash", series.run.flash,
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
    app.add_option("--report", matrix.report, "file for what came of each run, as JSON");
    app.add_option("--junit", matrix.junit, "the same as JUnit's XML");
    add_shard(app, matrix.shard);
    app.footer(describe_matrix_keys);
}

/// The options as they were given, without those that make several runs of one, and those that
/// write the results of all runs.
std::vector<std::string> words_of_each(const CLI::App& app, const std::string& program) {
    constexpr std::array<std::string_view, 7> kOfAll{
        "--seed", "--repeat", "--orders", "--until-failure", "--shard", "--report", "--junit"};
    std::vector<std::string> words{program, "run"};
    std::vector<std::string> behind;
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        if (option->count() == 0 || std::find(kOfAll.begin(), kOfAll.end(), name) != kOfAll.end())
            continue;
        const std::vector<std::string> values = option->results();
        if (option->get_positional())
            behind.insert(behind.end(), values.begin(), values.end());
        else if (option->get_items_expected_max() == 0)
            words.push_back(name);
        else if (option->get_items_expected_min() == 1)
            for (const std::string& value : values)
                words.push_back(fmt::format("{}={}", name, value));
        else {
            words.push_back(name);
            words.insert(words.end(), values.begin(), values.end());
        }
    }
    if (!behind.empty())
        words.emplace_back("--");
    words.insert(words.end(), behind.begin(), behind.end());
    return words;
}

void add_merge(CLI::App& app, MergeArguments& merge) {
    app.add_option("files", merge.files, "what --shard K/N --report FILE has left, of all shards")
        ->required();
    app.add_option("--report", merge.report, "file for the runs of all shards, as JSON");
    app.add_option("--junit", merge.junit, "the same as JUnit's XML");
}

void add_tree(CLI::App& app, TreeArguments& tree) {
    add_network(app, tree.topology, tree.dim)->required();
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
    app.add_option("--language", lab.language, "start: c++, or c (MPI), which some labs have");
}

void add_grade(CLI::App& app, GradeArguments& grade) {
    app.add_option("folder", grade.folder, "what mesh lab start has made, with your answer")
        ->required();
    app.add_option("--lab", grade.lab, "grade as this lab, whatever the folder says");
    app.add_option("--json", grade.json, "file for the grade");
    app.add_option("--junit", grade.junit, "the same as JUnit's XML");
    app.footer(describe_check_keys);
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
    for (const CLI::Option* option : app.get_options())
        if (option->count() != 0)
            run.given.push_back(option->get_name());
    if (app.get_name() == "load") {
        check_load(series);
        run.app = {run.load};
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
    app.set_version_flag("--version", fmt::format("mesh {}", kVersion));
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
    if (auto help = parse(app, count, words))
        return *help;
    if (run_app.parsed() || load_app.parsed())
        return run_command(load_app.parsed() ? load_app : run_app, series, words[0]);
    if (auto* const matrix = std::get_if<MatrixArguments>(&given))
        matrix->program = program_again(words[0]);
    if (auto* const grade = std::get_if<GradeArguments>(&given))
        grade->program = program_again(words[0]);
    return given;
}

std::vector<RunOption> run_options() {
    CLI::App app;
    SeriesArguments unused;
    add_run(app, unused);
    std::vector<RunOption> options;
    for (const CLI::Option* option : app.get_options())
        if (!option->get_positional() && option != app.get_help_ptr())
            options.push_back({option->get_lnames().front(), option->get_description(),
                               option->get_items_expected_max() == 0});
    return options;
}

RunArguments parse_run(const std::vector<std::string>& words) {
    std::vector<const char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(word.c_str());
    const Command command = parse_command_line(static_cast<int>(words.size()), pointers.data());
    const auto* const run = std::get_if<RunArguments>(&command);
    if (run == nullptr)
        refuse("{}: not one run", shell_line(words));
    return *run;
}

} // namespace mesh::host
