// mesh: parse, plan, boot, check, load, run, collect, report.
#include "errors.hpp"
#include "ops/operation.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "run.hpp"
#include "signals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <memory>
#include <string>
#include <type_traits>

namespace mesh::host {

namespace {

constexpr int kFailed = 1;
constexpr int kBadArgument = 2;
constexpr int kSignalBase = 128;

void write_output(const RunPlan& plan, const Bytes& output) {
    if (plan.output.empty())
        return;
    std::ofstream file(plan.output, std::ios::binary);
    file.write(reinterpret_cast<const char*>(output.data()),
               static_cast<std::streamsize>(output.size()));
    if (!file.flush())
        throw RunError(fmt::format("--output '{}': cannot be written", plan.output));
}

/// One whole run; the engine and its nodes are gone when it returns.
int run_command(const Operation& op) {
    const RunPlan& plan = op.run();
    const std::unique_ptr<Engine> engine =
        plan.engine == "sim" ? make_simulation(plan.rig) : make_qemu_engine(plan.rig);
    Progress progress;
    const RunResult result = Run(*engine, op, progress).execute();
    progress.clear();

    const Summary summary = summarize(op, result, engine->loom());
    write_report(op, result, summary, engine->loom().counts());
    write_output(plan, summary.output);
    if (!op.is_app())
        print_table(op, result, summary, engine->loom().counts());
    if (summary.good())
        return 0;
    fmt::print(stderr, "mesh: {}; repeat: {}\n", describe_failure(result, summary), plan.command);
    return std::max(kFailed, static_cast<int>(summary.app_status));
}

int run_or_explain(const RunArguments& arguments, const std::string& command) {
    const std::unique_ptr<Operation> op = plan_run(arguments, command);
    try {
        return run_command(*op);
    } catch (const RunError& error) {
        fmt::print(stderr, "mesh: {}; repeat: {}\n", error.what(), command);
        return kFailed;
    }
}

int execute(const Command& command, const std::string& again) {
    return std::visit(
        [&](const auto& arguments) {
            using Arguments = std::decay_t<decltype(arguments)>;
            if constexpr (std::is_same_v<Arguments, RunArguments>) {
                return run_or_explain(arguments, again);
            } else if constexpr (std::is_same_v<Arguments, TreeArguments>) {
                tree_command(arguments);
                return 0;
            } else if constexpr (std::is_same_v<Arguments, EmbedArguments>) {
                embed_command(arguments);
                return 0;
            } else {
                fmt::print("{}", arguments.text);
                return 0;
            }
        },
        command);
}

} // namespace

} // namespace mesh::host

int main(int count, char** words) {
    using namespace mesh::host;
    try {
        return execute(parse_command_line(count, words), command_again(count, words));
    } catch (const UsageError& error) {
        fmt::print(stderr, "mesh: {}\n", error.what());
        return kBadArgument;
    } catch (const Interrupted& interrupted) {
        fmt::print(stderr, "mesh: ended by signal {}\n", interrupted.signal);
        return kSignalBase + interrupted.signal;
    } catch (const std::exception& error) {
        fmt::print(stderr, "mesh: {}\n", error.what());
        return kFailed;
    }
}
