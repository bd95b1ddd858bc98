#include "plan.hpp"

#include "host-tools/mesh/capture/capture.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "plan_host_cable.hpp"
#include "plan_programs.hpp"
#include "plan_rig.hpp"

#include <array>
#include <unistd.h>
#include <utility>

namespace mesh::host {

namespace {

constexpr double kUnitsMax = 4000; // of tau and tc: ticks fit 32 bits

void plan_times(RunPlan& run, const RunArguments& arguments) {
    run.ports = port_model_of(arguments.ports);
    run.ports_name = arguments.ports;
    run.tau = arguments.tau;
    run.tc = arguments.tc;
    if (!(run.tau >= 0 && run.tau <= kUnitsMax))
        refuse("--tau {}: allowed: 0 to {}", run.tau, kUnitsMax);
    if (!(run.tc >= 0 && run.tc <= kUnitsMax))
        refuse("--tc {}: allowed: 0 to {}", run.tc, kUnitsMax);
    run.timeout_s = arguments.timeout_s;
    if (!(run.timeout_s > 0 && run.timeout_s <= 1e6))
        refuse("--timeout {}: allowed: seconds above 0", run.timeout_s);
    run.limit_s = arguments.limit_s;
    if (!(run.limit_s >= 0 && run.limit_s <= 1e9))
        refuse("--limit {}: allowed: seconds, or 0 for no limit", run.limit_s);
}

void check_files(const RunPlan& run) {
    if (!run.log.empty())
        check_new_folder(run.log, "--log");
    if (!run.output.empty())
        check_writable(run.output, "--output");
    if (!run.report.empty() && run.report != kStandardOutput)
        check_writable(run.report, "--report");
    if (!run.capture.empty() && run.capture != kStandardOutput)
        check_writable(run.capture, "--capture");
}

void plan_capture(RunPlan& run, const RunArguments& arguments) {
    constexpr auto kLeast = static_cast<std::int64_t>(kCaptureBytesMin);
    run.capture = arguments.capture;
    run.capture_bytes = wire::kFrameBytesMax;
    if (run.capture == kStandardOutput && run.report == kStandardOutput)
        refuse("--capture - and --report -: one of them can be standard output");
    if (run.capture == kStandardOutput && run.wants_page())
        refuse("--capture - and --report {}: a page needs a capture that can be read again; give "
               "--capture FILE, or none",
               run.report);
    if (!arguments.capture_bytes)
        return;
    if (run.capture.empty())
        refuse("--capture-bytes goes with --capture FILE");
    if (*arguments.capture_bytes < kLeast)
        refuse("--capture-bytes {}: allowed: {} or more", *arguments.capture_bytes, kLeast);
    run.capture_bytes = static_cast<std::size_t>(*arguments.capture_bytes);
}

/// The network that --dim says, or the least one with a node for each of --ranks.
Network planned_network(const RunArguments& arguments) {
    if (arguments.dim)
        return network_of(arguments.topology, *arguments.dim);
    if (!arguments.ranks)
        refuse("--dim is required, or --ranks for a program with a main(); see mesh run --help");
    return least_network(arguments.topology, *arguments.ranks);
}

/// The part of the plan that does not depend on the op.
RunPlan plan_shared(const RunArguments& arguments, const std::string& command) {
    if (!arguments.alone && arguments.input == "-")
        refuse("--input -: standard input is read once; give several runs a file");
    RunPlan run;
    run.command = command;
    run.engine = arguments.engine;
    run.rig.uplink = arguments.uplink;
    run.rig.network = planned_network(arguments);
    run.root = node_of(run.network(), arguments.root, "--root");
    run.seed = arguments.seed;
    run.output = arguments.output;
    run.report = arguments.report;
    run.log = arguments.log;
    run.raw = arguments.raw;
    run.expect = arguments.expect;
    if (!run.expect.empty())
        run.expected = ConsoleText::read(run.expect);
    run.live = arguments.live;
    run.quiet = arguments.quiet;
    if (run.live && isatty(STDERR_FILENO) == 0)
        refuse("--live: needs a terminal as standard error");
    plan_host_cable(run, arguments);
    plan_board(run, arguments);
    plan_capture(run, arguments);
    plan_times(run, arguments);
    return run;
}

void plan_order(RunPlan& run, const RunArguments& arguments) {
    if (arguments.order.empty())
        return;
    if (run.engine != "sim")
        refuse("--order: goes with --engine sim; cables of an emulator have the order that comes");
    run.rig.order = order_of(arguments.order);
    if (!run.rig.order)
        refuse("--order '{}': allowed: the numbers of choices in ascending order, as 12,40; none; "
               "drawn:N",
               arguments.order);
    run.rig.order->seed = run.seed;
}

void plan_lockstep(Operation& op, const RunArguments& arguments) {
    const bool simulated = op.run().engine == "sim";
    if (arguments.free && simulated)
        refuse("--free goes with --engine qemu only; the simulation is always in lockstep");
    op.run().rig.lockstep = simulated || arguments.lockstep ||
                            (!arguments.free && !op.run().rig.one_cable && op.contends());
}

} // namespace

std::unique_ptr<Operation> plan_run(const RunArguments& arguments, const std::string& command) {
    const OpKind& kind = kind_of(arguments);
    RunPlan shared = plan_shared(arguments, command);
    shared.workspace_bytes = workspace_for(kind, shared, arguments);
    std::unique_ptr<Operation> op = kind.plan(kind, std::move(shared), arguments);
    RunPlan& run = op->run();
    check_files(run);
    if (!arguments.junit.empty())
        check_writable(arguments.junit, "--junit");
    for (const std::int64_t node : arguments.gdb)
        run.rig.gdb.push_back(node_of(run.network(), node, "--gdb"));
    run.rig.faults = plan_faults(parse_faults(arguments.faults, run.network()), run.network(),
                                 run.root, op->expected_packets(), run.seed);
    plan_order(run, arguments);
    plan_rig(*op, arguments);
    plan_lockstep(*op, arguments);
    check_host_cable(run, arguments);
    return op;
}

} // namespace mesh::host
