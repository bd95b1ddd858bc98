#include "waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

/// The node on which a process waits; kNoNode if it is any, or its own.
NodeId other_side(const WaitsFor& waiting) {
    if (waiting.kind == WaitKind::taking)
        return waiting.to;
    return waiting.kind == WaitKind::mail ? waiting.match.source : kNoNode;
}

/// How much a wait says of why its node does not come further.
unsigned weight(const WaitsFor& waiting) {
    if (other_side(waiting) != kNoNode)
        return 2;
    return waiting.kind == WaitKind::process || waiting.kind == WaitKind::time ? 0 : 1;
}

/// The first of a node's waits that say most; nullptr if it waits for nothing.
const Wait* wait_of(std::span<const Wait> waits, std::uint32_t node) {
    const Wait* found = nullptr;
    for (const Wait& wait : waits)
        if (wait.node == node && (found == nullptr || weight(found->what) < weight(wait.what)))
            found = &wait;
    return found;
}

/// From one wait to that of the node it is for, until nobody is left or one comes again.
std::vector<const Wait*> chain_from(std::span<const Wait> waits, const Wait* wait) {
    std::vector<const Wait*> chain;
    while (wait != nullptr && std::find(chain.begin(), chain.end(), wait) == chain.end()) {
        chain.push_back(wait);
        const NodeId other = other_side(wait->what);
        wait = other == kNoNode ? nullptr : wait_of(waits, index(other));
    }
    if (wait != nullptr) // what led into the circle is no part of it
        chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), wait));
    return chain;
}

std::pair<std::size_t, unsigned> says(const std::vector<const Wait*>& chain) {
    return {chain.size(), weight(chain.front()->what)};
}

bool is_circle(const std::vector<const Wait*>& chain) {
    return other_side(chain.back()->what) == node_at(chain.front()->node);
}

/// "node 1", or "node 1's process 2"; `beside` one that was named last, "which" and "whose process
/// 2".
std::string name_of(const Wait& wait, bool beside) {
    const unsigned process = wait.what.process; // 0 is the program
    if (beside)
        return process == 0 ? "which" : fmt::format("whose process {}", process);
    return fmt::format("node {}{}", wait.node,
                       process == 0 ? std::string{} : fmt::format("'s process {}", process));
}

std::string text_of(const std::vector<const Wait*>& chain) {
    std::string text;
    for (const Wait* wait : chain)
        text += fmt::format("{}{} waits for {}", text.empty() ? "" : ", ",
                            name_of(*wait, !text.empty()), describe(wait->what));
    if (is_circle(chain))
        return text + ": a circle";
    return other_side(chain.back()->what) == kNoNode ? text : text + ", which has ended";
}

} // namespace

std::string describe_waits(std::span<const Wait> waits) {
    constexpr std::size_t kLongest = 8;
    std::vector<const Wait*> shown;
    for (const Wait& wait : waits) {
        const auto chain = chain_from(waits, wait_of(waits, wait.node));
        if (is_circle(chain) || shown.empty() || says(chain) > says(shown))
            shown = chain;
        if (is_circle(shown))
            break;
    }
    if (shown.empty())
        return {};
    if (shown.size() > kLongest && !is_circle(shown)) // its end says why
        shown.erase(shown.begin(), shown.end() - kLongest);
    return text_of(shown);
}

} // namespace mesh::host
