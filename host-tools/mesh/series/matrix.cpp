#include "matrix.hpp"

#include "crew.hpp"
#include "host-tools/mesh/common/cores.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/memory.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/options/run_rows.hpp"
#include "host-tools/mesh/plan/plan.hpp"
#include "tally.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

/// The runs of a file, from the first that waits to the last that ends.
class Matrix {
public:
    Matrix(const MatrixArguments& arguments, std::vector<MatrixCase> cases, Tally& tally)
        : arguments_(arguments),
          cases_(std::move(cases)),
          tally_(tally),
          jobs_max_(arguments.jobs.value_or(cores())),
          kbyte_max_(arguments.memory_mbyte ? *arguments.memory_mbyte * 1024 : available_kbyte()) {}

    void run() {
        try {
            for (std::size_t place = 0; place < cases_.size(); ++place)
                start(place);
            while (!crew_.idle())
                finish(crew_.wait());
        } catch (const Interrupted& interrupted) {
            for (CaseResult& result : crew_.end_all(interrupted.signal))
                finish(std::move(result));
            throw;
        }
    }

private:
    void start(std::size_t place);
    void finish(CaseResult result);
    Case planned(std::size_t place) const;
    bool fits(const Case& work) const {
        return crew_.idle() || (crew_.jobs() + work.jobs <= jobs_max_ &&
                                crew_.memory_kbyte() + work.memory_kbyte <= kbyte_max_);
    }

    const MatrixArguments& arguments_;
    std::vector<MatrixCase> cases_;
    Tally& tally_;
    unsigned jobs_max_;
    std::uint64_t kbyte_max_;
    Crew crew_;
};

/// The budget that was given holds for each run too.
std::vector<std::string> words_of(const MatrixArguments& arguments, const MatrixCase& made) {
    std::vector<std::string> words{arguments.program, "run"};
    if (arguments.memory_mbyte)
        words.push_back(fmt::format("--memory={}", *arguments.memory_mbyte));
    words.insert(words.end(), made.options.begin(), made.options.end());
    return words;
}

/// The case with the jobs and the memory that it takes, as the run by itself would plan.
/// UsageError.
Case Matrix::planned(std::size_t place) const {
    Case work{cases_[place].name, words_of(arguments_, cases_[place]), 0, 1, place};
    RunArguments arguments = parse_run(work.words);
    arguments.alone = false;
    const auto op = plan_run(arguments, {});
    const RunPlan& run = op->run();
    work.memory_kbyte = run.rig.memory_kbyte;
    if (!run.rig.simulated())
        work.jobs = std::min(run.nodes(), jobs_max_);
    return work;
}

void Matrix::start(std::size_t place) {
    try {
        Case work = planned(place);
        while (!fits(work))
            finish(crew_.wait());
        crew_.start(std::move(work));
    } catch (const UsageError& error) {
        CaseResult result;
        result.work = {cases_[place].name, words_of(arguments_, cases_[place]), 0, 1, place};
        result.verdict = CaseVerdict::refused;
        result.reason = error.what();
        result.repeat = shell_line(result.work.words);
        finish(std::move(result));
    }
}

void Matrix::finish(CaseResult result) {
    const MatrixCase& made = cases_[result.work.place];
    if (result.verdict == CaseVerdict::refused && !made.allow_refused)
        result.verdict = CaseVerdict::failed;
    if (result.verdict == CaseVerdict::verified) {
        result.reason = result.report ? wrong_steps(made, *result.report) : "has left no report";
        if (!result.reason.empty())
            result.verdict = CaseVerdict::failed;
    }
    tally_.add(std::move(result));
}

void check(const MatrixArguments& arguments) {
    if (arguments.jobs == 0u)
        refuse("--jobs 0: allowed: 1 or more");
    Tally::check(arguments.report, arguments.junit);
}

/// The name that all shards of a matrix have in common: the number of its runs, and a checksum over
/// their descriptions in its file.
std::string job_of(const std::vector<MatrixCase>& cases) {
    std::string text;
    for (const MatrixCase& made : cases)
        text += fmt::format(
            "{} {} {} {} {}\n", made.name, shell_line(made.options), made.expects_formula,
            made.expected_steps ? fmt::format("{}", *made.expected_steps) : std::string(),
            made.allow_refused);
    return fmt::format("{} runs, check sum {:08x}", cases.size(),
                       check_crc32(std::as_bytes(std::span(text))));
}

} // namespace

std::string describe_matrix_keys() {
    std::string text = "Keys of a section, each a value or a list of values:\n";
    for (const MatrixKey& key : matrix_keys())
        text += in_columns(fmt::format("  {}", key.name), std::string(key.phrase));
    return text +
           "Keys before the first section hold for all of them. seed = \"1..5\" is five runs.\n";
}

std::string wrong_steps(const MatrixCase& made, const nlohmann::ordered_json& report) {
    const auto steps = report.value("steps", std::uint64_t{0});
    if (made.expected_steps && steps != *made.expected_steps)
        return fmt::format("{} steps, not {}", steps, *made.expected_steps);
    if (!made.expects_formula)
        return {};
    if (report["formula"].is_null())
        return "expect-steps = \"formula\": there is no formula for this run";
    const auto formula = report.value("formula_steps", std::uint64_t{0});
    if (steps == formula)
        return {};
    return fmt::format("{} steps, not {} = {}", steps, report.value("formula", ""), formula);
}

bool run_matrix(const MatrixArguments& arguments) {
    check(arguments);
    const Shard shard = shard_given(arguments.shard);
    std::vector<MatrixCase> all = read_matrix(arguments.file);
    check_shard(shard, all.size());
    const std::string job = job_of(all);
    std::vector<MatrixCase> cases;
    for (std::size_t place = 0; place < all.size(); ++place)
        if (shard.takes(place))
            cases.push_back(std::move(all[place]));
    std::size_t width = 0;
    for (const MatrixCase& made : cases)
        width = std::max(width, made.name.size());
    Tally tally(width, !arguments.report.empty());
    tally.set_shard(shard, job);
    try {
        Matrix(arguments, std::move(cases), tally).run();
    } catch (...) {
        tally.print_totals();
        tally.write(arguments.report, arguments.junit, arguments.file);
        throw;
    }
    tally.print_totals();
    tally.write(arguments.report, arguments.junit, arguments.file);
    return tally.good();
}

} // namespace mesh::host
