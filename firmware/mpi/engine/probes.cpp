// Looks for messages that have come and that no receive has taken.
#include "fiber/fiber.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/engine/under_way.hpp"

#include <cstddef>
#include <cstdio>

namespace mesh::mpi {

/// The wait of a probe. Its name, and the places of its fields, are known to kernel/api/waits.cpp.
struct MessageThere {
    const std::uint32_t* context;
    Awaited awaited;
    Rank source;
    const Comm* comm;
    bool operator()() const {
        return *find_unexpected(*context, source, awaited.tag) != nullptr ||
               (failure_of != nullptr && failure_of(*comm, source) != MPI_SUCCESS);
    }
};
static_assert(offsetof(MessageThere, awaited) == sizeof(void*));

Probing probing;

Found find(const Comm& comm, Rank source, int tag) {
    const Unexpected* const block = *find_unexpected(comm.context(Traffic::messages), source, tag);
    if (block == nullptr)
        return {};
    fiber::node().advance_clock(block->ready);
    return {true, block->envelope.source, block->envelope.tag, block->envelope.bytes};
}

Found look(const Comm& comm, Rank source, int tag) {
    constexpr unsigned kOften = 1'000'000;
    static unsigned in_vain = 0; // one after the other
    Found found = find(comm, source, tag);
    if (!found.there) {
        pass_time();
        found = find(comm, source, tag);
    }
    in_vain = found.there ? 0 : in_vain + 1;
    if (in_vain == kOften)
        std::printf("MPI: looked %u times in vain for a message of rank %d with tag %d (%d: any "
                    "rank, %d: any tag)\n",
                    kOften, source, tag, MPI_ANY_SOURCE, MPI_ANY_TAG);
    return found;
}

Found wait_to_find(const Comm& comm, Rank source, int tag) {
    const std::uint32_t context = comm.context(Traffic::messages);
    const Awaited awaited{.node = peer_node(comm, source), .tag = tag, .is_send = 0};
    probing = {&comm, source};
    fiber::await(fiber::node().wait_until(MessageThere{&context, awaited, source, &comm}));
    probing = {};
    return find(comm, source, tag);
}

Unexpected* take_message(const Comm& comm, Rank source, int tag) {
    Unexpected** const link = find_unexpected(comm.context(Traffic::messages), source, tag);
    return *link == nullptr ? nullptr : unexpected.take(link);
}

} // namespace mesh::mpi
