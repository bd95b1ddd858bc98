#include "options.hpp"

#include "errors.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <string_view>

namespace mesh::host {

namespace {

void add_network(CLI::App& app, std::string& topology, std::int64_t& dim) {
    app.add_option("--topology", topology, "cube, uhc (2^N nodes), star (N! nodes)")
        ->capture_default_str();
    app.add_option("--dim", dim, "dimension N of the network")->required();
}

void add_job(CLI::App& app, RunArguments& run) {
    app.add_option(
        "--op", run.op,
        "bcast, scatter, gather, reduce, allreduce, scan, allgather, alltoall, send, barrier, "
        "ascend, descend, sort, fft");
    app.add_option("--app", run.app, "a program on every node: a name, or an image (.elf)");
    app.add_option("words", run.words, "after --: words for the app");
    app.add_option(
        "--tree", run.tree,
        "the spanning tree (default sbt, bts, spt for cube, uhc, star; with --copies msbt, ist, "
        "edt)");
    app.add_option("--avoid", run.avoid, "NODE/PORT: choose a tree that does without this cable");
    app.add_option("--schedule", run.schedule,
                   "scatter, gather: gray, port, postorder, rbf, roundrobin, level, subtree; "
                   "all-to-all: level, subtree (default: the best for tree and ports); on uhc and "
                   "star: rbf; allgather: queue, dfs-ack; alltoall: necklace, queue");
    app.add_option("--type", run.element,
                   "elements of a reduction: i32, u32, f32; what sort sorts: i32, "
                   "lines")
        ->capture_default_str();
    app.add_option("--operator", run.reduction, "sum, min, max, band, bor, bxor")
        ->capture_default_str();
    app.add_flag("--exclusive", run.exclusive, "scan: without the node's own element");
    app.add_option("--route", run.route, "send: ecube, sbt, sbnt, sbnt-maxl/minbl/maxbr")
        ->capture_default_str();
    app.add_option("--root", run.root, "root of a tree, sender of a send to one target")
        ->capture_default_str();
    app.add_option("--target,--to", run.target,
                   "send: the receiver, or 'random': every node sends to random nodes")
        ->capture_default_str();
    app.add_option("--messages", run.messages, "send: messages of each sender")
        ->capture_default_str();
    app.add_option("--bytes", run.bytes,
                   "bytes of a message, or of a node's block (default 4096, or the input's)");
    app.add_option("--packet", run.packet,
                   "most payload bytes that move as one (default 1024): 16 to 1024, bcast and "
                   "scatter to 65536; bcast: auto; in cycles: 0 for unbounded, the default");
    app.add_option("--copies", run.copies, "bcast: send each packet over so many disjoint trees")
        ->capture_default_str();
    app.add_option("--input", run.input, "file to send; default: bytes made from the seed");
    app.add_option("--output", run.output,
                   "file for what the last node (send: the target) got, "
                   "or what an app writes");
}

void add_model(CLI::App& app, RunArguments& run) {
    app.add_option("--ports", run.ports, "port model: all, duplex, half")->capture_default_str();
    app.add_option("--tau", run.tau, "start-up time of a packet on a link, in model time units")
        ->capture_default_str();
    app.add_option("--tc", run.tc, "time of one byte on a link")->capture_default_str();
    app.add_flag("--lockstep", run.lockstep,
                 "release frames by model time: the same run again, to the byte");
    app.add_flag("--free", run.free, "let frames pass as they come (faster, engine qemu)");
}

void add_rig(CLI::App& app, RunArguments& run) {
    app.add_option("--engine", run.engine, "qemu (real firmware), sim (in this process)")
        ->capture_default_str();
    app.add_option("--board", run.board, "board of engine qemu")->capture_default_str();
    app.add_option("--faults", run.faults,
                   "comma list or @FILE: drop:P corrupt:P dup:P reorder:P delay:US "
                   "cut:NODE/PORT cut:NODE>PORT cutdim:D alter:NODE/PORT kill:NODE hang:NODE, with "
                   "@T, @random, "
                   "xK");
    app.add_option("--seed", run.seed, "repeats a run")->capture_default_str();
    app.add_option("--report", run.report, "file for the report, as JSON");
    app.add_option("--timeout", run.timeout_s, "seconds of silence after which a node is hung")
        ->capture_default_str();
    app.add_option("--limit", run.limit_s, "seconds that the whole run may take; 0: no limit")
        ->capture_default_str();
    app.add_option("--log", run.log,
                   "a new folder for what each node and its emulator say, the command, the report");
    app.add_flag("--raw", run.raw,
                 "console text as it is, control characters too, unless it goes to a terminal");
    app.add_option("--gdb", run.gdb,
                   "hold these nodes (N,N,...) at reset for a debugger each; a debugger opens and "
                   "writes the files that an image asks for: only with images that you trust")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--image", run.image, "another image for the nodes");
    app.add_option("--qemu", run.qemu, "the emulator")->capture_default_str();
    app.add_option("--miswire", run.miswire,
                   "swap the cables at two NODE/PORT, to see the self-check find it")
        ->expected(2);
}

void add_tree(CLI::App& app, TreeArguments& tree) {
    add_network(app, tree.topology, tree.dim);
    app.add_option("--tree", tree.tree, "name of the structure (default sbt, bts, spt)");
    app.add_option("--root", tree.root, "its root")->capture_default_str();
    app.add_option("--format", tree.format, "json, dot, svg, text")->capture_default_str();
}

void add_embed(CLI::App& app, EmbedArguments& embed) {
    app.add_option("--guest", embed.guest, "tree (full binary), grid")->required();
    app.add_option("--levels", embed.levels, "levels of the tree");
    app.add_option("--shape", embed.shape, "sides of the grid, as 5x5x3");
    app.add_option("--dim", embed.dim, "dimension of the cube; default: the least that does");
}

/// The first line of a parser's complaint.
std::string one_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

bool is_safe(char character) {
    constexpr std::string_view kSafe = "+,-./0123456789:=@_%";
    return std::isalpha(static_cast<unsigned char>(character)) != 0 ||
           kSafe.find(character) != std::string_view::npos;
}

std::string quoted(std::string_view word) {
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_safe))
        return std::string(word);
    std::string text = "'";
    for (const char character : word)
        text += character == '\'' ? std::string("'\\''") : std::string(1, character);
    return text + "'";
}

} // namespace

Command parse_command_line(int count, const char* const* words) {
    CLI::App app("mesh: message passing on 2^n bare-metal nodes, and everything around it", "mesh");
    app.require_subcommand(1);
    RunArguments run;
    TreeArguments tree;
    EmbedArguments embed;
    CLI::App& run_app = *app.add_subcommand("run", "boot a mesh, do a job on it, verify it");
    add_network(run_app, run.topology, run.dim);
    add_job(run_app, run);
    add_model(run_app, run);
    add_rig(run_app, run);
    CLI::App& tree_app =
        *app.add_subcommand("tree", "print a spanning tree by the node's own rule");
    add_tree(tree_app, tree);
    CLI::App& embed_app =
        *app.add_subcommand("embed", "print where a tree or a grid lives in the cube");
    add_embed(embed_app, embed);
    try {
        app.parse(count, words);
    } catch (const CLI::CallForHelp&) {
        const auto chosen = app.get_subcommands();
        return HelpText{chosen.empty() ? app.help() : chosen.front()->help("mesh")};
    } catch (const CLI::ParseError& error) {
        const bool chosen = !app.get_subcommands().empty();
        refuse("{}; {}", one_line(error.what()),
               chosen ? fmt::format("see mesh {} --help", app.get_subcommands().front()->get_name())
                      : "commands: run, tree, embed (each with --help)");
    }
    if (tree_app.parsed())
        return tree;
    if (embed_app.parsed())
        return embed;
    for (const CLI::Option* option : run_app.get_options())
        if (option->count() != 0)
            run.given.push_back(option->get_name());
    return run;
}

std::string command_again(int count, const char* const* words) {
    std::string text = "mesh";
    bool seeded = false;
    for (int at = 1; at < count; ++at) {
        const std::string_view word = words[at];
        if (word == "--" && !seeded) { // everything behind belongs to the app
            text += " --seed 1";
            seeded = true;
        }
        seeded = seeded || word.starts_with("--seed");
        text += " " + quoted(word);
    }
    return seeded ? text : text + " --seed 1";
}

} // namespace mesh::host
