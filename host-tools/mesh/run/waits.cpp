#include "waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

/// The node for which a process waits; kNoNode if it waits for any node, or for its own.
NodeId other_side(const WaitsFor& waiting) {
    if (waiting.kind == WaitKind::taking || waiting.kind == WaitKind::mpi)
        return waiting.to;
    const bool of_one = waiting.kind == WaitKind::mail || waiting.kind == WaitKind::begun;
    return of_one ? waiting.match.source : kNoNode;
}

/// The same for a message of MPI, or for two nodes in one collective.
bool are_one_of_mpi(const Wait& sender, const Wait& receiver) {
    const WaitsFor& one = sender.what;
    const WaitsFor& other = receiver.what;
    return one.kind == WaitKind::mpi && other.kind == WaitKind::mpi && one.mpi_send &&
           !other.mpi_send && index(one.to) == receiver.node &&
           (other.to == kNoNode || index(other.to) == sender.node) &&
           (other.mpi_tag == one.mpi_tag || (other.mpi_tag < 0 && one.mpi_tag >= 0));
}

/// The two ends of one message, which their kernels carry on: `taking` of its sender, `mail` of its
/// receiver.
bool are_one_message(const Wait& sender, const Wait& receiver) {
    if (are_one_of_mpi(sender, receiver))
        return true;
    const Match& match = receiver.what.match;
    const bool of_message = match.service == Service::message || match.service == Service::fragment;
    return sender.what.kind == WaitKind::taking && receiver.what.kind == WaitKind::mail &&
           of_message && index(sender.what.to) == receiver.node &&
           (match.source == kAnySource || index(match.source) == sender.node) &&
           (match.service == Service::fragment || match.tag == kAnyTag ||
            match.tag == sender.what.tag);
}

/// The process of the first wait carries messages of MPI and makes none, and the other one is for
/// such a message.
bool only_carries(const WaitsFor& carrier, const WaitsFor& waiting) {
    return waiting.kind == WaitKind::mpi && carrier.kind != WaitKind::mpi && carrier.process != 0;
}

/// The waits that nothing can end. First each wait that some event may still end is taken away,
/// then again and again each wait for a node or process of such a wait; the rest is stuck.
class Stuck {
public:
    explicit Stuck(std::span<const Wait> waits) : waits_(waits), stuck_(waits.size(), true) {
        for (std::size_t at = 0; at < waits.size(); ++at) {
            of_node_[waits[at].node].push_back(at);
            if (const NodeId other = other_side(waits[at].what); other != kNoNode)
                for_node_[index(other)].push_back(at);
        }
        for (std::size_t at = 0; at < waits.size(); ++at)
            if (may_end(at))
                free(at);
        while (!freed_.empty()) {
            const std::size_t at = freed_.back();
            freed_.pop_back();
            for (const std::size_t other : for_node_[waits[at].node])
                if (!only_carries(waits[at].what, waits[other].what))
                    free(other);
            for (const std::size_t other : of_node_[waits[at].node])
                if (waits_for_process(other, at))
                    free(other);
        }
    }
    bool has(const Wait* wait) const {
        return stuck_[static_cast<std::size_t>(wait - waits_.data())];
    }

private:
    void free(std::size_t at) {
        if (stuck_[at])
            freed_.push_back(at);
        stuck_[at] = false;
    }
    /// True if an event other than the end of another process's wait may end this one.
    bool may_end(std::size_t at) {
        const Wait& wait = waits_[at];
        if (const NodeId other = other_side(wait.what); other != kNoNode) {
            const auto& there = of_node_[index(other)];
            return there.empty() || std::ranges::any_of(there, [&](std::size_t one) {
                       return are_one_message(wait, waits_[one]) ||
                              are_one_message(waits_[one], wait);
                   });
        }
        if (wait.what.kind != WaitKind::process && wait.what.kind != WaitKind::channel)
            return true;
        return std::ranges::none_of(of_node_[wait.node], [&](std::size_t other) {
            return other != at && waits_for_process(at, other);
        });
    }
    /// For two waits on one node: the process of `at` waits for the process of `other`.
    bool waits_for_process(std::size_t at, std::size_t other) const {
        const WaitsFor& waiting = waits_[at].what;
        return waiting.kind == WaitKind::channel ||
               (waiting.kind == WaitKind::process && waiting.other == waits_[other].what.process);
    }

    std::span<const Wait> waits_;
    std::vector<bool> stuck_;
    std::vector<std::size_t> freed_; // of which others are still to be freed
    std::unordered_map<std::uint32_t, std::vector<std::size_t>> of_node_, for_node_;
};

/// How much a wait explains why its node does not come further.
unsigned weight(const WaitsFor& waiting) {
    if (other_side(waiting) != kNoNode)
        return 2;
    const bool of_others = waiting.kind == WaitKind::process || waiting.kind == WaitKind::request;
    return of_others || waiting.kind == WaitKind::time ? 0 : 1;
}

/// The first of the node's waits that explain most; nullptr if it waits for nothing.
const Wait* wait_of(std::span<const Wait> waits, std::uint32_t node) {
    const Wait* found = nullptr;
    for (const Wait& wait : waits)
        if (wait.node == node && (found == nullptr || weight(found->what) < weight(wait.what)))
            found = &wait;
    return found;
}

/// The chain from one wait to a wait of the node that it is for, until none is left or one comes
/// again.
std::vector<const Wait*> chain_from(std::span<const Wait> waits, const Wait* wait) {
    std::vector<const Wait*> chain;
    while (wait != nullptr && std::find(chain.begin(), chain.end(), wait) == chain.end()) {
        chain.push_back(wait);
        const NodeId other = other_side(wait->what);
        wait = other == kNoNode ? nullptr : wait_of(waits, index(other));
    }
    if (wait != nullptr) // the waits that led into the circle are no part of it
        chain.erase(chain.begin(), std::find(chain.begin(), chain.end(), wait));
    return chain;
}

std::pair<std::size_t, unsigned> says(const std::vector<const Wait*>& chain) {
    return {chain.size(), weight(chain.front()->what)};
}

/// True if the last wait is for the node of the first one, and none of these waits can end.
bool is_circle(const std::vector<const Wait*>& chain, const Stuck& stuck) {
    return other_side(chain.back()->what) == node_at(chain.front()->node) &&
           std::ranges::all_of(chain, [&](const Wait* wait) { return stuck.has(wait); });
}

/// "node 1", or "node 1's process 2"; with `beside`, as the node was named last, "which" and "whose
/// process 2".
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
    return text;
}

} // namespace

std::string describe_waits(std::span<const Wait> waits,
                           const std::function<bool(std::uint32_t)>& has_ended, bool moving) {
    constexpr std::size_t kLongest = 8;
    const Stuck stuck(waits);
    std::vector<const Wait*> shown;
    for (const Wait& wait : waits) {
        const auto chain = chain_from(waits, wait_of(waits, wait.node));
        if (!moving && is_circle(chain, stuck))
            return text_of(chain) + ": a circle";
        if (shown.empty() || says(chain) > says(shown))
            shown = chain;
    }
    if (shown.empty())
        return {};
    if (shown.size() > kLongest) // its end says why
        shown.erase(shown.begin(), shown.end() - kLongest);
    const NodeId last = other_side(shown.back()->what);
    return text_of(shown) + (last != kNoNode && has_ended(index(last)) ? ", which has ended" : "");
}

} // namespace mesh::host
