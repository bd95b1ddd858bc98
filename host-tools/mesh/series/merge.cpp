#include "merge.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "shard.hpp"
#include "tally.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

/// The report of one shard.
struct Part {
    std::string file;
    std::string suite;
    std::string job; // see Tally::set_shard()
    Shard shard;
    double seconds;
    std::vector<CaseResult> results;
};

CaseVerdict verdict_of(const std::string& word) {
    for (const auto verdict : kVerdicts)
        if (word == name_of(verdict))
            return verdict;
    throw RunError(fmt::format("'{}' is no verdict", word));
}

CaseResult result_of(const Json& run) {
    CaseResult result;
    result.work.name = run.at("name");
    result.work.title = run.value("title", "");
    result.work.group = run.value("class", "");
    result.verdict = verdict_of(run.at("verdict"));
    if (run.contains("kind") && run["kind"].is_string())
        result.kind = run["kind"];
    if (run.at("reason").is_string())
        result.reason = run.at("reason");
    result.repeat = run.at("repeat");
    result.seconds = run.at("seconds");
    if (!run.at("report").is_null())
        result.report = std::make_shared<const Json>(run.at("report"));
    return result;
}

Part part_of(const std::string& file) {
    std::ifstream stream(file);
    if (!stream)
        throw RunError(fmt::format("{}: {}", file, std::strerror(errno)));
    try {
        const Json report = Json::parse(stream);
        const auto shard = shard_of(report.at("shard").get<std::string>());
        if (!shard)
            throw RunError("its shard is none");
        Part part{file, report.at("suite"), report.at("job"), *shard, report.at("seconds"), {}};
        for (const Json& run : report.at("runs"))
            part.results.push_back(result_of(run));
        for (const auto verdict : kVerdicts)
            if (report.at(std::string(name_of(verdict))) != count_of(part.results, verdict))
                throw RunError("its runs are not those that it counts");
        return part;
    } catch (const std::exception&) {
        throw RunError(fmt::format("{}: no report of a shard; `mesh run` and `mesh matrix` with "
                                   "--shard K/N and --report write one",
                                   file));
    }
}

/// RunError if they are not the shards of one series or matrix, each once.
void check(const std::vector<Part>& parts) {
    const Part& first = parts.front();
    std::vector<std::uint32_t> missing;
    for (std::uint32_t number = 1; number <= first.shard.of; ++number)
        missing.push_back(number);
    for (const Part& part : parts) {
        if (part.shard.of != first.shard.of || part.suite != first.suite)
            throw RunError(fmt::format("{} is shard {} of {}, {} shard {} of {}: they do not "
                                       "belong together",
                                       part.file, part.shard.text(), part.suite, first.file,
                                       first.shard.text(), first.suite));
        if (part.job != first.job)
            throw RunError(fmt::format("{} is a shard of other runs than {}, so they do not belong "
                                       "together: '{}', not '{}'",
                                       part.file, first.file, part.job, first.job));
        if (std::erase(missing, part.shard.number) == 0)
            throw RunError(
                fmt::format("{}: shard {} is there twice", part.file, part.shard.text()));
    }
    if (!missing.empty())
        throw RunError(fmt::format("of {} shards these are missing: {}", first.shard.of,
                                   fmt::join(missing, " ")));
}

} // namespace

bool run_merge(const MergeArguments& arguments) {
    Tally::check(arguments.report, arguments.junit);
    std::vector<Part> parts;
    for (const std::string& file : arguments.files)
        parts.push_back(part_of(file));
    check(parts);
    std::ranges::sort(parts, {}, [](const Part& part) { return part.shard.number; });
    std::size_t width = 0;
    std::size_t most = 0; // of one shard
    double seconds = 0;
    for (const Part& part : parts) {
        for (const CaseResult& result : part.results)
            width = std::max(width, result.work.name.size());
        most = std::max(most, part.results.size());
        seconds += part.seconds;
    }
    Tally tally(width, !arguments.report.empty());
    tally.took(seconds);
    for (std::size_t round = 0; round < most; ++round)
        for (Part& part : parts)
            if (round < part.results.size())
                tally.add(std::move(part.results[round]));
    tally.print_totals();
    tally.write(arguments.report, arguments.junit, parts.front().suite);
    return tally.good();
}

} // namespace mesh::host
