#include "run_command.hpp"

#include "dry_run.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/ops/expected_steps.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/options/run_rows.hpp"
#include "host-tools/mesh/reports/junit.hpp"
#include "host-tools/mesh/reports/report.hpp"
#include "host-tools/mesh/reports/run_capture.hpp"
#include "host-tools/mesh/run/progress.hpp"
#include "host-tools/mesh/run/run.hpp"
#include "rank_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace mesh::host {

namespace {

constexpr int kFailed = 1;

/// How a run ended, and why it failed if it did.
struct Ending {
    int status = 0;
    Failure failure;

    /// One more reason, behind those that are known.
    void fail(std::string reason) {
        status = kFailed;
        failure.reasons.push_back(std::move(reason));
    }
};

std::unique_ptr<Engine> make_engine(const RunPlan& plan) {
    if (plan.rig.serial())
        return make_serial_engine(plan.rig);
    return plan.rig.simulated() ? make_simulation(plan.rig) : make_qemu_engine(plan.rig);
}

/// One line for a run of one's own program that was right, if it waited for times where those hang
/// on the machine.
void tell_of_times(const RunPlan& plan) {
    if (plan.rig.simulated() || plan.rig.lockstep || plan.rig.options.quiet)
        return;
    for (const RigProgram& program : plan.rig.programs)
        if (program.waits_for_times)
            fmt::print(stderr,
                       "mesh: {} waits for times: where nodes run free they are times of a busy "
                       "machine, with --lockstep model time\n",
                       program.name);
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// One whole run of a command that came so many seconds ago; the engine and its nodes are gone when
/// it returns.
Ending run_once(const Operation& op, double found_s) {
    const auto begin = std::chrono::steady_clock::now();
    const RunPlan& plan = op.run();
    RunCapture capture(op);
    const std::unique_ptr<Engine> engine = make_engine(plan);
    capture.listen(engine->loom());
    Progress progress(plan.rig.options.quiet);
    RunResult result = Run(*engine, op, progress).execute();
    engine->end_nodes();
    progress.clear();
    result.clock.ended_s = seconds_since(begin) - result.clock.whole_s();
    result.clock.found_s = found_s;

    const Summary summary = summarize(op, result, engine->loom());
    const LoomCounts& loom = engine->loom().counts();
    if (!op.is_app() && result.cut_short.empty())
        fmt::print(plan.results.report == kStandardOutput ? stderr : stdout, "{}",
                   table_of(op, result, summary, loom));
    std::fflush(stdout); // before the words for a failure
    Ending ending;
    if (!result.cut_short.empty() || !summary.good())
        for (std::string& reason : describe_failure(result, summary))
            ending.fail(std::move(reason));
    if (ending.failure.empty())
        if (std::string steps =
                wrong_steps(plan.results.expect_steps, summary.steps, summary.formula);
            !steps.empty())
            ending.fail(std::move(steps));
    if (!plan.results.expect.empty())
        ending.failure.console = result.console.difference_to(plan.expected, plan.results.expect);
    if (ending.failure.console)
        ending.status = kFailed;
    const auto leave_behind = [&ending](auto write) {
        try {
            write();
        } catch (const RunError& error) {
            ending.fail(error.what());
        }
    };
    leave_behind([&] {
        if (summary.good() && !plan.data.output.empty())
            write_whole(plan.data.output,
                        summary.output ? ByteSpans{*summary.output} : result.output.spans(),
                        "--output");
    });
    if (capture)
        leave_behind([&] { capture.finish(results_as_json(op, result, summary, loom)); });
    leave_behind([&] { write_report(op, result, summary, loom, ending.failure); });
    if (op.is_app() && ending.failure.empty())
        tell_of_times(plan);
    if (result.signal != 0)
        ending.status = kSignalBase + result.signal;
    return ending;
}

} // namespace

int run_command(RunArguments arguments, const std::string& command) {
    const std::unique_ptr<Uplink> uplink = join_for(arguments);
    if (uplink && uplink->rank() != 0) {
        serve(*uplink, arguments, command);
        return 0;
    }
    arguments.uplink = uplink.get();
    if (!arguments.alone)
        arguments.begun = std::chrono::steady_clock::now();
    const std::unique_ptr<Operation> op = plan_run(arguments, command);
    if (arguments.rig.dry_run) {
        dry_run(*op);
        return 0;
    }
    if (uplink)
        await_ranks(*uplink, op->run().rig);
    const auto begin = std::chrono::steady_clock::now();
    Ending ending;
    try {
        ending = run_once(*op, seconds_since(arguments.begun));
    } catch (const RunError& error) {
        ending.fail(error.what());
    }
    if (ending.status != 0)
        say("mesh: {}; repeat{}: {}\n", ending.failure.words(),
            arguments.data.input == "-" ? ", with the same standard input" : "", command);
    if (!arguments.results.junit.empty()) {
        CaseResult result;
        result.work.name = fmt::format("seed {}", arguments.model.seed);
        result.work.title = fmt::format("{} {}", arguments.title, result.work.name);
        result.work.group = group_of(arguments);
        if (ending.status >= kSignalBase)
            result.kind = kOfSignal;
        result.verdict = ending.status == 0 ? CaseVerdict::verified : CaseVerdict::failed;
        result.reason = ending.failure.words();
        result.repeat = command;
        result.seconds = seconds_since(begin);
        write_junit(arguments.results.junit, "mesh run", std::span(&result, 1), result.seconds);
    }
    return ending.status;
}

} // namespace mesh::host
