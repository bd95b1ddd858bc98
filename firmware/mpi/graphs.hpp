// Topologies as a rank sees them: the ranks from which it hears, and those to which it tells.
#pragma once

#include "mpi/objects.hpp"

#include <span>

namespace mesh::mpi {

/// A graph of ranks. Lies in one block of the heap, with its words behind it: of MPI_Graph_create()
/// those that the program gave; of MPI_Dist_graph_create() the neighbours of this rank, first those
/// from which it hears, then those to which it tells, then the weights in the same order.
struct Graph {
    std::size_t bytes; // of all
    bool is_distributed;
    bool has_weights;
    int first;  // nodes; or how many it hears from
    int second; // edges; or how many it tells

    int* words() { return reinterpret_cast<int*>(this + 1); }
};

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

} // namespace mesh::mpi
