#include "series.hpp"

#include "crew.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/options/run_rows.hpp"
#include "host-tools/mesh/plan/plan.hpp"
#include "tally.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

constexpr std::size_t kNameWidth = 12;
constexpr std::string_view kSuite = "mesh run";
constexpr auto kEndless = std::numeric_limits<std::uint64_t>::max();

/// The number of runs, of all shards; as many as there are numbers if no number was given.
std::uint64_t runs_of(const SeriesArguments& arguments) {
    const std::uint64_t rounds = arguments.repeat.value_or(arguments.ranged ? 1 : kEndless);
    const std::uint64_t more = arguments.ranged ? arguments.seeds.last - arguments.seeds.first : 0;
    return more < kEndless / rounds ? rounds * (more + 1) : kEndless;
}

} // namespace

void check_series(const SeriesArguments& arguments) {
    for (const std::string& option : arguments.run.given)
        if (is_limited(option, kNotInSeries))
            refuse("{}: goes with one run, not with --repeat, --orders, --until-failure or a range "
                   "of seeds",
                   option);
    if (arguments.run.results.wants_page())
        refuse("--report '{}': a page shows one run; several have their report as JSON",
               arguments.run.results.report);
    if (arguments.repeat == 0)
        refuse("--repeat 0: allowed: 1 or more");
    const Shard shard = shard_given(arguments.shard);
    if (!arguments.shard.empty() && (!arguments.several() || !arguments.orders.empty()))
        refuse("--shard: goes with --seed A..B, --repeat and --until-failure, not with --orders or "
               "one run");
    check_shard(shard, runs_of(arguments));
    Tally::check(arguments.run.results.report, arguments.run.results.junit);
    RunArguments one = arguments.run;
    one.alone = false;
    const auto first = plan_run(one, {}); // refuses what any of them would
}

namespace {

/// The seeds of a series, in order.
class Seeds {
public:
    explicit Seeds(const SeriesArguments& arguments)
        : range_(arguments.seeds),
          next_(range_.first),
          left_(arguments.ranged ? rounds_of(arguments) : 1) {
        if (!arguments.ranged)
            range_.last = arguments.repeat ? range_.first + *arguments.repeat - 1 : kEndless;
    }

    std::optional<std::uint64_t> next() {
        if (left_ == 0)
            return std::nullopt;
        const std::uint64_t seed = next_;
        if (seed == range_.last)
            --left_;
        next_ = seed == range_.last ? range_.first : seed + 1;
        return seed;
    }

private:
    static std::uint64_t rounds_of(const SeriesArguments& arguments) {
        return arguments.repeat.value_or(1);
    }

    SeedRange range_;
    std::uint64_t next_;
    std::uint64_t left_; // times that the range is gone through
};

/// The name that all shards of a series have in common: each run's command line without the
/// program, whose place is not the same on every machine, and the seeds.
std::string job_of(const SeriesArguments& arguments) {
    const std::vector<std::string> words(arguments.words.begin() + 1, arguments.words.end());
    std::string job = shell_line(words);
    job += arguments.ranged
               ? fmt::format(" --seed {}..{}", arguments.seeds.first, arguments.seeds.last)
               : fmt::format(" --seed {}", arguments.seeds.first);
    if (arguments.repeat)
        job += fmt::format(" --repeat {}", *arguments.repeat);
    return job + (arguments.until_failure ? " --until-failure" : "");
}

} // namespace

bool run_series(const SeriesArguments& arguments) {
    check_series(arguments);
    Tally tally(kNameWidth, !arguments.run.results.report.empty());
    const Shard shard = shard_given(arguments.shard);
    tally.set_shard(shard, job_of(arguments));
    tally.set_title(arguments.run.title, group_of(arguments.run));
    Crew crew;
    std::uint64_t place = 0;
    try {
        for (Seeds seeds(arguments); const auto seed = seeds.next();) {
            if (!shard.takes(place++))
                continue;
            tally.add(crew.run_next(fmt::format("seed {}", *seed), arguments.words,
                                    fmt::format("--seed={}", *seed)));
            if (arguments.until_failure && !tally.good())
                break;
        }
    } catch (const Interrupted& interrupted) {
        for (CaseResult& result : crew.end_all(interrupted.signal))
            tally.add(std::move(result));
        tally.print_totals();
        tally.write(arguments.run.results.report, arguments.run.results.junit, kSuite);
        throw;
    }
    tally.print_totals();
    tally.write(arguments.run.results.report, arguments.run.results.junit, kSuite);
    return tally.good();
}

} // namespace mesh::host
