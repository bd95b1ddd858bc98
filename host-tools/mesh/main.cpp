// mesh: parse, plan, boot, check, load, run, collect, report.
#include "host-tools/mesh/commands/command_line.hpp"
#include "host-tools/mesh/commands/command_words.hpp"
#include "host-tools/mesh/commands/rank_run.hpp"
#include "host-tools/mesh/commands/run_command.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/promise.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/signals.hpp"
#include "host-tools/mesh/reports/junit.hpp"
#include "host-tools/mesh/series/orders.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace mesh::host {

namespace {

constexpr int kFailed = 1;
constexpr int kBadArgument = 2;

/// Runs each command, and returns its exit status.
struct Commands {
    const std::string& again; // the command line, to be given once more

    int operator()(const RunArguments& arguments) const { return run_command(arguments, again); }
    int operator()(const SeriesArguments& arguments) const {
        run_apart_by_shards(arguments.shard);
        const auto run_once = [](RunArguments one) { return run_command(std::move(one), {}) == 0; };
        const bool good =
            arguments.orders.empty() ? run_series(arguments) : run_orders(arguments, run_once);
        return good ? 0 : kFailed;
    }
    int operator()(const MatrixArguments& arguments) const {
        run_apart_by_shards(arguments.shard);
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
    int operator()(const DebugArguments& arguments) const { return run_debug(arguments); }
    int operator()(const DoctorArguments& arguments) const {
        return run_doctor(arguments) ? 0 : kFailed;
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

/// The line of a command that has failed, or what a compiler has said.
void tell(const UsageError& error) {
    if (error.said.empty())
        say("mesh: {}\n", cleaned(error.what()));
    else
        say("{}", error.said);
}

} // namespace

} // namespace mesh::host

int main(int count, char** words) {
    using namespace mesh::host;
    const std::span<const char* const> all(words, static_cast<std::size_t>(count));
    keep_standard_files();
    try {
        const std::string again = command_again(count, words);
        return checked(std::visit(Commands{again}, parse_command_line(count, words)));
    } catch (const UsageError& error) {
        if (another_rank_speaks())
            return kBadArgument;
        leave_junit(all, error.what(), name_of(error.about), error.said);
        tell(error);
        return kBadArgument;
    } catch (const Interrupted& interrupted) {
        leave_junit(all, fmt::format("ended by signal {}", interrupted.signal), kOfSignal, {});
        say("mesh: ended by signal {}\n", interrupted.signal);
        return kSignalBase + interrupted.signal;
    } catch (const BrokenPromise& broken) {
        say("mesh: this is a bug of mesh, not of yours: {}; please report it with the command: "
            "{}\n",
            broken.what(), command_again(count, words));
        return kFailed;
    } catch (const std::exception& error) {
        leave_junit(all, error.what(), kOfRun, {});
        say("mesh: {}\n", cleaned(error.what()));
        return kFailed;
    }
}
