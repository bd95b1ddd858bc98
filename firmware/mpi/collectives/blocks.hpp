// Blocks of the ranks in the memory of a collective, and the messages that carry them: a rank posts
// all receives, then sends, so that none waits for another's turn.
#pragma once

#include "mpi/collectives/parts.hpp"
#include "mpi/engine/meaning.hpp"

namespace mesh::mpi {

/// Blocks of one rank each, or of one neighbour.
struct Blocks {
    /// As many elements each, side by side.
    Blocks(const void* its, int each, MPI_Datatype handle) : Blocks(its, nullptr, nullptr, handle) {
        count = each;
    }
    /// As many as `its_counts` says, where `its_places` says, in elements.
    Blocks(const void* its, const int* its_counts, PlaceList its_places, MPI_Datatype handle)
        : data(static_cast<std::byte*>(const_cast<void*>(its))),
          type(handle),
          counts(its_counts),
          places(its_places) {}
    /// Each with a type of its own; the places are in bytes.
    Blocks(const void* its, const int* its_counts, PlaceList its_places,
           const MPI_Datatype* its_types)
        : Blocks(its, its_counts, its_places, MPI_DATATYPE_NULL) {
        types = its_types;
    }

    MPI_Datatype type_of_block(int number) const { return types != nullptr ? types[number] : type; }
    int count_of(int number) const { return counts != nullptr ? counts[number] : count; }
    std::byte* block(int number) const {
        if (types != nullptr)
            return data + places[number];
        const MPI_Aint place =
            places.is_there() ? places[number] : static_cast<MPI_Aint>(number) * count;
        return data + place * type_of(type)->extent;
    }
    bool is_in_place() const { return data == MPI_IN_PLACE; }

    std::byte* data; // what is sent is not written
    MPI_Datatype type;
    int count = 0;
    const int* counts;
    PlaceList places;
    const MPI_Datatype* types = nullptr;
};

/// Requests of a collective, which it ends all at once.
class Parts {
public:
    /// `most`: so many requests.
    Parts(Comm& comm, const PartKind& part, std::size_t most)
        : comm_(comm),
          part_(part),
          room_(most * sizeof(Request)) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// `kind`: send or receive. `direction`: more than the tag of the collective.
    void add(Request::Kind kind, const Blocks& blocks, int number, Rank peer, int direction = 0) {
        Request& request = *new (&all()[count_++]) Request(
            asked(kind, blocks.block(number), blocks.count_of(number), blocks.type_of_block(number),
                  peer, part_.tag + direction, comm_, Traffic::collectives));
        request.meaning = part_.meaning;
        begin(request);
    }
    /// Waits for all; gives what the call returns.
    int end() {
        int error = MPI_SUCCESS;
        for (std::size_t at = 0; at < count_; ++at) {
            wait(all()[at]);
            if (error == MPI_SUCCESS)
                error = code_of_part(all()[at], part_.call);
            all()[at].~Request();
        }
        return error;
    }

private:
    Request* all() { return reinterpret_cast<Request*>(room_.data()); }

    Comm& comm_;
    PartKind part_;
    Room room_;
    std::size_t count_ = 0;
};

} // namespace mesh::mpi
