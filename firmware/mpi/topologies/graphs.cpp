// Graphs as topologies. MPI_Graph_create() may reorder the ranks of a full binary tree in a cube or
// subcube, so that each of its edges is one link (core/embedding.hpp); ranks of other graphs stay.
#include "mpi/topologies/graphs.hpp"

#include "core/embedding.hpp"
#include "mpi/communicators/communicators.hpp"

#include <algorithm>
#include <bit>

namespace mesh::mpi {

namespace {

Graph* new_graph(bool is_distributed, bool has_weights, int first, int second) {
    const int words = is_distributed ? (first + second) * (has_weights ? 2 : 1) : first + second;
    const std::size_t bytes = sizeof(Graph) + static_cast<std::size_t>(words) * sizeof(int);
    void* const place = mesh_malloc(bytes);
    if (place == nullptr)
        end_run("no memory for a graph", MPI_ERR_NO_MEM);
    return new (place) Graph{bytes, is_distributed, has_weights, first, second};
}

/// The neighbours of a rank in a graph of MPI_Graph_create().
std::span<const int> edges_of(Graph& graph, Rank rank) {
    const int* const ends = graph.words();
    const int begin = rank == 0 ? 0 : ends[rank - 1];
    return {graph.words() + graph.first + begin, static_cast<std::size_t>(ends[rank] - begin)};
}

/// The levels of a graph that is a full binary tree, whose ranks count level by level from the
/// root; 0: it is no such tree.
unsigned levels_of_tree(int nodes, const int* ends, const int* edges) {
    if (nodes < 1 || !std::has_single_bit(static_cast<unsigned>(nodes) + 1))
        return 0;
    int begin = 0;
    for (Rank rank = 0; rank < nodes; begin = ends[rank++]) {
        const std::span<const int> relatives{edges + begin, edges + ends[rank]};
        const bool is_leaf = 2 * rank + 1 >= nodes;
        const auto is_relative = [=](Rank other) {
            return (rank > 0 && other == (rank - 1) / 2) || other == 2 * rank + 1 ||
                   other == 2 * rank + 2;
        };
        if (relatives.size() != (rank > 0 ? 1u : 0u) + (is_leaf ? 0u : 2u) ||
            !std::ranges::all_of(relatives, is_relative))
            return 0;
    }
    return static_cast<unsigned>(std::bit_width(static_cast<unsigned>(nodes)));
}

/// A communicator with the first `size` ranks of the old one, or with those of its nodes on which a
/// tree of so many levels is put.
Comm* copy_first(Comm& old, Rank size, unsigned levels = 0) {
    Group* const group = new_group(size);
    const BinaryTreeGuest guest{levels};
    if (levels == 0 || !guest.valid() || !embed(guest, old, *group))
        std::copy_n(old.group->nodes, size, group->nodes);
    return make_communicator(old, group);
}

/// Checks that a communicator has a graph of the one kind or the other.
class GraphChecks : public Checks {
public:
    GraphChecks(const char* call, MPI_Comm handle, bool is_distributed) : Checks(call, handle) {
        if (!bad() && (comm().graph == nullptr || comm().graph->is_distributed != is_distributed))
            refuse(MPI_ERR_TOPOLOGY, nullptr);
    }
    Graph& graph() const { return *comm().graph; }
};

/// Lists of MPI_Graph_create() are a graph: ends do not go down, and edges lead to nodes of it.
bool are_graph(int nodes, const int* ends, const int* edges) {
    const auto is_node = [nodes](int node) { return node >= 0 && node < nodes; };
    return nodes == 0 || (ends[0] >= 0 && std::is_sorted(ends, ends + nodes) &&
                          std::all_of(edges, edges + ends[nodes - 1], is_node));
}

bool are_weights(const int* weights) {
    return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}

/// An edge as all ranks learn of it.
struct Edge {
    int from;
    int to;
    int weight;
};

} // namespace

Around::Around(const Comm& comm) : is_grid_(comm.grid != nullptr) {
    if (is_grid_) {
        const std::size_t count = 2 * comm.grid->axes().size();
        of_grid_ = Room(count * sizeof(int));
        auto* const ranks = reinterpret_cast<int*>(of_grid_.data());
        for (int at = 0; at < comm.grid->dimensions; ++at) {
            ranks[2 * at] = neighbor_in(*comm.grid, comm.rank(), at, -1);
            ranks[2 * at + 1] = neighbor_in(*comm.grid, comm.rank(), at, 1);
        }
        sources_ = destinations_ = {ranks, count};
        return;
    }
    Graph& graph = *comm.graph;
    if (!graph.is_distributed) {
        sources_ = destinations_ = edges_of(graph, comm.rank());
        return;
    }
    sources_ = {graph.words(), static_cast<std::size_t>(graph.first)};
    destinations_ = {graph.words() + graph.first, static_cast<std::size_t>(graph.second)};
}

namespace {

int graph_create(Checks& checks, int nodes, const int* ends, const int* edges, int reorder,
                 MPI_Comm* made) {
    if (nodes < 0 || nodes > checks.comm().size())
        return checks.refuse(MPI_ERR_ARG, "the graph has more nodes than there are ranks");
    if (!are_graph(nodes, ends, edges))
        return checks.refuse(MPI_ERR_ARG, "the lists are no graph of so many nodes");
    const unsigned levels = reorder != 0 ? levels_of_tree(nodes, ends, edges) : 0;
    Comm* const comm = copy_first(checks.comm(), nodes, levels);
    if (comm != nullptr) {
        const int count = nodes == 0 ? 0 : ends[nodes - 1];
        comm->graph = new_graph(false, false, nodes, count);
        std::copy_n(ends, nodes, comm->graph->words());
        std::copy_n(edges, count, comm->graph->words() + nodes);
    }
    *made = give_handle(comm);
    return MPI_SUCCESS;
}

int graph_map(Checks& checks, int nodes, const int*, const int*, int* rank) {
    if (nodes <= 0 || nodes > checks.comm().size())
        return checks.refuse(MPI_ERR_ARG, "the graph has no nodes, or more than there are ranks");
    *rank = checks.comm().rank() < nodes ? checks.comm().rank() : int{MPI_UNDEFINED};
    return MPI_SUCCESS;
}

void graphdims_get(GraphChecks& checks, int* nodes, int* edges) {
    *nodes = checks.graph().first;
    *edges = checks.graph().second;
}

void graph_get(GraphChecks& checks, int most_ends, int most_edges, int* ends, int* edges) {
    Graph& graph = checks.graph();
    std::copy_n(graph.words(), std::min(most_ends, graph.first), ends);
    std::copy_n(graph.words() + graph.first, std::min(most_edges, graph.second), edges);
}

void graph_neighbors_count(GraphChecks& checks, int rank, int* count) {
    *count = static_cast<int>(edges_of(checks.graph(), rank).size());
}

void graph_neighbors(GraphChecks& checks, int rank, int most, int* ranks) {
    const auto edges = edges_of(checks.graph(), rank);
    std::copy_n(edges.begin(), std::min(edges.size(), static_cast<std::size_t>(std::max(most, 0))),
                ranks);
}

void dist_graph_create_adjacent(Checks& checks, int in, const int* sources, const int* in_weights,
                                int out, const int* destinations, const int* out_weights, int,
                                MPI_Comm* made) {
    for (int at = 0; at < in; ++at)
        checks.peer(sources[at]);
    for (int at = 0; at < out; ++at)
        checks.peer(destinations[at]);
    if (checks.count(in).count(out).bad())
        return;
    const bool weighs = in_weights != MPI_UNWEIGHTED && out_weights != MPI_UNWEIGHTED;
    Comm* const comm = copy_first(checks.comm(), checks.comm().size());
    comm->graph = new_graph(true, weighs, in, out);
    int* words = std::copy_n(sources, in, comm->graph->words());
    words = std::copy_n(destinations, out, words);
    if (weighs) {
        words = std::copy_n(in_weights, in, words);
        std::copy_n(out_weights, out, words);
    }
    *made = give_handle(comm);
}

// All ranks learn of all edges, and each keeps its own, in the order of the ranks that told them.
void dist_graph_create(Checks& checks, int count, const int* sources, const int* degrees,
                       const int* destinations, const int* weights, int, MPI_Comm* made) {
    checks.count(count);
    int own = 0;
    for (int at = 0; at < count && !checks.peer(sources[at]).count(degrees[at]).bad(); ++at)
        for (int number = 0; number < degrees[at]; ++number)
            checks.peer(destinations[own++]);
    if (checks.bad())
        return;
    Comm& old = checks.comm();
    const auto size = static_cast<std::size_t>(old.size());
    const Room room(2 * size * sizeof(int));
    int* const lengths = reinterpret_cast<int*>(room.data());
    int* const places = lengths + size;
    own *= static_cast<int>(sizeof(Edge));
    int weighs = weights != MPI_UNWEIGHTED ? 1 : 0;
    PMPI_Allreduce(MPI_IN_PLACE, &weighs, 1, MPI_INT, MPI_MAX, checks.handle());
    PMPI_Allgather(&own, 1, MPI_INT, lengths, 1, MPI_INT, checks.handle());
    int bytes = 0;
    for (std::size_t at = 0; at < size; ++at) {
        places[at] = bytes;
        bytes += lengths[at];
    }
    const Room edge_room(static_cast<std::size_t>(bytes) + 1);
    const std::span<Edge> edges{reinterpret_cast<Edge*>(edge_room.data()),
                                static_cast<std::size_t>(bytes) / sizeof(Edge)};
    Edge* next = edges.data() + static_cast<std::size_t>(places[old.rank()]) / sizeof(Edge);
    for (int at = 0, edge = 0; at < count; ++at)
        for (int number = 0; number < degrees[at]; ++number, ++edge)
            *next++ = {sources[at], destinations[edge], are_weights(weights) ? weights[edge] : 0};
    PMPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, edges.data(), lengths, places, MPI_BYTE,
                    checks.handle());
    const Rank rank = old.rank();
    const auto in = std::ranges::count(edges, rank, &Edge::to);
    const auto out = std::ranges::count(edges, rank, &Edge::from);
    Comm* const comm = copy_first(old, old.size());
    Graph* const graph = comm->graph =
        new_graph(true, weighs != 0, static_cast<int>(in), static_cast<int>(out));
    int* heard = graph->words();
    int* told = heard + in;
    const auto weight_of = in + out; // behind the ranks
    for (const Edge& edge : edges) {
        if (edge.to == rank) {
            if (graph->has_weights)
                heard[weight_of] = edge.weight;
            *heard++ = edge.from;
        }
        if (edge.from == rank) {
            if (graph->has_weights)
                told[weight_of] = edge.weight;
            *told++ = edge.to;
        }
    }
    *made = give_handle(comm);
}

void dist_graph_neighbors_count(GraphChecks& checks, int* in, int* out, int* weighs) {
    *in = checks.graph().first;
    *out = checks.graph().second;
    *weighs = checks.graph().has_weights;
}

void dist_graph_neighbors(GraphChecks& checks, int most_in, int* sources, int* in_weights,
                          int most_out, int* destinations, int* out_weights) {
    Graph& graph = checks.graph();
    const int in = std::min(most_in, graph.first);
    const int out = std::min(most_out, graph.second);
    const int* const words = graph.words();
    std::copy_n(words, in, sources);
    std::copy_n(words + graph.first, out, destinations);
    const int* const weights = words + graph.first + graph.second;
    if (graph.has_weights && are_weights(in_weights))
        std::copy_n(weights, in, in_weights);
    if (graph.has_weights && are_weights(out_weights))
        std::copy_n(weights + graph.first, out, out_weights);
}

} // namespace

} // namespace mesh::mpi

#include "doors/graphs.inc"
