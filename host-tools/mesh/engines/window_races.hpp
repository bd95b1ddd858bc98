// Accesses to windows of MPI in a strict run, and two of them that meet in one place and that
// nothing orders (MPI 4.1, 12.7): the result of the program is then left to chance.
//
// Two accesses may come at the same time if both ranks have called as many fences, or if both were
// let in by locks or MPI_Win_start() and neither has ended its epoch. Of a pair that meets, one
// changes what lies there, and they are no accumulations of one rank, or of one operation.
#pragma once

#include "core/base/types.hpp"
#include "hal/rank_notes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mesh::host {

class WindowRaces {
public:
    struct Access {
        std::uint32_t node; // that makes it
        detail::WindowAccess what;
    };
    /// Notes an access. Gives an earlier one that it meets.
    std::optional<Access> add(std::uint32_t node, const detail::WindowAccess& access);
    /// RankNotes::orders_accesses().
    void order(std::uint32_t node, std::uint32_t window, NodeId target);

private:
    using Key = std::pair<std::uint32_t, std::uint32_t>; // window and target

    std::map<Key, std::vector<Access>> open_;
};

} // namespace mesh::host
