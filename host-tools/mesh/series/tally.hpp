// The output of several runs: one line each, failed runs with the command that repeats them, the
// totals as the last line, and the same as JSON.
#pragma once

#include "crew.hpp"
#include "shard.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

class Tally {
public:
    /// `name_width` columns for the longest name; reports are kept only if they are to be written.
    Tally(std::size_t name_width, bool keep_reports);

    /// Refuses files that cannot be written. UsageError.
    static void check(const std::string& report, const std::string& junit);

    /// The runs are those of a shard of `job`, words that are the same for all its shards and
    /// differ between jobs whose runs differ; the report has both.
    void set_shard(const Shard& shard, std::string job) {
        shard_ = shard;
        job_ = std::move(job);
    }
    /// The words that tell these runs from others: before each name, and JUnit's class.
    void set_title(std::string title, std::string group) {
        title_ = std::move(title);
        group_ = std::move(group);
    }
    /// The runs have taken so many seconds, elsewhere.
    void took(double seconds) { seconds_ = seconds; }

    /// Prints the run's line, unless it is not `shown`. All that is told of the runs later has them
    /// in the order of their places, whichever ended first.
    void add(CaseResult result, bool shown = true);
    /// Prints the totals, and before them, if `with_failures`, the failed runs.
    void print_totals(bool with_failures = true) const;

    /// True if some are verified and none has failed. Refused runs have not.
    bool good() const {
        return count(CaseVerdict::verified) != 0 && count(CaseVerdict::failed) == 0;
    }
    std::size_t count(CaseVerdict verdict) const;
    std::span<const CaseResult> results() const { return results_; }
    double seconds() const;
    /// Writes names, verdicts, times and reports as JSON, and JUnit's XML; "": not. RunError.
    void write(const std::string& report, const std::string& junit, std::string_view suite) const;

private:
    nlohmann::ordered_json json(std::string_view suite) const;

    std::size_t name_width_;
    bool keep_reports_;
    Shard shard_;
    std::string job_;
    std::string title_;
    std::string group_;
    std::optional<double> seconds_; // else since started_
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    std::vector<CaseResult> results_;
};

} // namespace mesh::host
