#include "call_words.hpp"

#include "host-tools/mesh/common/node_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace mesh::host {

namespace {

constexpr std::size_t kMissedMax = 2; // calls
constexpr std::size_t kLastMax = 4;   // places

/// "broadcast from node 0".
std::string name_of(const detail::CallNote& note) {
    return note.to_root.empty() ? std::string(note.name)
                                : fmt::format("{}{}{}", note.name, note.to_root, note.root);
}

/// "in app_main, FILE:LINE": without the functions of the library that the program's own called.
std::string in_program(std::string place) {
    constexpr std::string_view kOurs = "in mesh::", kCaller = ", called from ";
    for (auto at = place.find(kCaller); place.starts_with(kOurs) && at != std::string::npos;
         at = place.find(kCaller))
        place = fmt::format("in {}", place.substr(at + kCaller.size()));
    return place;
}

std::string_view article(std::string_view name) {
    return std::string_view("aeiou").find(name.front()) != std::string_view::npos ? "an" : "a";
}

/// "ranks 1 2": the number of a node is its rank in the world.
std::string name_ranks(const std::vector<std::uint32_t>& nodes) {
    constexpr std::string_view kNode = "node";
    return fmt::format("rank{}", name_nodes(nodes).substr(kNode.size()));
}

std::vector<std::uint32_t> without(const CallsApart& call, std::uint32_t nodes,
                                   const std::function<bool(std::uint32_t)>& lives) {
    std::vector<bool> begun(nodes, !call.members.empty());
    for (const std::uint32_t node : call.members)
        begun.at(node) = false;
    for (const auto& side : call.sides)
        for (const std::uint32_t node : side.nodes)
            begun.at(node) = true;
    std::vector<std::uint32_t> rest;
    for (std::uint32_t node = 0; node < nodes; ++node)
        if (!begun[node] && lives(node))
            rest.push_back(node);
    return rest;
}

} // namespace

CallWords words_of_calls(std::span<const CallsApart> calls, std::uint32_t nodes,
                         const std::function<bool(std::uint32_t)>& lives, const PlaceOf& place) {
    CallWords words;
    std::size_t missed = 0;
    for (const CallsApart& call : calls) {
        const CallsApart::Side& first = call.sides.front();
        const auto place_of = [&](const CallsApart::Side& side) {
            return in_program(place(side.nodes.front(), side.pc));
        };
        const bool is_mpi = !first.rank_call.empty();
        if (is_mpi && call.sides.size() > 1) {
            for (const CallsApart::Side& side : call.sides)
                words.differ += fmt::format("{}rank {}: {}, {}", words.differ.empty() ? "" : "; ",
                                            side.nodes.front(), side.rank_call, place_of(side));
            words.differ += ": " + call.where;
            continue;
        }
        if (call.sides.size() > 1 && words.differ.empty()) {
            const CallsApart::Side& other = call.sides[1];
            words.differ = fmt::format(
                "node {} began {} {} {}, where node {} began {} {} {}", other.nodes.front(),
                article(other.note.name), name_of(other.note), place_of(other), first.nodes.front(),
                article(first.note.name), name_of(first.note), place_of(first));
        }
        const auto rest = without(call, nodes, lives);
        if (rest.empty() || missed == kMissedMax)
            continue;
        if (is_mpi) {
            words.missed +=
                fmt::format("{}{} did not call {}, as rank {} did {}: {}",
                            missed++ == 0 ? "" : "; ", name_ranks(rest), first.rank_call,
                            first.nodes.front(), place_of(first), call.where);
            continue;
        }
        words.missed += fmt::format("{}{} did not begin the {} that node {} began {}",
                                    missed++ == 0 ? "" : "; ", name_nodes(rest),
                                    name_of(first.note), first.nodes.front(), place_of(first));
    }
    return words;
}

std::string told_last_calls(std::span<const std::uint32_t> nodes,
                            const std::function<LastCall(std::uint32_t)>& last,
                            const PlaceOf& place) {
    std::map<std::pair<std::uint32_t, std::string>, std::vector<std::uint32_t>> ranks; // of a place
    for (const std::uint32_t node : nodes)
        if (const LastCall call = last(node); !call.name.empty())
            ranks[{call.pc, call.name}].push_back(node);
    std::string words;
    for (std::size_t said = 0; const auto& [call, its] : ranks)
        if (said++ < kLastMax)
            words += fmt::format("{}{} called {}, {}", words.empty() ? "" : "; ", name_ranks(its),
                                 call.second, in_program(place(its.front(), call.first)));
    return words;
}

} // namespace mesh::host
