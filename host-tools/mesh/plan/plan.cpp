#include "plan.hpp"

#include "host-tools/mesh/capture/capture.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/ops/data.hpp"
#include "host-tools/mesh/ops/expected_steps.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "plan_host_cable.hpp"
#include "plan_programs.hpp"
#include "plan_rig.hpp"

#include <unistd.h>

namespace mesh::host {

namespace {

constexpr double kUnitsMax = 4000; // of tau and tc: ticks fit 32 bits

void check_model(const ModelOptions& model) {
    if (!(model.tau >= 0 && model.tau <= kUnitsMax))
        refuse("--tau {}: allowed: 0 to {}", model.tau, kUnitsMax);
    if (!(model.tc >= 0 && model.tc <= kUnitsMax))
        refuse("--tc {}: allowed: 0 to {}", model.tc, kUnitsMax);
}

void check_rig(const RigOptions& rig) {
    if (!(rig.timeout_s > 0 && rig.timeout_s <= 1e6))
        refuse("--timeout {}: allowed: seconds above 0", rig.timeout_s);
    if (!(rig.limit_s >= 0 && rig.limit_s <= 1e9))
        refuse("--limit {}: allowed: seconds, or 0 for no limit", rig.limit_s);
    if (rig.live && isatty(STDERR_FILENO) == 0)
        refuse("--live: needs a terminal as standard error");
}

void check_results(const ResultOptions& results) {
    if (!results.expect_steps.empty() && !is_expected_steps(results.expect_steps))
        refuse("--expect-steps '{}': allowed: formula, or a number", results.expect_steps);
    if (results.capture.ends_with(".pcap"))
        refuse("--capture '{}': what is written is pcapng; allowed: FILE.pcapng", results.capture);
    constexpr auto kLeast = static_cast<std::int64_t>(kCaptureBytesMin);
    if (results.capture == kStandardOutput && results.report == kStandardOutput)
        refuse("--capture - and --report -: one of them can be standard output");
    if (results.capture == kStandardOutput && results.wants_page())
        refuse("--capture - and --report {}: a page needs a capture that can be read again; give "
               "--capture FILE, or none",
               results.report);
    if (results.capture_bytes && results.capture.empty())
        refuse("--capture-bytes goes with --capture FILE");
    if (results.capture_bytes && *results.capture_bytes < kLeast)
        refuse("--capture-bytes {}: allowed: {} or more", *results.capture_bytes, kLeast);
}

/// Late, since an op's own refusals come before those of the file system.
void check_files(const RunPlan& run) {
    const auto check = [](const std::string& file, const char* option) {
        if (!file.empty())
            check_writable(file, option);
    };
    if (!run.rig.options.log.empty())
        check_new_folder(run.rig.options.log, "--log");
    check(run.data.output, "--output");
    if (run.results.report != kStandardOutput)
        check(run.results.report, "--report");
    if (run.results.capture != kStandardOutput)
        check(run.results.capture, "--capture");
    check(run.results.junit, "--junit");
}

/// The network that --dim says, or the least one with a node for each of --ranks.
Network planned_network(const RunArguments& arguments) {
    const std::string& topology = arguments.rig.topology;
    if (arguments.rig.dim)
        return network_of(topology, *arguments.rig.dim);
    if (!arguments.work.ranks)
        refuse("--dim is required, or --ranks for a program with a main(); see mesh run --help");
    return least_network(topology, *arguments.work.ranks);
}

/// The part of the plan that does not depend on the op: network and board.
RunPlan plan_shared(const OpKind& kind, const RunArguments& arguments, const std::string& command) {
    if (!arguments.alone && arguments.data.input == "-")
        refuse("--input -: standard input is read once; give several runs a file");
    RunPlan run(arguments, command);
    run.rig.board = plan_board(run.rig);
    check_dimension(run.rig);
    run.rig.network = planned_network(arguments);
    run.root = node_of(run.network(), arguments.work.root, "--root");
    if (!run.results.expect.empty())
        run.expected = ConsoleText::read(run.results.expect);
    check_rig(run.rig.options);
    run.rig.one_cable = plan_host_cable(run);
    check_results(run.results);
    run.ports = port_model_of(run.model.ports);
    check_model(run.model);
    run.capture_bytes = static_cast<std::size_t>(
        run.results.capture_bytes.value_or(static_cast<std::int64_t>(wire::kFrameBytesMax)));
    run.workspace_bytes = workspace_for(kind, run);
    return run;
}

/// A person at a terminal types what the program of node 0 reads, before the run.
void plan_typed_input(RunPlan& run) {
    const std::size_t first = run.rig.program_of.empty() ? 0 : run.rig.program_of.front();
    if (run.input || !run.alone || !run.data.files.empty() || run.rig.options.dry_run ||
        isatty(STDIN_FILENO) == 0 || !run.rig.programs.at(first).may_read)
        return;
    say("the program reads standard input: type it, and Ctrl-D behind the last line\n");
    plan_message(run, "-", kInputBytesMax);
}

} // namespace

/// Each step takes what the one before has left: arguments, a run with its network and board, an op
/// that knows its data, a rig.
std::unique_ptr<Operation> plan_run(const RunArguments& arguments, const std::string& command) {
    const OpKind& kind = kind_of(arguments);
    std::unique_ptr<Operation> op = kind.plan(kind, plan_shared(kind, arguments, command));
    check_files(op->run());
    op->run().rig = plan_rig(*op);
    plan_typed_input(op->run());
    check_host_cable(op->run());
    return op;
}

} // namespace mesh::host
