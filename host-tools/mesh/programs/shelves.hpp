// A range of memory that shows what it has for one node at a time: a file that no folder has keeps
// it for all of them, and what changes hands is the mapping, no byte. So a turn costs what it
// touches, however large the range is.
#pragma once

#include "core/base/types.hpp"
#include "host-tools/mesh/common/child_process.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mesh::host {

class Shelves {
public:
    /// There is none.
    Shelves() = default;
    /// `memory`: whole pages, with what every node begins with. RunError: no file.
    Shelves(std::span<std::byte> memory, std::uint32_t nodes);

    /// From now on the range has what it has for this node. RunError: the system has no mapping.
    void show(NodeId node);
    /// The node begins again, with what was there at first. It must not be shown until then.
    void reset(NodeId node);

private:
    std::size_t place(NodeId node) const { return index(node) * memory_.size(); }

    std::span<std::byte> memory_;
    Fd file_;
    std::vector<std::size_t> begins_; // of those parts of the range that are not zero at first
    std::vector<std::byte> parts_;    // what is in them
    std::vector<bool> is_filled_;     // by node: the file has its parts
};

} // namespace mesh::host
