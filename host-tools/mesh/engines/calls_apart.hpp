// A call of a collective that not all nodes of a run have made alike.
#pragma once

#include "hal/notes.hpp"

#include <cstdint>
#include <vector>

namespace mesh::host {

struct CallsApart {
    /// One or more nodes and the call that they have begun.
    struct Side {
        std::vector<std::uint32_t> nodes; // in the order in which they came
        detail::CallNote note;
        std::uint32_t pc = 0; // of the first one (wire::CrashRecord)

        bool is_like(const detail::CallNote& other) const {
            return note.name == other.name && note.to_root == other.to_root &&
                   note.root == other.root;
        }
    };
    std::vector<Side> sides; // the first one is that of the node that came first
    std::uint32_t begun = 0; // nodes on all sides
};

} // namespace mesh::host
