#include "grade_rules.hpp"

#include "expected_output.hpp"
#include "host-tools/mesh/common/console_line.hpp"
#include "host-tools/mesh/common/console_text.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/nearest.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/ops/expected_steps.hpp"
#include "host-tools/mesh/series/matrix.hpp"
#include "kernel/base/status.hpp"

#include "boards/host/check_words.hpp"
#include "boards/host/stop.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <vector>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kPoints = "points";
constexpr const char* kHint = "hint";
constexpr const char* kWaitsHint = "hint-waits";
constexpr const char* kOrders = "orders";
constexpr const char* kOutput = "output";
constexpr const char* kForbid = "forbid";
constexpr const char* kMpi = "mpi";
/// Behind a bound's key: the same for an answer in C.
constexpr std::string_view kInC = "-in-c";
/// Clauses of a run's reason that a student reads.
constexpr std::size_t kClauses = 3;
/// Nodes of a chain of waits that a student reads.
constexpr std::size_t kLinksShown = 3;

std::string value_of(const MatrixCase& made, const std::string& key) {
    const auto found = made.more.find(key);
    return found == made.more.end() ? std::string{} : found->second;
}

/// The text about a wrong line of a console. It does not tell the line that was expected.
std::string wrong_line(unsigned node, std::string_view said, std::size_t line) {
    if (!said.starts_with('\'') && line == 1)
        return fmt::format("node {} printed nothing, and that is wrong", node);
    return fmt::format("node {} says {} in its line {}, and that is wrong", node, said, line);
}

/// The number behind a key; nothing if the key is not there. UsageError.
std::optional<unsigned> number_of(const std::string& path, const MatrixCase& made,
                                  const std::string& key) {
    const std::string value = value_of(made, key);
    if (value.empty())
        return std::nullopt;
    const auto number = number_in<unsigned>(value);
    if (!number)
        refuse("{}: [{}]: {} '{}': allowed: a number", path, made.section, key, value);
    return number;
}

/// The first line of a run's console that `output` does not want; "" if there is none.
std::string wrong_output(const MatrixCase& made, const CaseResult& result) {
    if (!made.more.contains(kOutput))
        return {};
    ConsoleText said;
    std::istringstream lines(result.console);
    for (std::string line; std::getline(lines, line);)
        if (const auto read = console_line(line); read && !read->text.starts_with(kNote))
            said.add(read->node, read->text);
    std::string wrong;
    const auto other = said.difference_to(
        expected_output(value_of(made, kOutput), scene_of(made, *result.report), wrong), {});
    return other ? wrong_line(other->node, other->said, other->line) : std::string{};
}

/// "node 3 by port 1", of the link that carried most.
std::string busiest_link(const Json& report) {
    std::uint64_t most = 0;
    std::string words;
    const Json& nodes = report.at("link_packets");
    for (std::size_t node = 0; node < nodes.size(); ++node)
        for (std::size_t port = 0; nodes[node].is_array() && port < nodes[node].size(); ++port)
            if (const auto packets = nodes[node][port].get<std::uint64_t>(); packets > most) {
                most = packets;
                words = fmt::format("node {} by port {}", node, port);
            }
    return words;
}

/// The node that was done last.
std::string last_node(const Json& report) {
    const Json& times = report.at("finish_time");
    std::size_t last = 0;
    const auto time = [&](std::size_t node) {
        return times[node].is_number() ? times[node].get<double>() : -1;
    };
    for (std::size_t node = 0; node < times.size(); ++node)
        if (time(node) > time(last))
            last = node;
    return fmt::format("node {}", last);
}

/// A figure of the report that a check bounds.
struct Bound {
    std::string_view key;
    std::string_view phrase;
    bool least;              // of at least so much
    std::string_view figure; // of the report; behind a dot, within that one
    std::string (*words)(std::uint64_t has, const std::string& bound, const Json& report);
};

/// All bounds; of those that a run breaks, the first one is told.
const std::array<Bound, 5> kBounds{
    {{"steps-at-most", "steps of model time that a run may take", false, "steps",
      [](std::uint64_t has, const std::string& bound, const Json& report) {
          return fmt::format("right, but {} steps, and at most {} are allowed; {} was the last",
                             has, bound, last_node(report));
      }},
     {"link-at-most", "packets that any one link may carry", false, "max_link_load",
      [](std::uint64_t has, const std::string& bound, const Json& report) {
          return fmt::format(
              "right, but {} packets over one link, of {}, and at most {} are allowed", has,
              busiest_link(report), bound);
      }},
     {"hops-at-most", "packets over links that it may take, all together", false, "hops",
      [](std::uint64_t has, const std::string& bound, const Json& report) {
          return fmt::format("right, but packets crossed {} links, and at most {} are allowed; "
                             "most of them left {}",
                             has, bound, busiest_link(report));
      }},
     {"messages-at-least", "packets that nodes send of themselves, all together", true,
      "counters.packets_injected",
      [](std::uint64_t has, const std::string& bound, const Json&) {
          return fmt::format("the nodes sent {} messages, and this task takes {} at least", has,
                             bound);
      }},
     {"hops-at-least", "packets over links that a run must take, all together", true, "hops",
      [](std::uint64_t has, const std::string& bound, const Json&) {
          return fmt::format("packets crossed {} links, and this task takes {} at least", has,
                             bound);
      }}}};

std::string in_c(const Bound& bound) { return fmt::format("{}{}", bound.key, kInC); }

/// The words for a bound that the run breaks; "" if nothing.
std::string broken(const Bound& bound, const MatrixCase& made, const Json& report) {
    const std::string value = value_of(made, std::string(bound.key));
    if (value.empty())
        return {};
    const std::size_t dot = std::min(bound.figure.find('.'), bound.figure.size());
    const std::string first(bound.figure.substr(0, dot));
    const auto has =
        dot == bound.figure.size()
            ? report.value(first, std::uint64_t{0})
            : report.at(first).value(std::string(bound.figure.substr(dot + 1)), std::uint64_t{0});
    const auto limit = number_in<std::uint64_t>(value).value_or(0);
    const bool good = bound.least ? has >= limit : has <= limit;
    return good ? std::string{} : bound.words(has, value, report);
}

Check check_of(const std::string& path, const MatrixCase& made) {
    const auto points = number_of(path, made, kPoints);
    if (!points)
        refuse("{}: [{}]: no points; a check has them: points = 10", path, made.section);
    for (const Bound& bound : kBounds)
        for (const std::string& key : {std::string(bound.key), in_c(bound)})
            static_cast<void>(number_of(path, made, key));
    std::string wrong;
    static_cast<void>(expected_output(value_of(made, kOutput), {}, wrong));
    if (!wrong.empty())
        refuse("{}: [{}]: {} '{}': allowed: lines [node] text, [*] text for each node, or [~] text "
               "for each neighbour of a node that is killed",
               path, made.section, kOutput, wrong);
    return {made.section,
            *points,
            value_of(made, kHint),
            value_of(made, kWaitsHint),
            number_of(path, made, kOrders).value_or(0),
            {}};
}

/// The last line of the first node that judged itself to have failed: "; node 3 said 'x'", or "".
std::string own_verdict_words(const CaseResult& result) {
    for (const Json& fate : result.report == nullptr ? Json::array() : result.report->at("fates")) {
        if (fate.at("note") != words_of(Status::failed))
            continue;
        const std::string head = fmt::format("[{}] ", fate.at("node").get<unsigned>());
        const std::size_t at = ("\n" + result.console).rfind("\n" + head);
        if (at == std::string::npos)
            continue;
        const std::string line = result.console.substr(at + head.size());
        return fmt::format("; node {} said '{}'", fate.at("node").get<unsigned>(),
                           line.substr(0, line.find('\n')));
    }
    return {};
}

/// A long chain of nodes that wait for each other, without its middle.
std::string shortened(const std::string& reason) {
    constexpr std::string_view kLink = ", which waits for ";
    std::vector<std::size_t> links;
    for (auto at = reason.find(kLink); at != std::string::npos; at = reason.find(kLink, at + 1))
        links.push_back(at);
    if (links.size() <= kLinksShown)
        return reason;
    return reason.substr(0, links[kLinksShown - 1]) + ", and so on, to" +
           reason.substr(reason.find(" node ", links.back()));
}

/// The calls that led to a crash without those within the library, if the program's own are there.
std::string without_library(std::string clause) {
    constexpr std::string_view kFrame = ", called from ";
    constexpr std::string_view kFirst = ", in mesh::";
    for (auto in = clause.find(kFirst); in != clause.npos; in = clause.find(kFirst, in + 1)) {
        auto own = clause.find(kFrame, in);
        while (own != clause.npos && clause.compare(own + kFrame.size(), 6, "mesh::") == 0)
            own = clause.find(kFrame, own + 1);
        if (own < std::min(clause.find("; ", in), clause.size()))
            clause.replace(in, own + kFrame.size() - in, ", in ");
    }
    return clause;
}

/// The words for a function of bits that was asked for a bit of 0; "" if none was.
std::string_view broken_expectation(const CaseResult& result) {
    const bool of_bits = result.said.find("bits.hpp:") != result.said.npos &&
                         (result.said.find("expected: value != 0") != result.said.npos ||
                          result.said.find("expectation_broken") != result.said.npos);
    return of_bits ? "; lowest_bit(0) and highest_bit(0) are nothing: 0 has no one-bit" : "";
}

/// How near a clause is to the cause: what a program says of itself, what it waits for, what others
/// could not do since it is gone.
unsigned distance_of(std::string_view clause) {
    constexpr std::array<std::string_view, 6> kFarther{"did not end", "waits for",
                                                       "unreachable", "waited in vain",
                                                       "nobody took", "links declared dead"};
    for (unsigned distance = kFarther.size(); distance > 0; --distance)
        if (clause.find(kFarther[distance - 1]) != clause.npos)
            return distance;
    return 0;
}

/// The clauses on a run that are nearest to the cause, and the first wrong line of its console,
/// without what was expected.
std::string seen(const CaseResult& result) {
    if (result.report == nullptr || result.report->at("reason").is_null())
        return fmt::format("{}{}", shortened(result.reason), broken_expectation(result));
    auto reasons = result.report->at("reasons").get<std::vector<std::string>>();
    std::ranges::stable_sort(reasons, {}, distance_of);
    std::string text;
    for (std::size_t at = 0; at < std::min(kClauses, reasons.size()); ++at)
        text += (text.empty() ? "" : "; ") + without_library(shortened(reasons[at]));
    text += broken_expectation(result);
    if (const Json& other = result.report->at("console"); !other.is_null())
        text += (text.empty() ? "" : "; ") + wrong_line(other.at("node").get<unsigned>(),
                                                        other.at("said").get<std::string>(),
                                                        other.at("line").get<std::size_t>());
    return text;
}

std::string steps_not_expected(const MatrixCase& made, const Json& report) {
    std::optional<Formula> formula;
    const std::string text = report["formula"].is_null() ? "" : report.value("formula", "");
    if (!text.empty())
        formula = Formula{text, report.value("formula_steps", std::uint64_t{0})};
    return wrong_steps(made.expect_steps, report.value("steps", std::uint64_t{0}), formula);
}

/// Why a run that was verified is not good all the same; "" if it is.
std::string broken_rule(const MatrixCase& made, const CaseResult& result) {
    if (result.report == nullptr)
        return "a node ended the whole run, without a report: a program returns, it does not exit";
    const Json& report = *result.report;
    if (std::string output = wrong_output(made, result); !output.empty())
        return output;
    if (std::string steps = steps_not_expected(made, report); !steps.empty())
        return steps + ", and " + last_node(report) + " was the last";
    for (const Bound& bound : kBounds)
        if (std::string words = broken(bound, made, report); !words.empty())
            return words;
    return {};
}

bool is_strict(const std::string& path, const MatrixCase& made) {
    const std::string value = value_of(made, kMpi);
    if (!value.empty() && value != "strict")
        refuse("{}: [{}]: {} '{}': allowed: strict", path, made.section, kMpi, value);
    return !value.empty();
}

} // namespace

std::vector<MatrixKey> check_keys() {
    std::vector<MatrixKey> keys{
        {kPoints, "what the check earns if all of its runs are good"},
        {kHint, "a sentence for those who fail it: where the page says more"},
        {kWaitsHint, "the one for a run that stands still, if the other does not fit"},
        {kOrders, "so many runs of each case, each with another order of packets (sim)"},
        {kOutput, fmt::format("all that the console has to print: lines [node] text, [*] text for "
                              "each node, [~] text for each neighbour of a node that is killed, "
                              "with {{killed}} for its number; of secrets: {}",
                              describe_output_words())}};
    keys.push_back({kForbid,
                    "parts of names, as reduce: a program that calls a function whose name "
                    "has one of these in it earns nothing"});
    keys.push_back({kMpi, "strict: an answer in C runs with --strict"});
    for (const Bound& bound : kBounds) {
        keys.push_back({std::string(bound.key), std::string(bound.phrase)});
        keys.push_back(
            {in_c(bound), "the same for an answer in C, where MPI_Finalize is a barrier"});
    }
    return keys;
}

std::vector<Check> read_checks(const std::string& path, Language language) {
    std::vector<Check> checks;
    for (MatrixCase& made : read_matrix(path, check_keys())) {
        if (checks.empty() || checks.back().name != made.section)
            checks.push_back(check_of(path, made));
        for (const Bound& bound : kBounds)
            if (language == Language::c && made.more.contains(in_c(bound)))
                made.more[std::string(bound.key)] = made.more[in_c(bound)];
        if (is_strict(path, made) && language == Language::c)
            made.options.insert(made.options.begin(), "--strict");
        checks.back().cases.push_back(std::move(made));
    }
    return checks;
}

void draw_secrets(std::vector<Check>& checks, std::uint32_t variant) {
    constexpr std::string_view kSecret = "--secret=";
    constexpr std::string_view kSeed = "--seed=";
    for (Check& check : checks)
        for (MatrixCase& made : check.cases) {
            const auto begins = [](std::string_view with) {
                return [with](const std::string& option) { return option.starts_with(with); };
            };
            if (std::ranges::none_of(made.options, begins(kSecret)))
                continue;
            std::uint64_t seed = 1;
            if (const auto at = std::ranges::find_if(made.options, begins(kSeed));
                at != made.options.end()) {
                seed = number_in<std::uint64_t>(at->substr(kSeed.size())).value_or(seed);
                made.options.erase(at);
            }
            made.options.insert(made.options.begin(),
                                fmt::format("{}{}", kSeed, (std::uint64_t{variant} << 16) + seed));
        }
}

std::string forbidden_call(const MatrixCase& made, const std::vector<std::string>& calls) {
    std::istringstream words(value_of(made, kForbid));
    for (std::string word; std::getline(words, word, ',');)
        for (const std::string& call : calls) {
            if (!word.empty() && in_small_letters(call).find(word) != std::string::npos)
                return fmt::format("the program calls {}(), which this check forbids", call);
        }
    return {};
}

CaseResult judged(const MatrixCase& made, CaseResult result) {
    if (result.verdict != CaseVerdict::verified)
        return result;
    result.reason = broken_rule(made, result);
    if (!result.reason.empty())
        result.verdict = CaseVerdict::failed;
    return result;
}

FailureKind kind_of(const CaseResult& result) {
    if (result.verdict == CaseVerdict::refused)
        return result.reason.ends_with("does not end") ? FailureKind::endless
                                                       : FailureKind::refused;
    if (result.report == nullptr || result.report->at("reason").is_null())
        return FailureKind::wrong;
    for (const Json& fate : result.report->at("fates")) {
        const std::string note =
            fate.at("note").is_string() ? fate.at("note").get<std::string>() : std::string{};
        if (note.find(words_of(ProgramEnd::program_endless)) != note.npos)
            return FailureKind::endless;
        if (note.starts_with("firmware stopped"))
            return FailureKind::crash;
    }
    return result.report->at("waits").empty() ? FailureKind::wrong : FailureKind::waits;
}

std::string hint_for(FailureKind kind, const Check& check) {
    switch (kind) {
    case FailureKind::wrong:
    case FailureKind::refused: return check.hint; // a rule that is not one
    case FailureKind::waits: return check.waits_hint.empty() ? check.hint : check.waits_hint;
    case FailureKind::crash: return "the line that is named last: which values has it there?";
    case FailureKind::endless: return "the line that is named: what would end its loop?";
    }
    return {};
}

std::string shape_of(const CaseResult& result) {
    std::string shape;
    for (const char letter : seen(result))
        if (std::isdigit(static_cast<unsigned char>(letter)) == 0)
            shape += letter;
        else if (!shape.ends_with('#'))
            shape += '#';
    return shape;
}

std::string sentence_of(const MatrixCase& made, const CaseResult& result, const std::string& order,
                        const std::string& late) {
    std::string text = made.name == made.section
                           ? std::string{}
                           : "with" + made.name.substr(made.section.size()) + ": ";
    text += seen(result) + own_verdict_words(result);
    std::string seed = "1";
    for (const std::string& option : made.options)
        if (constexpr std::string_view kSeed = "--seed="; option.starts_with(kSeed))
            seed = option.substr(kSeed.size());
    if (!order.empty())
        text += late.empty() ? fmt::format(" (order {}, and with no packet late)", order)
                             : fmt::format(" (order {}: late is {})", order, late);
    else if (result.verdict != CaseVerdict::refused && text.find("seed=") == std::string::npos)
        text += fmt::format(" (seed {})", seed);
    return text;
}

} // namespace mesh::host
