// Collectives that give each rank a block of its own, by messages: a rank posts all receives, then
// sends, so that none waits for another's turn.
#include "mpi/meaning.hpp"
#include "mpi/parts.hpp"

#include "fiber/fiber.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

namespace {

/// Blocks of the ranks in the memory of a call: as many elements for each, or as `counts` says,
/// side by side, or where `places` says.
template <class Data>
struct Blocks {
    Data* data;
    MPI_Datatype type;
    int count = 0;
    const int* counts = nullptr;
    const int* places = nullptr;         // in elements
    const MPI_Datatype* types = nullptr; // then `places` are in bytes

    MPI_Datatype type_for(Rank rank) const { return types != nullptr ? types[rank] : type; }
    int count_of(Rank rank) const { return counts != nullptr ? counts[rank] : count; }
    auto block(Rank rank) const {
        using Byte = std::conditional_t<std::is_const_v<Data>, const std::byte, std::byte>;
        auto* const bytes = static_cast<Byte*>(data);
        if (types != nullptr)
            return bytes + places[rank];
        const MPI_Aint elements =
            places != nullptr ? places[rank] : static_cast<MPI_Aint>(rank) * count;
        return bytes + elements * type_of(type)->extent;
    }
};
using Out = Blocks<const void>;
using In = Blocks<void>;

/// Requests of a collective, which it ends all at once.
class Parts {
public:
    Parts(Comm& comm, int tag, const char* call, Rank root = 0)
        : comm_(comm),
          tag_(tag),
          root_(root),
          call_(call),
          room_(2 * static_cast<std::size_t>(comm.peers->size) * sizeof(Request)) {}
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    void receive(const In& blocks, Rank rank, Rank from) {
        add(Request::Kind::receive, blocks.block(rank), blocks.count_of(rank),
            blocks.type_for(rank), from);
    }
    void send(const Out& blocks, Rank rank, Rank to) {
        add(Request::Kind::send, blocks.block(rank), blocks.count_of(rank), blocks.type_for(rank),
            to);
    }
    /// Waits for all; gives what the call returns.
    int end() {
        int error = MPI_SUCCESS;
        for (std::size_t at = 0; at < count_; ++at) {
            wait(all()[at]);
            if (error == MPI_SUCCESS)
                error = code_of_part(all()[at], call_);
            all()[at].~Request();
        }
        count_ = 0;
        return error;
    }

private:
    Request* all() { return reinterpret_cast<Request*>(room_.data()); }
    void add(Request::Kind kind, const std::byte* data, int count, MPI_Datatype type, Rank peer) {
        Request* const request = new (&all()[count_++]) Request;
        request->kind = kind;
        request->comm = &comm_;
        request->traffic = Traffic::collectives;
        request->peer = peer;
        request->tag = tag_;
        request->meaning = comm_.across == nullptr ? Agreed::all(root_) : std::uint16_t{0};
        request->type = type_of(type);
        request->count = count;
        request->data = const_cast<std::byte*>(data);
        begin(*request);
    }

    Comm& comm_;
    int tag_;
    Rank root_;
    const char* call_;
    Room room_;
    std::size_t count_ = 0;
};

/// The block of this rank goes from one place to the other.
void copy_own(const Out& out, Rank from, const In& in, Rank to) {
    const Type& type = *type_of(out.type_for(from));
    const Packed bytes(out.block(from), out.count_of(from), type);
    const Type& other = *type_of(in.type_for(to));
    unpack(other, static_cast<std::size_t>(in.count_of(to)), bytes.bytes().data(),
           bytes.bytes().size(), in.block(to));
}

int gather(const char* call, const Out& out, const In& in, Rank root, Comm& comm) {
    if (root == MPI_PROC_NULL)
        return MPI_SUCCESS;
    Parts parts(comm, part_tag::kGather, call, root);
    if (!comm.is_root(root)) {
        parts.send(out, 0, root);
        return parts.end();
    }
    for (Rank rank = 0; rank < comm.peers->size; ++rank)
        if (rank != root)
            parts.receive(in, rank, rank);
    if (root != MPI_ROOT && out.data != MPI_IN_PLACE)
        copy_own(out, 0, in, root);
    return parts.end();
}

int scatter(const char* call, const Out& out, const In& in, Rank root, Comm& comm) {
    if (root == MPI_PROC_NULL)
        return MPI_SUCCESS;
    Parts parts(comm, part_tag::kScatter, call, root);
    if (!comm.is_root(root)) {
        parts.receive(in, 0, root);
        return parts.end();
    }
    // The first is the one behind the root; MPI_ROOT is none of them.
    const Rank size = comm.peers->size;
    const Rank first = root == MPI_ROOT ? 0 : root + 1;
    for (Rank step = 0; step < size; ++step)
        if (const Rank rank = (first + step) % size; rank != root)
            parts.send(out, rank, rank);
    if (root != MPI_ROOT && in.data != MPI_IN_PLACE)
        copy_own(out, root, in, 0);
    return parts.end();
}

/// Between two groups: a block goes to each of the other one, and one comes from each. `is_one`: it
/// is the same block for all.
int exchange(const char* call, int tag, const Out& out, bool is_one, const In& in, Comm& comm) {
    Parts parts(comm, tag, call);
    for (Rank rank = 0; rank < comm.peers->size; ++rank)
        parts.receive(in, rank, rank);
    for (Rank rank = 0; rank < comm.peers->size; ++rank)
        parts.send(out, is_one ? 0 : rank, rank);
    return parts.end();
}

/// Each rank has its block from all: round the ring, one step further each time.
int all_gather(const char* call, const Out& out, const In& in, Comm& comm) {
    if (comm.across != nullptr)
        return exchange(call, part_tag::kGather, out, true, in, comm);
    const Rank size = comm.size();
    const Rank rank = comm.rank();
    if (out.data != MPI_IN_PLACE)
        copy_own(out, 0, in, rank);
    const Out ours{in.data, in.type, in.count, in.counts, in.places, nullptr};
    int code = MPI_SUCCESS; // the others wait for this rank all the same
    for (Rank step = 0; step < size - 1; ++step) {
        Parts parts(comm, part_tag::kGather, call);
        const Rank coming = (rank - step - 1 + size) % size;
        parts.receive(in, coming, (rank - 1 + size) % size);
        parts.send(ours, (rank - step + size) % size, (rank + 1) % size);
        if (const int its = parts.end(); code == MPI_SUCCESS)
            code = its;
    }
    return code;
}

int all_to_all(const char* call, Out out, const In& in, Comm& comm) {
    if (comm.across != nullptr)
        return exchange(call, part_tag::kAllToAll, out, false, in, comm);
    const Rank size = comm.size();
    const Rank rank = comm.rank();
    Room copy;
    if (out.data == MPI_IN_PLACE) { // what goes is what lies where the others' blocks will come
        auto* const data = static_cast<std::byte*>(in.data);
        Stretch all{INTPTR_MAX, INTPTR_MIN};
        for (Rank other = 0; other < size; ++other) {
            const Stretch block = stretch_of(*type_of(in.type_for(other)), in.count_of(other));
            const MPI_Aint place = in.block(other) - data;
            if (block.begin == block.end)
                continue;
            all.begin = std::min(all.begin, place + block.begin);
            all.end = std::max(all.end, place + block.end);
        }
        if (all.begin > all.end)
            all = {};
        const auto bytes = static_cast<std::size_t>(all.end - all.begin);
        copy = Room(bytes);
        std::memcpy(copy.data(), data + all.begin, bytes);
        out = {copy.data() - all.begin, in.type, in.count, in.counts, in.places, in.types};
    }
    Parts parts(comm, part_tag::kAllToAll, call);
    for (Rank step = 1; step < size; ++step) {
        const Rank from = (rank - step + size) % size;
        parts.receive(in, from, from);
    }
    for (Rank step = 1; step < size; ++step) {
        const Rank to = (rank + step) % size;
        parts.send(out, to, to);
    }
    copy_own(out, rank, in, rank);
    return parts.end();
}

/// All blocks that a rank gives or takes in a call: of each rank, or, `is_one`, of one.
template <class Data>
void check(Checks& checks, const Blocks<Data>& blocks, bool is_one) {
    const Rank count = is_one ? 1 : checks.comm().peers->size;
    for (Rank rank = 0; rank < count && !checks.bad(); ++rank)
        checks.data(blocks.data, blocks.count_of(rank), blocks.type_for(rank));
}

/// The same of a rank's own block, which lies at `place` of `in`, and goes with it.
void check_own(Checks& checks, const Out& out, Rank from, const In& in, Rank place) {
    if (checks.bad() || out.data == MPI_IN_PLACE || in.data == MPI_IN_PLACE ||
        checks.comm().across != nullptr)
        return;
    const int count = out.count_of(from);
    const Type& given = *type_of(out.type_for(from));
    const Type& taken = *type_of(in.type_for(place));
    const std::uint64_t bytes = std::uint64_t{given.size} * static_cast<unsigned>(count);
    const std::uint64_t room =
        std::uint64_t{taken.size} * static_cast<unsigned>(in.count_of(place));
    checks
        .require(bytes == room, MPI_ERR_TRUNCATE,
                 "this rank gives itself another size than it takes")
        .apart(out.block(from), in.block(place), count, out.type_for(from));
}

int checked_gather(Checks& checks, const Out& out, const In& in, Rank root) {
    const char* const call = checks.call();
    const bool is_root = checks.comm().is_root(root);
    if (root >= 0 && out.data != MPI_IN_PLACE)
        check(checks, out, true);
    if (is_root)
        check(checks, in, false);
    if (is_root && root >= 0)
        check_own(checks, out, 0, in, root);
    return checks.bad() ? checks.code() : gather(call, out, in, root, checks.comm());
}

int checked_scatter(Checks& checks, const Out& out, const In& in, Rank root) {
    const char* const call = checks.call();
    const bool is_root = checks.comm().is_root(root);
    if (root >= 0 && in.data != MPI_IN_PLACE)
        check(checks, in, true);
    if (is_root)
        check(checks, out, false);
    if (is_root && root >= 0)
        check_own(checks, out, root, in, 0);
    return checks.bad() ? checks.code() : scatter(call, out, in, root, checks.comm());
}

/// `is_one`: all take the same block of a rank.
int checked_exchange(Checks& checks, const Out& out, bool is_one, const In& in) {
    const char* const call = checks.call();
    if (out.data != MPI_IN_PLACE)
        check(checks, out, is_one);
    check(checks, in, false);
    check_own(checks, out, is_one ? 0 : checks.comm().rank(), in, checks.comm().rank());
    if (checks.bad())
        return checks.code();
    return is_one ? all_gather(call, out, in, checks.comm())
                  : all_to_all(call, out, in, checks.comm());
}

} // namespace

int all_gather_bytes(Comm& comm, std::span<const std::byte> mine, void* all, const char* call) {
    const auto count = static_cast<int>(mine.size());
    return all_gather(call, {mine.data(), MPI_BYTE, count}, {all, MPI_BYTE, count}, comm);
}

namespace {

int gather(Checks& checks, const void* mine, int count, MPI_Datatype type, void* all, int all_count,
           MPI_Datatype all_type, int root) {
    return checked_gather(checks, {mine, type, count}, {all, all_type, all_count}, root);
}

int gatherv(Checks& checks, const void* mine, int count, MPI_Datatype type, void* all,
            const int* counts, const int* places, MPI_Datatype all_type, int root) {
    return checked_gather(checks, {mine, type, count}, {all, all_type, 0, counts, places}, root);
}

int scatter(Checks& checks, const void* all, int all_count, MPI_Datatype all_type, void* mine,
            int count, MPI_Datatype type, int root) {
    return checked_scatter(checks, {all, all_type, all_count}, {mine, type, count}, root);
}

int scatterv(Checks& checks, const void* all, const int* counts, const int* places,
             MPI_Datatype all_type, void* mine, int count, MPI_Datatype type, int root) {
    return checked_scatter(checks, {all, all_type, 0, counts, places}, {mine, type, count}, root);
}

int allgather(Checks& checks, const void* mine, int count, MPI_Datatype type, void* all,
              int all_count, MPI_Datatype all_type) {
    return checked_exchange(checks, {mine, type, count}, true, {all, all_type, all_count});
}

int allgatherv(Checks& checks, const void* mine, int count, MPI_Datatype type, void* all,
               const int* counts, const int* places, MPI_Datatype all_type) {
    return checked_exchange(checks, {mine, type, count}, true, {all, all_type, 0, counts, places});
}

int alltoall(Checks& checks, const void* out, int out_count, MPI_Datatype out_type, void* in,
             int in_count, MPI_Datatype in_type) {
    return checked_exchange(checks, {out, out_type, out_count}, false, {in, in_type, in_count});
}

int alltoallv(Checks& checks, const void* out, const int* out_counts, const int* out_places,
              MPI_Datatype out_type, void* in, const int* in_counts, const int* in_places,
              MPI_Datatype in_type) {
    return checked_exchange(checks, {out, out_type, 0, out_counts, out_places}, false,
                            {in, in_type, 0, in_counts, in_places});
}

int alltoallw(Checks& checks, const void* out, const int* out_counts, const int* out_places,
              const MPI_Datatype* out_types, void* in, const int* in_counts, const int* in_places,
              const MPI_Datatype* in_types) {
    return checked_exchange(checks, {out, MPI_DATATYPE_NULL, 0, out_counts, out_places, out_types},
                            false, {in, MPI_DATATYPE_NULL, 0, in_counts, in_places, in_types});
}

} // namespace

} // namespace mesh::mpi

#include "doors/blocks.inc"
