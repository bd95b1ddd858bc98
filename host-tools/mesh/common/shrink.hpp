// Makes a list that makes something fail smaller (delta debugging: Zeller and Hildebrandt, IEEE
// Transactions on Software Engineering 28, 2002).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mesh::host {

/// The rest of `items`, for which `fails` is true, when no item can be left out any more: the
/// shortest beginning that fails, and of that whole parts, half as long each time, from the back.
/// `fails(items)` may answer false when it has no time for more; costs about 2 log2(n) calls for a
/// list of which one item matters.
template <class T, class Fails>
std::vector<T> shrink(std::vector<T> items, Fails fails) {
    std::size_t passes = 0; // a beginning of so many does not fail, as far as is known
    while (items.size() - passes > 1) {
        const std::size_t count = passes + (items.size() - passes) / 2;
        std::vector<T> less(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count));
        if (fails(less))
            items = std::move(less);
        else
            passes = count;
    }
    for (std::size_t part = std::max<std::size_t>(items.size() / 2, 1); !items.empty();) {
        bool smaller = false;
        for (std::size_t end = items.size(); end > 0; end -= std::min(part, end)) {
            const std::size_t from = end - std::min(part, end);
            std::vector<T> less = items;
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(from),
                       less.begin() + static_cast<std::ptrdiff_t>(end));
            if (!fails(less))
                continue;
            items = std::move(less);
            smaller = true;
        }
        if (!smaller && part == 1)
            break;
        part = smaller ? std::min(part, std::max<std::size_t>(items.size() / 2, 1)) : part / 2;
    }
    return items;
}

} // namespace mesh::host
