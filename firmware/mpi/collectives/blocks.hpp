// Blocks of the ranks in the memory of a collective, and the messages that carry them: a rank posts
// all receives, then sends, so that none waits for another's turn.
#pragma once

#include "mpi/collectives/parts.hpp"
#include "mpi/engine/meaning.hpp"

namespace mesh::mpi {

/// Blocks of one rank each, or of one neighbour, in the program's memory. Nothing is checked here.
struct Blocks {
    /// Blocks of as many elements each, side by side.
    Blocks(const void* its, int each, MPI_Datatype handle) : Blocks(its, nullptr, nullptr, handle) {
        count = each;
    }
    /// Blocks of `its_counts` elements at `its_places`, in elements. The lists stay the program's.
    Blocks(const void* its, const int* its_counts, PlaceList its_places, MPI_Datatype handle)
        : data(static_cast<std::byte*>(const_cast<void*>(its))),
          type(handle),
          counts(its_counts),
          places(its_places) {}
    /// Blocks with a type of its own each; the places are in bytes.
    Blocks(const void* its, const int* its_counts, PlaceList its_places,
           const MPI_Datatype* its_types)
        : Blocks(its, its_counts, its_places, MPI_DATATYPE_NULL) {
        types = its_types;
    }

    /// The type of the elements of block `number`, from 0 on.
    MPI_Datatype type_of_block(int number) const { return types != nullptr ? types[number] : type; }
    /// How many elements block `number` has.
    int count_of(int number) const { return counts != nullptr ? counts[number] : count; }
    /// The address from which the elements of block `number` count. The type must be one.
    std::byte* block(int number) const {
        if (types != nullptr)
            return data + places[number];
        const MPI_Aint place =
            places.is_there() ? places[number] : static_cast<MPI_Aint>(number) * count;
        return data + place * type_of(type)->extent;
    }
    /// The program gave MPI_IN_PLACE: its block lies where the result goes.
    bool is_in_place() const { return data == MPI_IN_PLACE; }

    std::byte* data; // not written by a send
    MPI_Datatype type;
    int count = 0;
    const int* counts;
    PlaceList places;
    const MPI_Datatype* types = nullptr;
};

/// Requests of a collective, which it ends all at once.
class Parts {
public:
    /// Requests of a collective on `comm`, `most` at most. Ends the run if the heap has no room.
    Parts(Comm& comm, const PartKind& part, std::size_t most)
        : comm_(comm),
          part_(part),
          room_(most * sizeof(Request)) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    /// Begins to send block `number` to `peer`, or to receive it, as `kind` says. `direction` is
    /// added to the tag of the collective. One message.
    void add(Request::Kind kind, const Blocks& blocks, int number, Rank peer, int direction = 0) {
        Request& request = *new (&all()[count_++]) Request(
            asked(kind, blocks.block(number), blocks.count_of(number), blocks.type_of_block(number),
                  peer, part_.tag + direction, comm_, Traffic::collectives));
        request.meaning = part_.meaning;
        begin(request);
    }
    /// Waits for all. Gives MPI_SUCCESS or the first error, which was told.
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
