#include "tally.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/files.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/plan/plan.hpp"
#include "host-tools/mesh/reports/junit.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <span>
#include <string_view>
#include <utility>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

Json steps_of(const CaseResult& result) {
    return result.report ? result.report->value("steps", Json(nullptr)) : Json(nullptr);
}

} // namespace

Tally::Tally(std::size_t name_width, bool keep_reports)
    : name_width_(name_width),
      keep_reports_(keep_reports) {}

void Tally::check(const std::string& report, const std::string& junit) {
    if (report == kStandardOutput)
        refuse("--report -: goes with one run; standard output has a line for each; give a file");
    if (!report.empty())
        check_writable(report, "--report");
    if (!junit.empty())
        check_writable(junit, "--junit");
}

void Tally::add(CaseResult result, bool shown) {
    const Json steps = steps_of(result);
    if (shown)
        fmt::print("{:<{}}  {:<8}  steps {:>6}  {:8.3f} s{}{}\n", result.work.name, name_width_,
                   name_of(result.verdict), steps.is_null() ? "-" : steps.dump(), result.seconds,
                   result.reason.empty() ? "" : "  ", result.reason);
    std::fflush(stdout);
    if (!keep_reports_)
        result.report = nullptr;
    if (!title_.empty())
        result.work.title = fmt::format("{} {}", title_, result.work.name);
    if (!group_.empty())
        result.work.group = group_;
    results_.insert(std::ranges::upper_bound(results_, result.work.place, {},
                                             [](const auto& other) { return other.work.place; }),
                    std::move(result));
}

void Tally::print_totals(bool with_failures) const {
    std::fflush(stdout);
    for (const CaseResult& result : results_)
        if (with_failures && result.verdict == CaseVerdict::failed)
            say("mesh: {}: {}; repeat: {}\n", result.work.name, result.reason, result.repeat);
    const std::size_t refused = count(CaseVerdict::refused);
    fmt::print("{} run{}: {} verified, {} failed{}; {:.2f} s\n", results_.size(),
               results_.size() == 1 ? "" : "s", count(CaseVerdict::verified),
               count(CaseVerdict::failed),
               refused == 0 ? std::string{} : fmt::format(", {} refused", refused), seconds());
    std::fflush(stdout);
}

std::size_t Tally::count(CaseVerdict verdict) const { return count_of(results_, verdict); }

double Tally::seconds() const {
    if (seconds_)
        return *seconds_;
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

Json Tally::json(std::string_view suite) const {
    Json runs = Json::array();
    for (const CaseResult& result : results_) {
        const bool good = result.verdict == CaseVerdict::verified;
        runs.push_back({{"name", result.work.name},
                        {"title", result.work.title},
                        {"class", result.work.group},
                        {"verdict", name_of(result.verdict)},
                        {"kind", good ? Json(nullptr) : Json(result.kind)},
                        {"reason", good ? Json(nullptr) : Json(result.reason)},
                        {"repeat", result.repeat},
                        {"seconds", result.seconds},
                        {"report", result.report ? *result.report : Json(nullptr)}});
    }
    Json all{{"runs", runs},
             {"verified", count(CaseVerdict::verified)},
             {"failed", count(CaseVerdict::failed)},
             {"refused", count(CaseVerdict::refused)},
             {"seconds", seconds()}};
    if (!shard_.is_all()) {
        all["suite"] = suite;
        all["shard"] = shard_.text();
        all["job"] = job_;
    }
    return all;
}

void Tally::write(const std::string& report, const std::string& junit,
                  std::string_view suite) const {
    if (!report.empty()) {
        const std::string text =
            json(suite).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        write_whole(report, std::as_bytes(std::span(text)), "--report");
    }
    if (!junit.empty())
        write_junit(junit, suite, results_, seconds());
}

} // namespace mesh::host
