#include "run_rows.hpp"

#include "core/base/operators.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/ops/families.hpp"
#include "host-tools/mesh/plan/find_qemu.hpp"
#include "host-tools/mesh/programs/toolkit.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "parse.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace mesh::host {

namespace {

constexpr const char* kData = "Data";
constexpr const char* kModel = "Model";
constexpr const char* kRig = "Rig";
constexpr const char* kFaults = "Faults and results";
constexpr const char* kSeveralRuns = "Several runs";

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

void add_work(CLI::App& app, WorkOptions& work) {
    app.option_defaults()->group(kWork);
    app.add_option("--op", work.op, op_list());
    app.add_option("--app", work.app,
                   fmt::format("a program: {}, ./PROGRAM, or FILE.cpp, which is built; on every "
                               "node, or several of them, each PROGRAM@NODES, as master@0; the "
                               "simulation runs it as a part of mesh, with your rights",
                               list(app_names())))
        ->allow_extra_args(false);
    app.add_option("words", work.words, "after --: words for the app");
    app.add_option("--secret", work.secret,
                   "so many numbers below 1000 for each node, drawn from --seed: behind the words, "
                   "its own ones alone")
        ->capture_default_str();
    app.add_option(
        "--ranks", work.ranks,
        "a program with a main() runs on so many nodes, from node 0 on; the others forward");
    app.add_option("--heap", work.heap,
                   "sim: bytes of the heap of each rank of a program with a main() (default 12M)");
    app.add_flag(
        "--strict", work.strict,
        "sim, C over MPI: what the standard calls erroneous ends the run; a send waits for "
        "its receive, a collective for all its ranks; in FILE.c each access to memory that "
        "a call has is found");
    app.add_option("--tree", work.tree,
                   "the spanning tree, or ./FILE.hpp with the rule of one; " + tree_list());
    app.add_option("--avoid", work.avoid, "NODE/PORT: choose a tree that does without this cable");
    app.add_option(
        "--schedule", work.schedule,
        fmt::format("order of a personalised op (default: the best): {}", schedule_list()));
    app.add_option("--type", work.element,
                   fmt::format("elements of a reduction: {}; what sort sorts: i32, lines",
                               list(kElementNames)))
        ->capture_default_str();
    app.add_option("--operator", work.reduction, list(kOperatorNames))->capture_default_str();
    app.add_flag("--exclusive", work.exclusive, "scan: without the node's own element");
    app.add_option("--route", work.route, "send: " + list(route_names()))->capture_default_str();
    app.add_option("--root", work.root, "root of a tree, sender of a send to one target")
        ->capture_default_str();
    app.add_option("--target,--to", work.target,
                   "send: the receiver, or 'random': every node sends to random nodes")
        ->capture_default_str();
    app.add_option("--messages", work.messages, "send: messages of each sender")
        ->capture_default_str();
    app.add_option("--copies", work.copies,
                   "send each packet over so many disjoint trees (bcast; uhc, star: blocks too)")
        ->capture_default_str();
}

void add_data(CLI::App& app, DataOptions& data) {
    app.option_defaults()->group(kData);
    app.add_option(
        "--bytes", data.bytes,
        "bytes of a message, or of a node's block (default 4096, or the input's); with k, "
        "M or G: times 1024, and so on");
    app.add_option("--packet", data.packet,
                   "most payload bytes that move as one: 16 to what a packet of the board "
                   "carries, 1024 or less, the default; bcast and scatter to 65536; bcast: auto; "
                   "in cycles: 0 for unbounded, the default");
    app.add_option("--input", data.input,
                   "file to send, or - for standard input; default: bytes made from the seed, and "
                   "for --app, of one run, the file or pipe that standard input is");
    app.add_option("--files", data.files, "folder whose files a main() may open to read");
    app.add_option("--output", data.output,
                   "file for what the last node (gather, reduce: the root; send: the target) got, "
                   "or what an app writes; only if the run is verified");
}

void add_model(CLI::App& app, ModelOptions& model) {
    app.option_defaults()->group(kModel);
    app.add_option("--ports", model.ports, "port model: " + list(port_model_names()))
        ->capture_default_str();
    app.add_option("--tau", model.tau, "start-up time of a packet on a link, in model time units")
        ->capture_default_str();
    app.add_option("--tc", model.tc, "time of one byte on a link")->capture_default_str();
    CLI::Option* const lockstep =
        app.add_flag("--lockstep", model.lockstep,
                     "release frames by model time: the same run again, to the byte");
    app.add_option("--order", model.order,
                   "sim: the choices at which what may happen first is put off, as 12,40, or none; "
                   "turns:12,40 for those of processes: the order that a run of --orders printed");
    app.add_flag("--free", model.free, "let frames pass as they come (faster, engine qemu)")
        ->excludes(lockstep);
}

void add_rig(CLI::App& app, RigOptions& rig) {
    app.option_defaults()->group(kRig);
    app.add_option("--engine", rig.engine, "qemu (real firmware), sim (in this process)")
        ->capture_default_str();
    app.add_option("--board", rig.board, "board of engine qemu: " + list(board_names()))
        ->capture_default_str();
    app.add_flag(
        "--dry-run", rig.dry_run,
        "boot nothing; print the plan, the wiring, an emulator's command line, the memory");
    app.add_option("--limit", rig.limit_s, "seconds that the whole run may take; 0: no limit")
        ->capture_default_str();
    app.add_option("--log", rig.log,
                   "a new folder for what each node and its emulator say, the command, the report");
    CLI::Option* const live = app.add_flag(
        "--live", rig.live, "show nodes, rates and faults in the terminal while the run goes");
    app.add_flag("--quiet", rig.quiet, "no lines of how far the run has come")->excludes(live);
    app.add_flag("--raw", rig.raw,
                 "console text as it is, control characters too, unless it goes to a terminal");
    app.add_option("--gdb", rig.gdb,
                   "hold these nodes (N,N,...) at reset for a debugger each; a debugger opens and "
                   "writes the files that an image asks for: only with images that you trust")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--boot", rig.boot,
                   "qemu: fork makes the machine once and forks for each node, exec starts each "
                   "node's emulator by itself (default: fork, if the tests have done so with the "
                   "emulator's version)");
    app.add_option("--memory", rig.memory, "megabytes for all nodes (default: what is free)");
    app.add_option(
        "--host-at", rig.host_at,
        "0: node 0 alone has a host cable; jobs, data, console and reports of the others "
        "cross the mesh, which gives them their numbers");
    app.add_option("--serial", rig.serial,
                   "the line of node 0 of a mesh that is there already, as /dev/ttyUSB0");
    app.add_option("--baud", rig.baud, "bits a second of --serial")->capture_default_str();
    app.add_option("--image", rig.image, "another image for the nodes");
    app.add_option("--qemu", rig.qemu, "the emulator; tested with " + tested_qemu_versions())
        ->capture_default_str();
    app.add_option("--miswire", rig.miswire,
                   "swap the cables at two NODE/PORT, to see the self-check find it")
        ->expected(2);
}

void add_results(CLI::App& app, ResultOptions& results, RigOptions& rig) {
    app.option_defaults()->group(kFaults);
    app.add_option("--faults", results.faults, fault_list());
    app.add_option(
        "--report", results.report,
        "file for the report, as JSON, or as a page to look at if it is called FILE.html; "
        "-: standard output, the table to standard error");
    app.add_option("--capture", results.capture,
                   "file for every frame on every cable, as pcapng for Wireshark and `mesh view`; "
                   "-: standard output, for a Wireshark that looks on (wireshark -k -i -)");
    app.add_option("--capture-bytes", results.capture_bytes,
                   "keep so many bytes of each frame: 80 are its headers (default: all)");
    app.add_option("--expect", results.expect,
                   "file with what the console must show, [node] text, the lines of each node in "
                   "their order");
    app.add_option("--expect-steps", results.expect_steps,
                   "formula, or a number: with other steps the run has failed");
    app.add_option("--timeout", rig.timeout_s, "seconds of silence after which a node is hung")
        ->capture_default_str();
    app.add_option("--junit", results.junit,
                   "file for what came of the run, or of each of several, as JUnit's XML");
}

/// --seed, which can be a range, and the options that make several runs of one.
void add_series(CLI::App& app, SeriesArguments& series) {
    const auto read_seeds = [&](const std::string& text) {
        const auto seeds = seed_range_of(text);
        if (!seeds)
            refuse("--seed '{}': allowed: a number, or A..B for a run with each of them", text);
        series.seeds = *seeds;
        series.run.model.seed = seeds->first;
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
                   "sim: so many runs, each with an order of packets or processes that the seed "
                   "draws, the first that fails made as small as can be; all, or all:N (default "
                   "all:100000): instead each order in which the processes of a program can go "
                   "on, those that no node can tell apart once, in N runs at most");
    app.add_flag("--until-failure", series.until_failure,
                 "stop at the first run that fails; without a number of runs, go on until then");
    add_shard(app, series.shard);
}

} // namespace

void add_topology(CLI::App& app, std::string& topology) {
    app.add_option("--topology", topology, list(topology_names()))->capture_default_str();
}

void add_shard(CLI::App& app, std::string& shard) {
    app.add_option("--shard", shard,
                   "K/N: only every Nth run, from run K on: the part of machine K");
}

void add_run(CLI::App& app, SeriesArguments& series) {
    RunArguments& run = series.run;
    add_topology(app, run.rig.topology);
    app.add_option("--dim", run.rig.dim,
                   fmt::format("{}; default: the least with --ranks nodes", kDimension));
    add_work(app, run.work);
    add_data(app, run.data);
    add_model(app, run.model);
    add_rig(app, run.rig);
    add_results(app, run.results, run.rig);
    add_series(app, series);
}

std::vector<std::string> given_options(const CLI::App& app) {
    std::vector<std::string> given;
    for (const CLI::Option* option : app.get_options())
        if (option->count() != 0)
            given.push_back(option->get_name());
    return given;
}

std::string group_of(const RunArguments& arguments) {
    const WorkOptions& work = arguments.work;
    const std::filesystem::path program =
        work.app.empty() ? std::string{} : program_word(work.app.front());
    return fmt::format("mesh.{}.{}", work.op.empty() ? program.stem().string() : work.op,
                       arguments.rig.topology);
}

RunArguments parse_run(const std::vector<std::string>& words) {
    CLI::App app("", "mesh");
    SeriesArguments series;
    CLI::App& run = *app.add_subcommand("run");
    add_run(run, series);
    std::vector<const char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(word.c_str());
    if (parse(app, static_cast<int>(words.size()), pointers.data()) || series.asked_for())
        refuse("{}: not one run", shell_line(words));
    series.run.given = given_options(run);
    return series.run;
}

std::vector<std::string> words_of_each(const CLI::App& app, const std::string& program,
                                       unsigned without) {
    std::vector<std::string> words{program, "run"};
    std::vector<std::string> behind;
    for (const CLI::Option* option : app.get_options()) {
        const std::string name = option->get_name();
        if (option->count() == 0 || is_limited(name, without))
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

} // namespace mesh::host
