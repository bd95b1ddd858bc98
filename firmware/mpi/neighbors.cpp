// Collectives among neighbours in a grid or a graph: all receives are posted, then all is sent.
#include "mpi/graphs.hpp"
#include "mpi/parts.hpp"

namespace mesh::mpi {

namespace {

struct Block {
    std::byte* data;
    int count;
    MPI_Datatype type;
};

std::byte* byte_at(const void* data, MPI_Aint offset) {
    return const_cast<std::byte*>(static_cast<const std::byte*>(data)) + offset;
}

/// `out` and `in` give the block for the neighbour with a number.
template <class Out, class In>
int exchange(AroundChecks& checks, Out out, In in) {
    Comm& comm = checks.comm();
    const Around around(comm);
    const std::size_t count = around.sources().size() + around.destinations().size();
    const Room room(count * sizeof(Request));
    auto* const requests = reinterpret_cast<Request*>(room.data());
    std::size_t made = 0;
    const auto add = [&](Request::Kind kind, Rank peer, int tag, const Block& block) {
        Request& request = *new (&requests[made++]) Request;
        request.kind = kind;
        request.comm = &comm;
        request.traffic = Traffic::collectives;
        request.peer = peer;
        request.tag = part_tag::kNeighbors + tag;
        request.type = type_of(block.type);
        request.count = block.count;
        request.data = block.data;
        begin(request);
    };
    for (std::size_t at = 0; at < around.sources().size(); ++at)
        add(Request::Kind::receive, around.sources()[at], around.tag_in(at), in(at));
    for (std::size_t at = 0; at < around.destinations().size(); ++at)
        add(Request::Kind::send, around.destinations()[at], around.tag_out(at), out(at));
    int error = MPI_SUCCESS;
    for (std::size_t at = 0; at < made; ++at) {
        wait(requests[at]);
        if (error == MPI_SUCCESS)
            error = code_of_part(requests[at], checks.call());
        requests[at].~Request();
    }
    return error;
}

MPI_Aint extent_of(MPI_Datatype handle) {
    const Type* const type = type_of(handle);
    return type == nullptr ? 0 : type->extent;
}

/// The same block for all.
auto one_block(const void* data, int count, MPI_Datatype type) {
    return [=](std::size_t) { return Block{byte_at(data, 0), count, type}; };
}

/// Blocks of one size, side by side.
auto like_blocks(const void* data, int count, MPI_Datatype type) {
    return [=, step = count * extent_of(type)](std::size_t at) {
        return Block{byte_at(data, static_cast<MPI_Aint>(at) * step), count, type};
    };
}

auto listed_blocks(const void* data, const int* counts, const int* places, MPI_Datatype type) {
    return [=, step = extent_of(type)](std::size_t at) {
        return Block{byte_at(data, places[at] * step), counts[at], type};
    };
}

auto typed_blocks(const void* data, const int* counts, const MPI_Aint* places,
                  const MPI_Datatype* types) {
    return [=](std::size_t at) { return Block{byte_at(data, places[at]), counts[at], types[at]}; };
}

int neighbor_allgather(AroundChecks& checks, const void* mine, int count, MPI_Datatype type,
                       void* all, int all_count, MPI_Datatype all_type) {
    return checks.type(type).type(all_type).bad() ? checks.code()
                                                  : exchange(checks, one_block(mine, count, type),
                                                             like_blocks(all, all_count, all_type));
}

int neighbor_allgatherv(AroundChecks& checks, const void* mine, int count, MPI_Datatype type,
                        void* all, const int* counts, const int* places, MPI_Datatype all_type) {
    return checks.type(type).type(all_type).bad()
               ? checks.code()
               : exchange(checks, one_block(mine, count, type),
                          listed_blocks(all, counts, places, all_type));
}

int neighbor_alltoall(AroundChecks& checks, const void* out, int out_count, MPI_Datatype out_type,
                      void* in, int in_count, MPI_Datatype in_type) {
    return checks.type(out_type).type(in_type).bad()
               ? checks.code()
               : exchange(checks, like_blocks(out, out_count, out_type),
                          like_blocks(in, in_count, in_type));
}

int neighbor_alltoallv(AroundChecks& checks, const void* out, const int* out_counts,
                       const int* out_places, MPI_Datatype out_type, void* in, const int* in_counts,
                       const int* in_places, MPI_Datatype in_type) {
    return checks.type(out_type).type(in_type).bad()
               ? checks.code()
               : exchange(checks, listed_blocks(out, out_counts, out_places, out_type),
                          listed_blocks(in, in_counts, in_places, in_type));
}

int neighbor_alltoallw(AroundChecks& checks, const void* out, const int* out_counts,
                       const MPI_Aint* out_places, const MPI_Datatype* out_types, void* in,
                       const int* in_counts, const MPI_Aint* in_places,
                       const MPI_Datatype* in_types) {
    return exchange(checks, typed_blocks(out, out_counts, out_places, out_types),
                    typed_blocks(in, in_counts, in_places, in_types));
}

} // namespace

} // namespace mesh::mpi

#include "doors/neighbors.inc"
