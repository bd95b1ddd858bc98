#include "order.hpp"

#include "host-tools/mesh/common/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

namespace mesh::host {

namespace {

constexpr std::string_view kNone = "none";
constexpr std::string_view kDrawn = "drawn:";
/// Streams of the seed that are not those of cables (CableFaults).
constexpr std::uint64_t kStreams = 0x4F52'4445'5200'0000;
/// How often an order puts off, drawn for each: bugs that need one put-off at the right choice are
/// found by rare ones, those that need many by frequent ones.
constexpr std::array kChances{0.5, 0.25, 0.125, 0.03, 0.008};
/// The nodes that this schedule slows down, and their delayed frames.
constexpr double kSlowNodes = 0.2;
constexpr double kSlowness = 0.9;

} // namespace

std::optional<OrderPlan> order_of(std::string_view text) {
    OrderPlan plan;
    if (text.starts_with(kByTurns)) {
        plan.by_turns = true;
        text.remove_prefix(kByTurns.size());
    }
    if (text == kNone)
        return plan;
    if (text.starts_with(kDrawn)) {
        plan.drawn = number_in<std::uint64_t>(text.substr(kDrawn.size()));
        return plan.drawn ? std::optional{plan} : std::nullopt;
    }
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        const auto number = number_in<std::uint64_t>(text.substr(from, comma - from));
        if (!number || *number >= ~std::uint32_t{0} ||
            (!plan.put_off.empty() && *number <= plan.put_off.back()))
            return std::nullopt;
        plan.put_off.push_back(static_cast<std::uint32_t>(*number));
        from = comma + 1;
    }
    return plan;
}

std::string numbers_of(const std::vector<std::uint32_t>& put_off) {
    return put_off.empty() ? std::string(kNone) : fmt::format("{}", fmt::join(put_off, ","));
}

std::string words_of(const OrderTaken::PutOff& put_off) {
    const Choice& about = put_off.about;
    return about.what == Choice::What::frame
               ? fmt::format("at {} the packet from node {} to node {}", put_off.choice,
                             index(about.node), index(about.other))
               : fmt::format("at {} the process of node {} whose turn had come", put_off.choice,
                             index(about.node));
}

std::vector<std::uint32_t> OrderTaken::numbers() const {
    std::vector<std::uint32_t> numbers;
    for (const PutOff& one : put_off)
        numbers.push_back(one.choice);
    return numbers;
}

Order::Order(const OrderPlan& plan, std::uint32_t nodes, TurnChooser* chooser)
    : plan_(plan),
      dice_(plan.seed, kStreams + plan.drawn.value_or(0)),
      is_slow_(nodes, false),
      chooser_(chooser) {
    if (!plan.drawn)
        return;
    chance_ = kChances[dice_.below(kChances.size())];
    for (std::uint32_t node = 0; node < nodes; ++node)
        is_slow_[node] = dice_.chance(kSlowNodes);
}

bool Order::puts_off(const Choice& choice) {
    if (!begun_)
        return false;
    const bool puts_off = wants(choice);
    if (puts_off)
        taken_.put_off.push_back({taken_.choices, choice});
    ++taken_.choices;
    return puts_off;
}

std::size_t Order::next_of(std::span<const Turn> ready) {
    const auto about = [&](std::size_t at) {
        return Choice{Choice::What::process, ready[at].node, ready[at].node};
    };
    std::size_t at = 0;
    if (chooser_ == nullptr && !plan_.drawn) {
        while (at + 1 < ready.size() && puts_off(about(at)))
            ++at;
        return at;
    }
    const std::size_t chosen = chooser_ != nullptr ? chooser_->choose(ready) : drawn_of(ready);
    for (; at < chosen; ++at)
        taken_.put_off.push_back({taken_.choices++, about(at)});
    taken_.choices += chosen + 1 < ready.size() ? 1 : 0;
    return chosen;
}

/// Processes go on by an urgency that each draws, and draws anew now and then (Burckhardt and
/// others, A randomized scheduler with probabilistic guarantees of finding bugs, ASPLOS 2010).
std::size_t Order::drawn_of(std::span<const Turn> ready) {
    std::size_t most = 0;
    for (std::size_t at = 0; at < ready.size(); ++at) {
        const auto [found, is_new] = urgency_.try_emplace(ready[at], 0);
        if (is_new || dice_.chance(chance_))
            found->second = dice_.next();
        if (found->second > urgency_[ready[most]])
            most = at;
    }
    return most;
}

bool Order::wants(const Choice& choice) {
    if (plan_.drawn)
        return dice_.chance(is_slow_[index(choice.node)] ? kSlowness : chance_);
    if (next_ == plan_.put_off.size() || plan_.put_off[next_] != taken_.choices)
        return false;
    ++next_;
    return true;
}

} // namespace mesh::host
