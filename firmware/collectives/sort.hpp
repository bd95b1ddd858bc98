// Bitonic sorting: records of all nodes into the order of the nodes, whatever their number.
//
// Each node has a block of at most as many records as every other one; records that it lacks count
// as larger than all others. Nodes sort their blocks, then compare and split them with each other's
// in descending passes of 1, 2, .. n dimensions. (huang-yang-tseng-2001, section 7, corrected)
#pragma once

#include "collectives/ascend.hpp"

#include <cstdint>

namespace mesh {

/// The kind of records that bitonic_sort() sorts.
enum class Record : std::uint8_t {
    i32,  // 4 bytes, signed, little-endian
    line, // text with a newline at its end, which does not count; ordered by its bytes
};

/// The plan of a sort, on which all nodes agree before it begins.
struct SortPlan {
    Record record = Record::i32;
    std::uint32_t block_records = 0; // most records of a node
    std::uint32_t packet_bytes = 0;  // as in AscendPlan
    Tag tag = 0;
};

/// Sorts. `block` holds this node's records, at most plan.block_records of them, in any order;
/// afterwards node c has those with the ranks c * plan.block_records and up, in order. Room:
/// whatever block_records records take. Status as of descend(); truncated also where lines did not
/// fit the room of this node, or of one that it works for, and were lost. n(n+1) steps on the cube
/// under half, half of them else; on the UHC n(n+2) (odd n: (n+1)^2), or three quarters of them.
Task<Status> bitonic_sort(Kernel& kernel, const SortPlan& plan, AscendBlock& block);

} // namespace mesh
