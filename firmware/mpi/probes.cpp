// Looks for messages that have come and that no receive has taken.
#include "fiber/fiber.hpp"
#include "mpi/awaited.hpp"
#include "mpi/under_way.hpp"

#include <cstddef>

namespace mesh::mpi {

// Its name, and where its fields are, are known to kernel/api/waits.cpp.
struct MessageThere {
    const std::uint32_t* context;
    Awaited awaited;
    Rank source;
    bool operator()() const { return *find_unexpected(*context, source, awaited.tag) != nullptr; }
};
static_assert(offsetof(MessageThere, awaited) == sizeof(void*));

Found find(const Comm& comm, Rank source, int tag) {
    const Unexpected* const block = *find_unexpected(comm.context(Traffic::messages), source, tag);
    if (block == nullptr)
        return {};
    fiber::node().advance_clock(block->ready);
    return {true, block->envelope.source, block->envelope.tag, block->envelope.bytes};
}

Found wait_to_find(const Comm& comm, Rank source, int tag) {
    const std::uint32_t context = comm.context(Traffic::messages);
    const Awaited awaited{peer_node(comm, source), tag, 0};
    fiber::await(fiber::node().wait_until(MessageThere{&context, awaited, source}));
    return find(comm, source, tag);
}

Unexpected* take_message(const Comm& comm, Rank source, int tag) {
    Unexpected** const link = find_unexpected(comm.context(Traffic::messages), source, tag);
    return *link == nullptr ? nullptr : unexpected.take(link);
}

} // namespace mesh::mpi
