// The collectives of MPI as the ranks of a simulation call them: each communicator's, in the order
// of each rank, compared with what other ranks have called there.
#pragma once

#include "calls_apart.hpp"

#include "hal/rank_notes.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mesh::host {

class JointCalls {
public:
    /// A node makes the next collective of a communicator, at `pc` (wire::CrashRecord). Gives what
    /// the ranks do not agree about; nullptr: nothing yet.
    const char* add(std::uint32_t node, const detail::JointCall& call, std::uint32_t pc);
    /// The first ones that differ; or those that some ranks have not made, in any order.
    std::vector<CallsApart> apart() const;

private:
    /// The ranks that have made a call at one place, and what they gave.
    struct Side {
        detail::JointCall call;
        std::uint32_t pc;
        std::vector<std::uint32_t> nodes;
    };
    struct Communicator {
        std::string name;
        std::vector<std::uint32_t> nodes;
        bool is_told = true;                         // at all ranks, all the time
        std::map<std::uint32_t, unsigned> made;      // by each node
        std::map<unsigned, std::vector<Side>> calls; // that not all nodes have made
    };
    using Key = std::pair<std::uint32_t, std::uint32_t>; // number and least node

    const char* compare(const Communicator& on, unsigned number, const Side& one, const Side& two);
    const char* missing(std::uint32_t node, const Side& end);

    std::map<Key, Communicator> communicators_;
    std::map<std::uint32_t, Side> ended_; // by MPI_Finalize()
    std::optional<CallsApart> differ_;
};

} // namespace mesh::host
