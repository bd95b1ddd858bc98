// Topologies as a rank sees them: the ranks from which it hears, and those to which it tells.
#pragma once

#include "mpi/collectives/rank_tree.hpp"

#include <span>

namespace mesh::mpi {

/// Refuses a communicator without a topology.
class AroundChecks : public Checks {
public:
    AroundChecks(const char* call, MPI_Comm handle) : Checks(call, handle) {
        if (!bad() && comm().grid == nullptr && comm().graph == nullptr)
            refuse(MPI_ERR_TOPOLOGY, "the communicator has no topology");
    }
};

/// The neighbours of the rank that calls, in the order of the neighbour collectives.
class Around {
public:
    /// Of a communicator with a topology.
    explicit Around(const Comm& comm);

    std::span<const int> sources() const { return sources_; }
    std::span<const int> destinations() const { return destinations_; }
    /// The tag of the message between neighbours: in a grid whose axis has two places they are one
    /// rank, and the message that goes up comes from below.
    int tag_out(std::size_t number) const { return is_grid_ ? static_cast<int>(number) : 0; }
    int tag_in(std::size_t number) const { return is_grid_ ? static_cast<int>(number ^ 1u) : 0; }

private:
    bool is_grid_ = false;
    Room of_grid_;
    std::span<const int> sources_;
    std::span<const int> destinations_;
};

/// The rank of the point `distance` further along an axis; MPI_PROC_NULL: outside.
Rank neighbor_in(const Grid& grid, Rank rank, int dimension, int distance);

/// Puts each rank of `group` on a node of `old` so that neighbours in `guest` (core/embedding.hpp)
/// are neighbours in the cube. False: the nodes are no subcube, or the guest does not fit there.
template <class Guest>
bool embed(const Guest& guest, const Comm& old, Group& group) {
    const RankTree cube(old, 0);
    if (!cube.in_subcube() || 1 << guest.dimension() > old.size())
        return false;
    for (Rank rank = 0; rank < group.size; ++rank)
        group.nodes[rank] =
            cube.node_in_cube(index(guest.node_of(static_cast<std::uint32_t>(rank))));
    return true;
}

} // namespace mesh::mpi
