#include "window_races.hpp"

#include <algorithm>

namespace mesh::host {

namespace {

using detail::WindowAccess;
using Access = WindowRaces::Access;

bool is_alike(const WindowAccess& one, const WindowAccess& two) {
    return one.operation == two.operation || one.operation == 0 || two.operation == 0;
}

/// Loads and stores of one rank come in the order of its program, and so do its accumulations.
bool meet(const Access& first, const Access& second) {
    const WindowAccess& one = first.what;
    const WindowAccess& two = second.what;
    const bool are_atomic = one.is_atomic && two.is_atomic;
    return one.epoch == two.epoch && one.begin < two.end && two.begin < one.end &&
           (one.changes || two.changes) && !(one.is_own && two.is_own) &&
           !(are_atomic && (first.node == second.node || is_alike(one, two)));
}

} // namespace

std::optional<Access> WindowRaces::add(std::uint32_t node, const WindowAccess& access) {
    auto& open = open_[{access.window, index(access.target)}];
    // Some rank has called this fence, so all have called the one before: what came before that has
    // ended.
    if (access.epoch != 0)
        std::erase_if(open, [&](const Access& one) {
            return one.what.epoch != 0 && one.what.epoch + 1 < access.epoch;
        });
    const Access added{node, access};
    const auto meets = [&added](const Access& one) { return meet(one, added); };
    const auto found = std::ranges::find_if(open, meets);
    if (found != open.end())
        return *found;
    const auto like = std::ranges::find_if(open, [&](const Access& one) {
        return one.node == node && one.what.place == access.place &&
               one.what.changes == access.changes && one.what.epoch == access.epoch &&
               one.what.begin <= access.end && access.begin <= one.what.end;
    });
    if (like == open.end()) {
        open.push_back(added);
    } else {
        like->what.begin = std::min(like->what.begin, access.begin);
        like->what.end = std::max(like->what.end, access.end);
    }
    return std::nullopt;
}

void WindowRaces::order(std::uint32_t node, std::uint32_t window, NodeId target) {
    const auto found = open_.find({window, index(target)});
    if (found != open_.end())
        std::erase_if(found->second, [node](const Access& one) {
            return one.node == node && one.what.epoch == 0;
        });
}

} // namespace mesh::host
