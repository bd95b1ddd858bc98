#include "orders.hpp"

#include "crew.hpp"
#include "explorer.hpp"
#include "host-tools/mesh/cables/order.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/shrink.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/options/run_rows.hpp"
#include "tally.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;
using PutOffs = std::vector<std::uint32_t>;

constexpr std::size_t kOrderWidth = 12;
constexpr std::string_view kOrdersSuite = "mesh run --orders";
constexpr std::uint64_t kAllDefault = 100'000;
/// Runs that making an order smaller may take.
constexpr unsigned kShrinkingRunsMax = 200;

struct Wanted {
    bool all = false;
    std::uint64_t runs = 0;
};

Wanted wanted_of(std::string_view text) {
    constexpr std::string_view kAllOf = "all:";
    if (text == "all")
        return {true, kAllDefault};
    const bool all = text.starts_with(kAllOf);
    const auto runs = number_in<std::uint64_t>(all ? text.substr(kAllOf.size()) : text);
    if (runs.value_or(0) == 0)
        refuse("--orders '{}': allowed: a number from 1 on, all, or all:N", text);
    return {all, *runs};
}

void check_orders(const SeriesArguments& arguments, bool all) {
    if (all && arguments.run.gives("--limit"))
        refuse("--orders all: goes without --limit, which is for one run; all:N ends after N runs");
    if (arguments.run.rig.engine != "sim")
        refuse("--orders: goes with --engine sim; cables of an emulator have the order that comes");
    if (arguments.ranged || arguments.repeat)
        refuse("--orders: goes with one seed, not with --seed A..B or --repeat");
    if (arguments.run.gives("--order"))
        refuse("--orders: goes without --order, which is one of them");
    check_series(arguments);
}

/// Runs with orders, each in a process of its own.
class Runs {
public:
    /// `prefix`: of each order that is told by its put-offs, kByTurns or "".
    explicit Runs(const std::vector<std::string>& words, std::string_view prefix = "",
                  Judge judge = std::identity{})
        : words_(words),
          prefix_(prefix),
          judge_(std::move(judge)) {}

    /// The prefix of the orders from now on.
    void set_prefix(std::string_view prefix) { prefix_ = prefix; }
    CaseResult of(std::string name, const std::string& order) {
        return judge_(crew_.run_next(std::move(name), words_, fmt::format("--order={}", order)));
    }
    CaseResult of(const PutOffs& order) {
        const std::string text = fmt::format("{}{}", prefix_, numbers_of(order));
        return of(fmt::format("order {}", text), text);
    }
    std::vector<CaseResult> end_all(int signal) { return crew_.end_all(signal); }

private:
    const std::vector<std::string>& words_;
    std::string_view prefix_;
    Judge judge_;
    Crew crew_;
};

bool failed(const CaseResult& result) { return result.verdict == CaseVerdict::failed; }

const Json* order_in(const CaseResult& result) {
    if (result.report == nullptr || !result.report->contains("order"))
        return nullptr;
    return &(*result.report)["order"];
}

PutOffs put_offs_in(const CaseResult& result) {
    const Json* const order = order_in(result);
    return order == nullptr ? PutOffs{} : order->at("put_off").get<PutOffs>();
}

std::string words_in(const CaseResult& result) {
    std::string words;
    if (const Json* const order = order_in(result))
        for (const Json& one : order->at("words"))
            words += (words.empty() ? "" : "; ") + one.get<std::string>();
    return words;
}

/// Says which order fails, what it puts off, and how to repeat it.
void tell(const CaseResult& result) {
    const std::string words = words_in(result);
    fmt::print("smallest order that fails: {}{}\n", numbers_of(put_offs_in(result)),
               words.empty() ? ", that of one packet after the other" : ", put off are " + words);
    std::fflush(stdout);
    say("mesh: {}; repeat: {}\n", result.reason, result.repeat);
}

/// The smallest part of a failing order that still fails.
SmallestOrder shrunk(Runs& runs, const CaseResult& first) {
    unsigned tried = 0;
    CaseResult smallest = first;
    const PutOffs whole = put_offs_in(first);
    const auto fails = [&](const PutOffs& order) {
        if (tried == kShrinkingRunsMax)
            return false;
        ++tried;
        CaseResult result = runs.of(order);
        if (!failed(result) || order_in(result) == nullptr)
            return false;
        smallest = std::move(result);
        return true;
    };
    const bool always = fails({});
    if (!always)
        shrink(whole, fails);
    if (!always && smallest.work.name == first.work.name) // the numbers instead of what drew them
        fails(whole);
    const std::size_t left = put_offs_in(smallest).size();
    const std::string words = words_in(smallest);
    return {std::move(smallest), whole.size(), left, words, tried};
}

void shrink_and_tell(Runs& runs, const CaseResult& first) {
    if (order_in(first) == nullptr) {
        fmt::print("{} has left no report, so its order cannot be made smaller\n", first.work.name);
        return;
    }
    const SmallestOrder smallest = shrunk(runs, first);
    fmt::print("{}: {} of its {} put-offs are enough, after {} runs{}\n", first.work.name,
               smallest.put_off, smallest.drawn, smallest.runs,
               smallest.runs == kShrinkingRunsMax ? ", as many as there may be" : "");
    tell(smallest.result);
}

/// Orders of packets and orders by turns have different choices: every other one is of each kind.
void drawn_orders(const SeriesArguments& arguments, std::uint64_t count, Runs& runs, Tally& tally) {
    std::optional<CaseResult> first;
    for (std::uint64_t number = 1; number <= count; ++number) {
        const std::string_view prefix = number % 2 == 0 ? kByTurns : "";
        CaseResult result =
            runs.of(fmt::format("order {}", number), fmt::format("{}drawn:{}", prefix, number));
        if (failed(result) && !first) {
            first = result;
            runs.set_prefix(prefix);
        }
        tally.add(std::move(result));
        if (first && arguments.until_failure)
            break;
    }
    if (first)
        shrink_and_tell(runs, *first);
}

/// Tries each order by turns, in one process after the other that goes on from where two orders
/// part. True if none fails; what is said of that is the last line of the output.
bool all_orders(const SeriesArguments& arguments, std::uint64_t runs_max, const RunOnce& run_once,
                Runs& runs, Tally& tally) {
    Explorer explorer(runs_max);
    const Explorer::Found found = explorer.explore([&] {
        RunArguments one = arguments.run;
        one.model.order = fmt::format("{}{}", kByTurns, numbers_of({}));
        one.chooser = &explorer;
        one.alone = false;
        one.rig.quiet = true;
        one.results.report.clear();
        one.results.junit.clear();
        return run_once(std::move(one));
    });
    const std::string tried = fmt::format("{}{} order{}", found.all ? "all " : "", found.runs,
                                          found.runs == 1 ? "" : "s");
    if (found.repeated != 0)
        fmt::print("{} more began like one that differs in nothing that a node sees\n",
                   found.repeated);
    CaseResult result = runs.of(found.put_off);
    const bool fails = found.failed && failed(result);
    if (fails) {
        result = shrunk(runs, result).result;
        tell(result);
    }
    tally.add(result, fails);
    if (fails)
        fmt::print("wrong in one of {}; repeat: {}\n", tried, result.repeat);
    else if (found.failed)
        fmt::print("right in {}, then a run ended without a verdict: no memory or no process was "
                   "left; all:{} ends before\n",
                   tried, std::max<std::uint64_t>(found.runs, 1));
    else
        fmt::print("right in {}{}\n", tried, found.all ? "" : ", not all");
    std::fflush(stdout);
    return !found.failed;
}

} // namespace

SmallestOrder smallest_order(const std::vector<std::string>& words, const CaseResult& first,
                             Judge judge) {
    Runs runs(words, "", std::move(judge));
    return shrunk(runs, first);
}

bool run_orders(const SeriesArguments& arguments, const RunOnce& run_once) {
    const Wanted wanted = wanted_of(arguments.orders);
    check_orders(arguments, wanted.all);
    Tally tally(kOrderWidth, !arguments.run.results.report.empty());
    tally.set_title(arguments.run.title, group_of(arguments.run));
    Runs runs(arguments.words, wanted.all ? kByTurns : "");
    const auto write = [&] {
        if (!wanted.all)
            tally.print_totals(false);
        tally.write(arguments.run.results.report, arguments.run.results.junit, kOrdersSuite);
    };
    bool good = true;
    try {
        if (wanted.all)
            good = all_orders(arguments, wanted.runs, run_once, runs, tally);
        else
            drawn_orders(arguments, wanted.runs, runs, tally);
    } catch (const Interrupted& interrupted) {
        for (CaseResult& result : runs.end_all(interrupted.signal))
            tally.add(std::move(result));
        write();
        throw;
    }
    write();
    return good && tally.good();
}

} // namespace mesh::host
