#include "matrix.hpp"

#include "crew.hpp"
#include "failed_before.hpp"
#include "host-tools/mesh/common/clean_text.hpp"
#include "host-tools/mesh/common/cores.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/list_format.hpp"
#include "host-tools/mesh/common/memory.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/shell_words.hpp"
#include "host-tools/mesh/common/wrap.hpp"
#include "host-tools/mesh/ops/operation.hpp"
#include "host-tools/mesh/options/run_rows.hpp"
#include "host-tools/mesh/plan/plan.hpp"
#include "tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

/// The name of the file, without what is not the same on every machine.
std::string suite_of(const std::string& file) {
    return std::filesystem::path(file).stem().string();
}

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
            for (std::size_t place = 0; place < cases_.size(); ++place) {
                crew_.check();
                plan(place);
            }
            for (Case& work : planned_)
                start(std::move(work));
            while (!crew_.idle())
                finish(crew_.wait());
        } catch (const Interrupted& interrupted) {
            for (CaseResult& result : crew_.end_all(interrupted.signal))
                finish(std::move(result));
            throw;
        }
    }

private:
    void plan(std::size_t place);
    void start(Case work);
    void finish(CaseResult result);
    bool fits(const Case& work) const {
        return crew_.idle() || (crew_.jobs() + work.jobs <= jobs_max_ &&
                                crew_.memory_kbyte() + work.memory_kbyte <= kbyte_max_);
    }

    const MatrixArguments& arguments_;
    std::vector<MatrixCase> cases_;
    std::vector<Case> planned_;
    std::set<std::string> told_; // words of compilers
    Tally& tally_;
    unsigned jobs_max_;
    std::uint64_t kbyte_max_;
    Crew crew_;
};

/// A name for the folder of a run.
std::string folder_name(std::string_view name, std::size_t place) {
    constexpr std::size_t kNameMax = 200;
    std::string folder(name.substr(0, kNameMax));
    std::ranges::replace(folder, '/', '_');
    if (folder != name || folder.starts_with('.'))
        folder = fmt::format("{} {}", place + 1, folder);
    return folder;
}

/// The command line of a case. The budget that was given holds for each run too.
std::vector<std::string> words_of(const MatrixArguments& arguments, const MatrixCase& made) {
    std::vector<std::string> words{arguments.program, "run"};
    if (arguments.memory_mbyte)
        words.push_back(fmt::format("--memory={}", *arguments.memory_mbyte));
    if (!made.expect_steps.empty())
        words.push_back("--expect-steps=" + made.expect_steps);
    words.insert(words.end(), made.options.begin(), made.options.end());
    return words;
}

/// Plans the case, for the jobs and the memory that it takes, as the run by itself would.
void Matrix::plan(std::size_t place) {
    const MatrixCase& made = cases_[place];
    Case work{made.name, words_of(arguments_, made), 0, 1, place};
    work.group = fmt::format("{}.{}", suite_of(arguments_.file), made.section);
    try {
        RunArguments arguments = parse_run(work.words);
        arguments.alone = false;
        const auto op = plan_run(arguments, {});
        const RunPlan& run = op->run();
        work.memory_kbyte = run.rig.memory_kbyte;
        if (!run.rig.simulated())
            work.jobs = std::min(run.nodes(), jobs_max_);
        planned_.push_back(std::move(work));
    } catch (const UsageError& error) {
        CaseResult result;
        result.verdict = error.about == kCombination && made.allow_refused ? CaseVerdict::refused
                                                                           : CaseVerdict::failed;
        result.kind = name_of(error.about);
        result.reason = cleaned(error.what());
        result.said = error.said;
        result.repeat = shell_line(work.words);
        result.work = std::move(work);
        if (told_.insert(error.said).second)
            say("{}", error.said);
        tally_.add(std::move(result));
    }
}

void Matrix::start(Case work) {
    while (!fits(work))
        finish(crew_.wait());
    if (!arguments_.log.empty())
        work.log = fmt::format("{}/{}", arguments_.log, folder_name(work.name, work.place));
    crew_.start(std::move(work));
}

void Matrix::finish(CaseResult result) {
    if (result.verdict == CaseVerdict::refused) // though its plan was not
        result.verdict = CaseVerdict::failed;
    if (result.verdict == CaseVerdict::verified && !result.report) {
        result.reason = "has left no report";
        result.verdict = CaseVerdict::failed;
    }
    tally_.add(std::move(result));
}

/// The runs that were asked for. Only of those that have failed the last time there may be none.
std::vector<MatrixCase> chosen(const MatrixArguments& arguments, std::vector<MatrixCase> cases) {
    const auto has = [](const MatrixCase& made, const std::string& word) {
        return made.name.find(word) != std::string::npos;
    };
    for (const std::string& word : arguments.only)
        if (std::ranges::none_of(cases, [&](const auto& made) { return has(made, word); }))
            refuse("--only '{}': no run has this in its name; mesh matrix {} --list has all names",
                   word, shell_word(arguments.file));
    if (!arguments.only.empty())
        std::erase_if(cases, [&](const MatrixCase& made) {
            return std::ranges::none_of(arguments.only,
                                        [&](const auto& word) { return has(made, word); });
        });
    if (arguments.rerun_failed) {
        const std::set<std::string> failed = failed_before(arguments.file);
        std::erase_if(cases, [&](const auto& made) { return !failed.contains(made.name); });
    }
    return cases;
}

void check(const MatrixArguments& arguments) {
    if (arguments.jobs == 0u)
        refuse("--jobs 0: allowed: 1 or more");
    if (!arguments.log.empty())
        check_new_folder(arguments.log, "--log");
    Tally::check(arguments.report, arguments.junit);
}

/// The name that all shards of a matrix have in common: the number of its runs, and a checksum over
/// their descriptions in its file.
std::string job_of(const std::vector<MatrixCase>& cases) {
    std::string text;
    for (const MatrixCase& made : cases)
        text += fmt::format("{} {} {} {}\n", made.name, shell_line(made.options), made.expect_steps,
                            made.allow_refused);
    return fmt::format("{} runs, check sum {:08x}", cases.size(),
                       check_crc32(std::as_bytes(std::span(text))));
}

void print_names(const std::vector<MatrixCase>& cases, bool json) {
    std::vector<std::vector<std::string>> rows;
    for (const MatrixCase& made : cases)
        rows.push_back({made.name});
    if (json)
        return print_json(std::array<std::string_view, 1>{"name"}, rows);
    for (const std::vector<std::string>& row : rows)
        fmt::print("{}\n", row.front());
}

} // namespace

std::string describe_matrix_keys() {
    std::string text = "Keys of a section, each a value or a list of values:\n";
    for (const MatrixKey& key : matrix_keys())
        text += in_columns(fmt::format("  {}", key.name), std::string(key.phrase));
    return text +
           "Keys before the first section hold for all of them. seed = \"1..5\" is five runs.\n";
}

bool run_matrix(const MatrixArguments& arguments) {
    check(arguments);
    const Shard shard = shard_given(arguments.shard);
    std::vector<MatrixCase> all = chosen(arguments, read_matrix(arguments.file));
    if (arguments.list) {
        print_names(all, is_json(arguments.format));
        return true;
    }
    if (all.empty()) {
        fmt::print("0 runs: none has failed the last time\n");
        return true;
    }
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
    const auto write = [&] {
        tally.print_totals();
        keep_failed(arguments.file, tally.results());
        tally.write(arguments.report, arguments.junit, suite_of(arguments.file));
    };
    try {
        Matrix(arguments, std::move(cases), tally).run();
    } catch (...) {
        write();
        throw;
    }
    write();
    return tally.good();
}

} // namespace mesh::host
