#include "plan.hpp"

#include "fault_plan.hpp"
#include "host-tools/mesh/capture/capture.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/rig/naming.hpp"
#include "plan_host_cable.hpp"
#include "plan_programs.hpp"
#include "plan_rig.hpp"

#include <optional>
#include <unistd.h>
#include <utility>

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

/// The part of the plan that does not depend on the op: network and board.
RunPlan plan_shared(const RunArguments& arguments, const std::string& command) {
    if (!arguments.alone && arguments.data.input == "-")
        refuse("--input -: standard input is read once; give several runs a file");
    RunPlan run(arguments, command);
    run.rig.network = network_of(arguments.rig.topology, arguments.rig.dim);
    run.root = node_of(run.network(), arguments.work.root, "--root");
    if (!run.results.expect.empty())
        run.expected = ConsoleText::read(run.results.expect);
    check_rig(run.rig.options);
    run.rig.one_cable = plan_host_cable(run);
    run.rig.board = plan_board(run.rig);
    check_results(run.results);
    run.ports = port_model_of(run.model.ports);
    check_model(run.model);
    run.capture_bytes = static_cast<std::size_t>(
        run.results.capture_bytes.value_or(static_cast<std::int64_t>(wire::kFrameBytesMax)));
    return run;
}

std::optional<OrderPlan> plan_order(const RigPlan& rig, const ModelOptions& model) {
    if (model.order.empty())
        return std::nullopt;
    if (!rig.simulated())
        refuse("--order: goes with --engine sim; cables of an emulator have the order that comes");
    std::optional<OrderPlan> order = order_of(model.order);
    if (!order)
        refuse("--order '{}': allowed: the numbers of choices in ascending order, as 12,40; none; "
               "drawn:N",
               model.order);
    order->seed = model.seed;
    return order;
}

bool plan_lockstep(const Operation& op) {
    const RunPlan& run = op.run();
    if (run.model.free && run.rig.simulated())
        refuse("--free goes with --engine qemu only; the simulation is always in lockstep");
    return run.rig.simulated() || run.model.lockstep ||
           (!run.model.free && !run.rig.one_cable && op.contends());
}

} // namespace

std::unique_ptr<Operation> plan_run(const RunArguments& arguments, const std::string& command) {
    const OpKind& kind = kind_of(arguments);
    RunPlan shared = plan_shared(arguments, command);
    shared.workspace_bytes = workspace_for(kind, shared);
    std::unique_ptr<Operation> op = kind.plan(kind, std::move(shared));
    RunPlan& run = op->run();
    check_files(run);
    for (const std::int64_t node : run.rig.options.gdb)
        run.rig.gdb.push_back(node_of(run.network(), node, "--gdb"));
    run.rig.faults = plan_faults(parse_faults(run.results.faults, run.network()), run.network(),
                                 run.root, op->expected_packets(), run.model.seed);
    run.rig.order = plan_order(run.rig, run.model);
    plan_rig(*op);
    run.rig.lockstep = plan_lockstep(*op);
    check_host_cable(run);
    return op;
}

} // namespace mesh::host
