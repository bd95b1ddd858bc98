#include "waits.hpp"

#include "collectives/barrier.hpp"
#include "kernel/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mesh::host {

namespace {

/// The node on which a process waits; kNoNode if it is any, or its own.
NodeId other_side(const WaitsFor& waiting) {
    if (waiting.what == WaitsFor::What::taking)
        return waiting.to;
    return waiting.what == WaitsFor::What::mail ? waiting.match.source : kNoNode;
}

/// The first wait of a node for another one, or else its first; nullptr if it waits for nothing.
const Wait* wait_of(std::span<const Wait> waits, std::uint32_t node) {
    const Wait* found = nullptr;
    for (const Wait& wait : waits)
        if (wait.node == node && (found == nullptr || other_side(found->what) == kNoNode))
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

bool is_circle(const std::vector<const Wait*>& chain) {
    return other_side(chain.back()->what) == node_at(chain.front()->node);
}

std::string text_of(const std::vector<const Wait*>& chain) {
    std::string text;
    for (const Wait* wait : chain)
        text += text.empty() ? fmt::format("node {} waits for {}", wait->node, describe(wait->what))
                             : fmt::format(", which waits for {}", describe(wait->what));
    if (is_circle(chain))
        return text + ": a circle";
    return other_side(chain.back()->what) == kNoNode ? text : text + ", which has ended";
}

} // namespace

std::string tag_words(Tag tag) {
    if (tag >= channel_tag(ChannelNumber{0}))
        return fmt::format(" on channel {}", tag - channel_tag(ChannelNumber{0}));
    return fmt::format(" with tag {}{}", tag, tag == kBarrierTag ? ", of a barrier" : "");
}

std::string describe(const WaitsFor& waiting) {
    switch (waiting.what) {
    case WaitsFor::What::mail: {
        const Match& match = waiting.match;
        const bool message = match.service != Service::packet;
        std::string text = message ? "a message" : "a packet";
        if (match.tag != kAnyTag)
            text += tag_words(match.tag);
        return text + (match.source == kAnySource
                           ? std::string(" from any node")
                           : fmt::format(" from node {}", index(match.source)));
    }
    case WaitsFor::What::process: return fmt::format("the end of its process {}", waiting.joined);
    case WaitsFor::What::taking:
        return fmt::format("its message to be taken by node {}", index(waiting.to));
    case WaitsFor::What::other: break;
    }
    return "a channel of its own, a buffer, or a condition";
}

std::string describe_waits(std::span<const Wait> waits) {
    constexpr std::size_t kLongest = 8;
    std::vector<const Wait*> shown;
    for (const Wait& wait : waits) {
        const auto chain = chain_from(waits, wait_of(waits, wait.node));
        if (is_circle(chain) || chain.size() > shown.size())
            shown = chain;
        if (is_circle(shown))
            break;
    }
    if (shown.empty())
        return {};
    if (shown.size() > kLongest && !is_circle(shown))
        shown.resize(kLongest);
    return text_of(shown);
}

} // namespace mesh::host
