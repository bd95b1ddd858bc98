// A call of a collective that not all nodes of a run have made alike.
#pragma once

#include "hal/notes.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace mesh::host {

struct CallsApart {
    /// One or more nodes and the call that they have begun.
    struct Side {
        std::vector<std::uint32_t> nodes; // in the order in which they came
        detail::CallNote note;
        std::uint32_t pc = 0;    // of the first one (wire::CrashRecord)
        std::string rank_call{}; // of MPI, in words; "": the note has the call

        bool is_like(const detail::CallNote& other) const {
            return note.name == other.name && note.to_root == other.to_root &&
                   note.root == other.root;
        }
    };
    std::vector<Side> sides;              // the first one is that of the node that came first
    std::uint32_t begun = 0;              // nodes on all sides
    std::string where{};                  // of MPI: which call it is, in words
    std::vector<std::uint32_t> members{}; // of MPI: the nodes that are to make it; else all are
};

/// The function and line of an address (wire::CrashRecord) in the program of a node.
using PlaceOf = std::function<std::string(std::uint32_t node, std::uint32_t pc)>;

/// A call that a node has made, without its arguments; name "": it has made none.
struct LastCall {
    std::string name;
    std::uint32_t pc = 0;
};

} // namespace mesh::host
