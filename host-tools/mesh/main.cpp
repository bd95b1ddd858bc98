// mesh: parse, plan, boot, check, load, run, collect, report.
#include "host-tools/mesh/commands/command_words.hpp"
#include "host-tools/mesh/commands/dry_run.hpp"
#include "host-tools/mesh/commands/options.hpp"
#include "host-tools/mesh/commands/orders.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/reports/junit.hpp"
#include "host-tools/mesh/reports/report.hpp"
#include "host-tools/mesh/reports/run_capture.hpp"
#include "host-tools/mesh/run/progress.hpp"
#include "host-tools/mesh/run/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace mesh::host {

namespace {

constexpr int kFailed = 1;
constexpr int kBadArgument = 2;

/// How a run ended, and why it failed if it did.
struct Ending {
    int status = 0;
    std::string failure;

    /// One more reason, behind those that are known.
    void fail(std::string_view reason) {
        status = kFailed;
        failure += fmt::format("{}{}", failure.empty() ? "" : "; ", reason);
    }
};

std::unique_ptr<Engine> make_engine(const RunPlan& plan) {
    if (!plan.rig.serial.empty())
        return make_serial_engine(plan.rig);
    return plan.engine == "sim" ? make_simulation(plan.rig) : make_qemu_engine(plan.rig);
}

/// One line for a run of one's own program that was right, if it waited for times where those hang
/// on the machine.
void tell_of_times(const RunPlan& plan) {
    if (plan.engine == "sim" || plan.rig.lockstep || plan.quiet)
        return;
    for (const RigProgram& program : plan.rig.programs)
        if (program.waits_for_times)
            fmt::print(stderr,
                       "mesh: {} waits for times: where nodes run free they are times of a busy "
                       "machine, with --lockstep model time\n",
                       program.name);
}

/// One whole run; the engine and its nodes are gone when it returns.
Ending run_command(const Operation& op) {
    const RunPlan& plan = op.run();
    RunCapture capture(op);
    const std::unique_ptr<Engine> engine = make_engine(plan);
    capture.listen(engine->loom());
    Progress progress(plan.quiet);
    const RunResult result = Run(*engine, op, progress).execute();
    progress.clear();

    const Summary summary = summarize(op, result, engine->loom());
    const LoomCounts& loom = engine->loom().counts();
    if (!op.is_app() && result.cut_short.empty())
        fmt::print(plan.report == kStandardOutput ? stderr : stdout, "{}",
                   table_of(op, result, summary, loom));
    std::fflush(stdout); // before the words for a failure
    Ending ending;
    if (!result.cut_short.empty() || !summary.good())
        ending.fail(describe_failure(result, summary));
    if (!plan.expect.empty())
        if (const std::string other = result.console.difference_to(plan.expected, plan.expect);
            !other.empty())
            ending.fail(other);
    const auto leave_behind = [&ending](auto write) {
        try {
            write();
        } catch (const RunError& error) {
            ending.fail(error.what());
        }
    };
    leave_behind([&] {
        if (summary.good() && !plan.output.empty())
            write_whole(plan.output,
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

int run_or_explain(const RunArguments& arguments, const std::string& command) {
    const std::unique_ptr<Operation> op = plan_run(arguments, command);
    if (arguments.dry_run) {
        dry_run(*op);
        return 0;
    }
    const auto begin = std::chrono::steady_clock::now();
    Ending ending;
    try {
        ending = run_command(*op);
    } catch (const RunError& error) {
        ending.fail(error.what());
    }
    if (ending.status != 0)
        say("mesh: {}; repeat{}: {}\n", ending.failure,
            arguments.input == "-" ? ", with the same standard input" : "", command);
    if (!arguments.junit.empty()) {
        CaseResult result;
        result.work.name = fmt::format("seed {}", arguments.seed);
        result.verdict = ending.status == 0 ? CaseVerdict::verified : CaseVerdict::failed;
        result.reason = ending.failure;
        result.repeat = command;
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        write_junit(arguments.junit, "mesh run", std::span(&result, 1), result.seconds);
    }
    return ending.status;
}

/// Runs each command, and returns its exit status.
struct Commands {
    const std::string& again; // the command line, to be given once more

    int operator()(const RunArguments& arguments) const { return run_or_explain(arguments, again); }
    int operator()(const SeriesArguments& arguments) const {
        return (arguments.orders.empty() ? run_series : run_orders)(arguments) ? 0 : kFailed;
    }
    int operator()(const MatrixArguments& arguments) const {
        return run_matrix(arguments) ? 0 : kFailed;
    }
    int operator()(const MergeArguments& arguments) const {
        return run_merge(arguments) ? 0 : kFailed;
    }
    int operator()(const BuildArguments& arguments) const { return done(build_command, arguments); }
    int operator()(const NewArguments& arguments) const { return done(new_command, arguments); }
    int operator()(const TreeArguments& arguments) const { return done(tree_command, arguments); }
    int operator()(const EmbedArguments& arguments) const { return done(embed_command, arguments); }
    int operator()(const ListArguments& arguments) const { return done(list_command, arguments); }
    int operator()(const ViewArguments& arguments) const { return done(view_command, arguments); }
    int operator()(const LabArguments& arguments) const { return done(lab_command, arguments); }
    int operator()(const GradeArguments& arguments) const {
        return run_grade(arguments) ? 0 : kFailed;
    }
    int operator()(const HelpText& help) const {
        fmt::print("{}", help.text);
        return 0;
    }

private:
    template <class Arguments>
    static int done(void (*command)(const Arguments&), const Arguments& arguments) {
        command(arguments);
        return 0;
    }
};

/// The exit status, if all that was printed has arrived. RunError.
int checked(int status) {
    const bool flushed = std::fflush(stdout) == 0;
    if (!flushed || std::ferror(stdout) != 0)
        throw RunError("standard output: cannot be written");
    return status;
}

} // namespace

} // namespace mesh::host

int main(int count, char** words) {
    using namespace mesh::host;
    keep_standard_files();
    try {
        const std::string again = command_again(count, words);
        return checked(std::visit(Commands{again}, parse_command_line(count, words)));
    } catch (const Explained&) {
        return kBadArgument;
    } catch (const UsageError& error) {
        say("mesh: {}\n", error.what());
        return kBadArgument;
    } catch (const Interrupted& interrupted) {
        say("mesh: ended by signal {}\n", interrupted.signal);
        return kSignalBase + interrupted.signal;
    } catch (const BrokenPromise& broken) {
        say("mesh: this is a bug of mesh, not of yours: {}; please report it with the command: "
            "{}\n",
            broken.what(), command_again(count, words));
        return kFailed;
    } catch (const std::exception& error) {
        say("mesh: {}\n", error.what());
        return kFailed;
    }
}
