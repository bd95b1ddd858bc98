// Collectives that give each rank a block of its own, by messages.
#include "mpi/collectives/blocks.hpp"

#include "fiber/fiber.hpp"
#include "mpi/collectives/nonblocking.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

namespace {

using Kind = Request::Kind;

/// The most requests of a rank with all others, there and back.
std::size_t most_of(const Comm& comm) { return 2 * static_cast<std::size_t>(comm.peers->size); }

/// Copies the block of this rank from one place to the other.
void copy_own(const Blocks& out, Rank from, const Blocks& in, Rank to) {
    const Packed bytes(out.block(from), out.count_of(from), *type_of(out.type_of_block(from)));
    const Type& other = *type_of(in.type_of_block(to));
    unpack(other, static_cast<std::size_t>(in.count_of(to)), bytes.bytes().data(),
           bytes.bytes().size(), in.block(to));
}

/// Gives a block to each rank of the other group, and takes one of each. `is_one`: all get the same
/// block.
int between_groups(const char* call, int tag, const Blocks& out, bool is_one, const Blocks& in,
                   Comm& comm) {
    Parts parts(comm, {call, tag}, most_of(comm));
    for (Rank rank = 0; rank < comm.peers->size; ++rank)
        parts.add(Kind::receive, in, rank, rank);
    for (Rank rank = 0; rank < comm.peers->size; ++rank)
        parts.add(Kind::send, out, is_one ? 0 : rank, rank);
    return parts.end();
}

/// Moves the blocks round the ring of the ranks, one step further each time.
int all_gather(const char* call, const Blocks& out, const Blocks& in, Comm& comm) {
    if (comm.across != nullptr)
        return between_groups(call, part_tag::kGather, out, true, in, comm);
    const Rank size = comm.size();
    const Rank rank = comm.rank();
    if (!out.is_in_place())
        copy_own(out, 0, in, rank);
    int code = MPI_SUCCESS; // the others wait for this rank all the same
    for (Rank step = 0; step < size - 1; ++step) {
        Parts parts(comm, {call, part_tag::kGather, Agreed::all(0)}, 2);
        const Rank coming = (rank - step - 1 + size) % size;
        parts.add(Kind::receive, in, coming, (rank - 1 + size) % size);
        parts.add(Kind::send, in, (rank - step + size) % size, (rank + 1) % size);
        if (const int its = parts.end(); code == MPI_SUCCESS)
            code = its;
    }
    return code;
}

int all_to_all(const char* call, Blocks out, const Blocks& in, Comm& comm) {
    if (comm.across != nullptr)
        return between_groups(call, part_tag::kAllToAll, out, false, in, comm);
    const Rank size = comm.size();
    const Rank rank = comm.rank();
    Room copy;
    if (out.is_in_place()) { // the blocks that go lie where those of the others come
        Stretch all{INTPTR_MAX, INTPTR_MIN};
        for (Rank other = 0; other < size; ++other) {
            const Stretch block = stretch_of(*type_of(in.type_of_block(other)), in.count_of(other));
            const MPI_Aint place = in.block(other) - in.data;
            if (block.begin == block.end)
                continue;
            all.begin = std::min(all.begin, place + block.begin);
            all.end = std::max(all.end, place + block.end);
        }
        if (all.begin > all.end)
            all = {};
        const auto bytes = static_cast<std::size_t>(all.end - all.begin);
        copy = Room(bytes);
        std::memcpy(copy.data(), in.data + all.begin, bytes);
        out = in;
        out.data = copy.data() - all.begin;
    }
    Parts parts(comm, {call, part_tag::kAllToAll, Agreed::all(0)}, most_of(comm));
    for (Rank step = 1; step < size; ++step) {
        const Rank from = (rank - step + size) % size;
        parts.add(Kind::receive, in, from, from);
    }
    for (Rank step = 1; step < size; ++step) {
        const Rank to = (rank + step) % size;
        parts.add(Kind::send, out, to, to);
    }
    copy_own(out, rank, in, rank);
    return parts.end();
}

/// Checks the blocks of so many ranks that this one gives or takes in a call.
void check(Checks& checks, const Blocks& blocks, Rank count) {
    for (Rank rank = 0; rank < count && !checks.bad(); ++rank)
        checks.data(blocks.data, blocks.count_of(rank), blocks.type_of_block(rank));
}

/// Checks that a rank's own block, number `from`, fits its place in `in`, and is not there already.
void check_own(Checks& checks, const Blocks& out, Rank from, const Blocks& in, Rank place) {
    if (checks.bad() || out.is_in_place() || in.is_in_place() || checks.comm().across != nullptr)
        return;
    const auto size_of = [](const Blocks& blocks, Rank rank) {
        return std::uint64_t{type_of(blocks.type_of_block(rank))->size} *
               static_cast<unsigned>(blocks.count_of(rank));
    };
    checks
        .require(size_of(out, from) == size_of(in, place), MPI_ERR_TRUNCATE,
                 "this rank gives itself another size than it takes")
        .apart(out.block(from), in.block(place), out.count_of(from), out.type_of_block(from));
}

/// Moves blocks between the root, which has `all`, and each other rank, which has `one` and sends
/// or receives it, as `kind` says.
int with_root(Checks& checks, Kind kind, const Blocks& one, const Blocks& all, Rank root) {
    Comm& comm = checks.comm();
    const Rank size = comm.peers->size;
    const bool is_root = comm.is_root(root);
    const bool gathers = kind == Kind::send;
    const auto with_own = [&](auto act) {
        if (is_root && root >= 0)
            gathers ? act(one, 0, all, root) : act(all, root, one, 0);
    };
    if (root >= 0 && !one.is_in_place())
        check(checks, one, 1);
    if (is_root)
        check(checks, all, size);
    with_own([&](const auto&... own) { check_own(checks, own...); });
    if (checks.bad() || root == MPI_PROC_NULL)
        return checks.code();
    Parts parts(comm,
                {checks.call(), gathers ? part_tag::kGather : part_tag::kScatter,
                 comm.across == nullptr ? Agreed::all(root) : std::uint16_t{0}},
                most_of(comm));
    if (!is_root)
        parts.add(kind, one, 0, root);
    // The first is the one behind the root; MPI_ROOT is none of them.
    const Rank first = root == MPI_ROOT ? 0 : root + 1;
    for (Rank step = 0; step < size && is_root; ++step)
        if (const Rank rank = (first + step) % size; rank != root)
            parts.add(gathers ? Kind::receive : Kind::send, all, rank, rank);
    if (!one.is_in_place())
        with_own(copy_own);
    return parts.end();
}

int gather(Checks& checks, const Blocks& out, const Blocks& in, Rank root) {
    return with_root(checks, Kind::send, out, in, root);
}

int scatter(Checks& checks, const Blocks& out, const Blocks& in, Rank root) {
    return with_root(checks, Kind::receive, in, out, root);
}

/// `is_one`: all take the same block of a rank.
int exchange(Checks& checks, bool is_one, const Blocks& out, const Blocks& in) {
    Comm& comm = checks.comm();
    if (!out.is_in_place())
        check(checks, out, is_one ? 1 : comm.peers->size);
    check(checks, in, comm.peers->size);
    check_own(checks, out, is_one ? 0 : comm.rank(), in, comm.rank());
    if (checks.bad())
        return checks.code();
    return is_one ? all_gather(checks.call(), out, in, comm)
                  : all_to_all(checks.call(), out, in, comm);
}

} // namespace

int all_gather_bytes(Comm& comm, std::span<const std::byte> mine, void* all, const char* call) {
    const auto count = static_cast<int>(mine.size());
    return all_gather(call, {mine.data(), count, MPI_BYTE}, {all, count, MPI_BYTE}, comm);
}

} // namespace mesh::mpi

#include "doors/blocks.inc"
