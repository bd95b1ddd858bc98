#include "orders.hpp"

#include "crew.hpp"
#include "host-tools/mesh/cables/order.hpp"
#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/say.hpp"
#include "host-tools/mesh/common/shrink.hpp"
#include "host-tools/mesh/common/text.hpp"
#include "host-tools/mesh/options/run_rows.hpp"
#include "tally.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace mesh::host {

namespace {

using Json = nlohmann::ordered_json;
using PutOffs = std::vector<std::uint32_t>;

constexpr std::size_t kOrderWidth = 12;
constexpr std::string_view kOrdersSuite = "mesh run --orders";
constexpr std::uint64_t kAllDefault = 1000;
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

void check_orders(const SeriesArguments& arguments) {
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
    explicit Runs(const std::vector<std::string>& words, Judge judge = std::identity{})
        : words_(words),
          judge_(std::move(judge)) {}

    CaseResult of(std::string name, const std::string& order) {
        return judge_(crew_.run_next(std::move(name), words_, fmt::format("--order={}", order)));
    }
    CaseResult of(const PutOffs& order) {
        return of(fmt::format("order {}", numbers_of(order)), numbers_of(order));
    }
    std::vector<CaseResult> end_all(int signal) { return crew_.end_all(signal); }

private:
    const std::vector<std::string>& words_;
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

void drawn_orders(const SeriesArguments& arguments, std::uint64_t count, Runs& runs, Tally& tally) {
    std::optional<CaseResult> first;
    for (std::uint64_t number = 1; number <= count; ++number) {
        CaseResult result =
            runs.of(fmt::format("order {}", number), fmt::format("drawn:{}", number));
        if (failed(result) && !first)
            first = result;
        tally.add(std::move(result));
        if (first && arguments.until_failure)
            break;
    }
    if (first)
        shrink_and_tell(runs, *first);
}

/// Goes through all orders, those with fewer put-offs first, for as many runs as there may be.
void all_orders(std::uint64_t runs_max, Runs& runs, Tally& tally) {
    struct Tried {
        PutOffs put_off;
        std::uint32_t choices; // that the run made
    };
    std::vector<Tried> before; // all with one put-off less
    const auto try_one = [&](const PutOffs& order, std::vector<Tried>& tried) {
        CaseResult result = runs.of(order);
        const bool fails = failed(result);
        if (fails)
            tell(result);
        const Json* const report = order_in(result);
        if (report != nullptr)
            tried.push_back({order, report->at("choices").get<std::uint32_t>()});
        tally.add(std::move(result), fails);
        return !fails;
    };
    std::uint64_t done = 1;
    if (!try_one({}, before))
        return;
    fmt::print("orders without a put-off: 1 of 1\n");
    for (unsigned put_offs = 1; !before.empty(); ++put_offs) {
        std::uint64_t there_are = 0;
        for (const Tried& one : before)
            there_are += one.choices - (one.put_off.empty() ? 0 : one.put_off.back() + 1);
        std::vector<Tried> tried;
        std::uint64_t number = 0;
        for (const Tried& one : before)
            for (std::uint32_t choice = one.put_off.empty() ? 0 : one.put_off.back() + 1;
                 choice < one.choices && done < runs_max; ++choice) {
                PutOffs order = one.put_off;
                order.push_back(choice);
                ++done;
                ++number;
                if (!try_one(order, tried))
                    return;
            }
        if (there_are == 0)
            return;
        fmt::print("orders with {} put-off{}: {} of {}\n", put_offs, put_offs == 1 ? "" : "s",
                   number, there_are);
        std::fflush(stdout);
        if (number < there_are)
            return;
        before = std::move(tried);
    }
}

} // namespace

SmallestOrder smallest_order(const std::vector<std::string>& words, const CaseResult& first,
                             Judge judge) {
    Runs runs(words, std::move(judge));
    return shrunk(runs, first);
}

bool run_orders(const SeriesArguments& arguments) {
    const Wanted wanted = wanted_of(arguments.orders);
    check_orders(arguments);
    Tally tally(kOrderWidth, !arguments.run.results.report.empty());
    tally.set_title(arguments.run.title, group_of(arguments.run));
    Runs runs(arguments.words);
    const auto write = [&] {
        tally.print_totals(false);
        tally.write(arguments.run.results.report, arguments.run.results.junit, kOrdersSuite);
    };
    try {
        if (wanted.all)
            all_orders(wanted.runs, runs, tally);
        else
            drawn_orders(arguments, wanted.runs, runs, tally);
    } catch (const Interrupted& interrupted) {
        for (CaseResult& result : runs.end_all(interrupted.signal))
            tally.add(std::move(result));
        write();
        throw;
    }
    write();
    return tally.good();
}

} // namespace mesh::host
