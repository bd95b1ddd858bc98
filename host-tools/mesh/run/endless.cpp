#include "endless.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mesh::host {

namespace {

/// A process that does not wait when it is looked at does so at one of the next looks, unless it
/// computes, which nodes tell by themselves.
constexpr unsigned kLooks = 20;

/// True for a time that will come, also one among several guards. Who waits for a message is asked
/// at times as well, but only so as to find out whether its sender still lives.
bool waits_for_a_time(const WaitsFor& waiting) {
    const bool by_time = waiting.kind == WaitKind::time || waiting.kind == WaitKind::condition ||
                         waiting.kind == WaitKind::alternative || waiting.kind == WaitKind::row;
    return by_time && !waiting.for_ever();
}

} // namespace

bool EndlessLook::hopeless() {
    NodeNumbers turning;
    for (const std::uint32_t node : node_table_.without(&NodeResult::done)) {
        const std::vector<WaitsFor> found = waits_of(node);
        if (found.empty() || std::ranges::any_of(found, waits_for_a_time))
            return false;
        if (std::ranges::count(found, WaitKind::turn, &WaitsFor::kind) != 0)
            turning.push_back(node);
    }
    if (!turning.empty())
        throw RunError(livelock(turning));
    return true;
}

std::string EndlessLook::livelock(const NodeNumbers& turning) {
    std::string place;
    for (const WaitsFor& waiting : waits_of(turning.front()))
        if (waiting.kind == WaitKind::turn && waiting.resumes != 0 && place.empty()) {
            wire::CrashRecord function{};
            function.pc = waiting.resumes;
            place = ", " + lines_.place_of(node_at(turning.front()), function);
        }
    return fmt::format("livelock: {} {} way turn after turn, and nothing else moves{}",
                       name_nodes(turning), turning.size() == 1 ? "gives" : "give", place);
}

std::vector<WaitsFor> EndlessLook::waits_of(std::uint32_t node) {
    std::vector<WaitsFor> found;
    for (unsigned look = 0; look < kLooks && found.empty(); ++look)
        found = engine_.waiting(node_at(node));
    return found;
}

} // namespace mesh::host
