#include "joint_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace mesh::host {

namespace {

using detail::JointCall;

constexpr std::string_view kEnd = "MPI_Finalize";

/// Something that all ranks of a call must give alike.
struct Part {
    const char* name;
    bool (*differs)(const JointCall& one, const JointCall& two);
    std::string (*words)(const JointCall& call);
};

constexpr Part kParts[] = {
    {"the call",
     [](const JointCall& one, const JointCall& two) {
         return std::string_view(one.name) != two.name;
     },
     [](const JointCall&) { return std::string(); }},
    {"the root", [](const JointCall& one, const JointCall& two) { return one.root != two.root; },
     [](const JointCall& call) { return fmt::format(" with root {}", call.root); }},
    {"the operation",
     [](const JointCall& one, const JointCall& two) {
         return std::string_view(one.operation) != two.operation;
     },
     [](const JointCall& call) {
         return *call.operation == '\0' ? std::string(" with an operation of its own")
                                        : fmt::format(" with {}", call.operation);
     }},
    {"the datatype",
     [](const JointCall& one, const JointCall& two) {
         return one.kind != two.kind && one.kind != 0 && two.kind != 0;
     },
     [](const JointCall& call) {
         return fmt::format(" of {}", *call.type == '\0' ? "another type" : call.type);
     }},
    {"the size",
     [](const JointCall& one, const JointCall& two) {
         return one.bytes != two.bytes && one.bytes >= 0 && two.bytes >= 0;
     },
     [](const JointCall& call) { return fmt::format(" of {} bytes", call.bytes); }},
};

std::string place_of(unsigned number, const std::string& communicator) {
    return fmt::format("collective {} of {}", number + 1, communicator);
}

} // namespace

const char* JointCalls::add(std::uint32_t node, const JointCall& call, std::uint32_t pc) {
    std::vector<std::uint32_t> nodes;
    for (const auto& group : {call.ranks, call.peers})
        for (const NodeId one : group)
            nodes.push_back(index(one));
    std::ranges::sort(nodes);
    const auto twice = std::ranges::unique(nodes);
    nodes.erase(twice.begin(), twice.end());
    const Side side{call, pc, {node}};
    const char* const missed = call.name == kEnd ? missing(node, side) : nullptr;
    if (nodes.size() == 1)
        return missed;
    const auto [found, is_new] = communicators_.try_emplace({call.communicator, nodes.front()});
    Communicator& on = found->second;
    if (is_new) {
        on.name = *call.communicator_name != '\0'
                      ? call.communicator_name
                      : fmt::format("a communicator of {} ranks", nodes.size());
        on.nodes = std::move(nodes);
    }
    on.is_told = on.is_told && call.is_told;
    const unsigned number = on.made[node]++;
    auto& sides = on.calls[number];
    for (const Side& other : sides)
        if (const char* const what = compare(on, number, other, side); what != nullptr)
            return what;
    const auto same = std::ranges::find(sides, pc, &Side::pc);
    if (same == sides.end())
        sides.push_back(side);
    else
        same->nodes.push_back(node);
    std::size_t begun = 0;
    for (const Side& one : sides)
        begun += one.nodes.size();
    if (begun == on.nodes.size())
        on.calls.erase(number);
    else if (sides.front().nodes.size() == 1 && begun == 1)
        for (const auto& [other, its_end] : ended_)
            if (std::ranges::binary_search(on.nodes, other))
                if (const char* const what = compare(on, number, side, its_end); what != nullptr)
                    return what;
    return missed;
}

/// A rank that ends has left out what others have called.
const char* JointCalls::missing(std::uint32_t node, const Side& end) {
    ended_.insert_or_assign(node, end);
    for (const auto& [key, on] : communicators_) {
        const auto made = on.made.find(node);
        const unsigned number = made == on.made.end() ? 0 : made->second;
        const auto call = on.calls.find(number);
        if (call == on.calls.end() || !std::ranges::binary_search(on.nodes, node))
            continue;
        const char* const what = compare(on, number, call->second.front(), end);
        if (what != nullptr)
            return what;
    }
    return nullptr;
}

const char* JointCalls::compare(const Communicator& on, unsigned number, const Side& one,
                                const Side& two) {
    const auto* const part = std::ranges::find_if(
        kParts, [&](const Part& its) { return its.differs(one.call, two.call); });
    if (!on.is_told || part == std::end(kParts))
        return nullptr;
    if (!differ_) {
        differ_ = CallsApart{.sides = {}, .begun = 2, .where = place_of(number, on.name)};
        for (const Side* const side : {&one, &two})
            differ_->sides.push_back(
                {side->nodes, {}, side->pc, side->call.name + part->words(side->call)});
    }
    return part->name;
}

std::vector<CallsApart> JointCalls::apart() const {
    if (differ_)
        return {*differ_};
    std::vector<CallsApart> found;
    for (const auto& [key, on] : communicators_)
        for (const auto& [number, sides] : on.calls) {
            CallsApart one{.sides = {{{}, {}, sides.front().pc, sides.front().call.name}},
                           .begun = 0,
                           .where = place_of(number, on.name),
                           .members = on.nodes};
            for (const Side& side : sides)
                one.sides.front().nodes.insert(one.sides.front().nodes.end(), side.nodes.begin(),
                                               side.nodes.end());
            if (on.is_told)
                found.push_back(std::move(one));
        }
    return found;
}

} // namespace mesh::host
