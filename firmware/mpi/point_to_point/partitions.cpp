// Partitioned communication: a message that its sender gives part by part, in whatever order the
// parts are ready, and whose receiver may look which have come.
//
// Each part is a message of its own, on a context of the pair of requests, with its number as tag.
// A sender that makes its request tells the receiver a Cut: the context, the number and the size of
// the parts. The first Cut fits the first request of the receiver with its tag. One process of the
// node looks after all such requests.
#include "fiber/fiber.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/engine/under_way.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

namespace {

/// The parts of a message, as its sender tells the receiver.
struct Cut {
    std::int32_t tag;
    std::uint32_t channel; // of the sender's, on this communicator; 0: not told yet
    std::uint32_t parts;
    std::uint32_t bytes; // of each
};

/// A Cut that has come, and whose request is not made yet.
struct Told {
    Told* next;
    std::uint32_t context;
    Rank source;
    Cut cut;
};
Queue<Told> all_told;

/// A partitioned request.
struct Partitioned : Collective {
    Comm shadow; // the same ranks, the context of the parts
    Cut own{};   // of this rank
    Cut cut{};   // of the sender
    Room room;   // a Request for each part of the sender
    bool sends = false;
    bool has_posted = false; // the receives

    std::span<Request> parts() {
        return {reinterpret_cast<Request*>(room.data()), room ? cut.parts : 0};
    }
};

Queue<Request> all; // each a Partitioned

void make_parts(Partitioned& request) {
    request.room = Room(request.cut.parts * sizeof(Request) + 1);
    request.shadow.number = request.comm->number | request.cut.channel << kCallShift;
    for (Request& part : request.parts()) {
        new (&part) Request;
        part.kind = request.sends ? Request::Kind::send : Request::Kind::receive;
        part.comm = &request.shadow;
        part.peer = request.peer;
        part.tag = static_cast<int>(&part - request.parts().data());
        part.is_active = false;
    }
}

/// Begins a part: its bytes lie at their place among those of all parts.
void begin_part(Partitioned& request, Request& part) {
    const Type& type = *request.type;
    const std::uint32_t bytes = request.cut.bytes;
    const bool is_cut = type.size == 0 || bytes % type.size != 0; // then it is dense
    const std::uint32_t elements = is_cut ? bytes : bytes / type.size;
    part.type = is_cut ? type_of(MPI_BYTE) : request.type;
    part.count = static_cast<int>(elements);
    part.data = request.data + static_cast<MPI_Aint>(part.tag) * static_cast<MPI_Aint>(elements) *
                                   part.type->extent;
    begin(part);
}

/// Takes the Cuts that senders have told on this communicator.
void hear_cuts(const Comm& comm) {
    const std::uint32_t context = comm.context(Traffic::collectives);
    for (;;) {
        Unexpected** const link = find_unexpected(context, MPI_ANY_SOURCE, part_tag::kPartitions);
        if (*link == nullptr)
            return;
        auto* const one = make<Told>(nullptr, context, (*link)->envelope.source, Cut{});
        if (one == nullptr)
            return;
        Unexpected* const block = unexpected.take(link);
        std::memcpy(&one->cut, block->data(), sizeof one->cut);
        destroy(block);
        all_told.push(*one);
    }
}

/// A receiver learns how the sender cuts, and posts its receives.
void find_cut(Partitioned& request) {
    hear_cuts(*request.comm);
    Told* const one = all_told.take_first([&request](const Told& other) {
        return other.context == request.comm->context(Traffic::collectives) &&
               other.source == request.peer && other.cut.tag == request.own.tag;
    });
    if (one == nullptr)
        return;
    request.cut = one->cut;
    destroy(one);
    make_parts(request);
}

/// Begins the receives of all parts. MPI_SUCCESS, or the error if the parts do not fit.
int post_receives(Partitioned& request) {
    const std::uint64_t bytes = std::uint64_t{request.cut.parts} * request.cut.bytes;
    if (bytes != std::uint64_t{request.own.parts} * request.own.bytes)
        return MPI_ERR_TRUNCATE;
    if (bytes != 0 && !request.type->is_dense() && request.cut.bytes % request.type->size != 0)
        return MPI_ERR_TYPE;
    for (Request& part : request.parts())
        begin_part(request, part);
    request.has_posted = true;
    return MPI_SUCCESS;
}

bool is_over(const Request& part) { return part.is_active && part.is_done; }

/// Goes on with a request as far as it can. True: something has changed for the program.
bool step(Partitioned& request) {
    // Requests with one tag take Cuts in the order in which the requests were made.
    if (!request.sends && request.cut.channel == 0)
        find_cut(request);
    if (!request.is_active || request.is_done || request.cut.channel == 0)
        return false;
    if (!request.sends && !request.has_posted)
        request.error = post_receives(request);
    if (request.error == MPI_SUCCESS && !std::ranges::all_of(request.parts(), is_over))
        return false;
    for (const Request& part : request.parts()) {
        request.clock = std::max(request.clock, part.clock);
        request.error = std::max(request.error, part.error);
    }
    return request.is_done = true;
}

bool step_all(Waiting&) {
    bool has_changed = false;
    all.find([&has_changed](Request& one) {
        has_changed |= step(static_cast<Partitioned&>(one));
        return false;
    });
    if (has_changed)
        fiber::node().scheduler().touch();
    return false;
}

/// Begins a request once more, or gives back its parts.
void act_on_parts(Collective& collective, bool begins) {
    auto& request = static_cast<Partitioned&>(collective);
    if (begins) {
        request.is_active = true;
        request.is_done = request.has_posted = false;
        request.error = MPI_SUCCESS;
        request.clock = fiber::node().now();
        for (Request& part : request.parts())
            part.is_active = false;
        step(request);
        return;
    }
    all.take_first([&request](const Request& other) { return &other == &request; });
    request.room = Room{};
    release(request.shadow.peers);
    release(request.shadow.group);
}

int make_request(Checks& checks, bool sends, const void* data, int parts, MPI_Count count,
                 MPI_Datatype type, Rank peer, int tag, MPI_Request* handle) {
    static bool has_process = false;
    const auto number = static_cast<int>(std::clamp<MPI_Count>(count, -1, INT32_MAX));
    checks.peer(peer).tag(tag).require(parts > 0, MPI_ERR_COUNT, "a message has a part or more");
    if (checks.data(data, number, type).bad())
        return checks.code();
    const std::uint64_t bytes = std::uint64_t{type_of(type)->size} * static_cast<unsigned>(number);
    if (bytes * static_cast<unsigned>(parts) > INT32_MAX)
        return checks.refuse(MPI_ERR_COUNT, "2 GiB or more of data");
    Kernel& node = fiber::node();
    has_process = has_process || node.spawn_alone(always<step_all>(node));
    void* const place = has_process ? mesh_malloc(sizeof(Partitioned)) : nullptr;
    if (place == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    auto* const request = new (place) Partitioned;
    Comm& comm = checks.comm();
    request->comm = &comm;
    request->owns_comm = true; // an error is told where the program waits
    ++comm.owners;
    request->shadow.group = hold(comm.group);
    request->shadow.peers = hold(comm.peers);
    request->kind = Request::Kind::collective;
    request->is_persistent = true;
    request->is_active = false;
    request->act = act_on_parts;
    request->sends = sends;
    request->peer = peer;
    request->tag = tag;
    request->node = peer < 0 ? kNoNode : comm.peers->node(peer);
    request->type = type_of(type);
    hold(request->type);
    request->count = number;
    request->data = static_cast<std::byte*>(const_cast<void*>(data));
    request->own = {tag, 0, static_cast<std::uint32_t>(parts), static_cast<std::uint32_t>(bytes)};
    if (sends || peer == MPI_PROC_NULL) {
        request->cut = request->own;
        request->cut.channel = comm.prepared++ % kPreparedMax + 1;
        make_parts(*request);
    }
    if (sends && peer != MPI_PROC_NULL) {
        Room room(sizeof(Cut));
        std::memcpy(room.data(), &request->cut, sizeof(Cut));
        send_room(comm, Traffic::collectives, std::move(room), sizeof(Cut), peer,
                  part_tag::kPartitions);
    }
    all.push(*request);
    *handle = give_handle<Request>(*request);
    return MPI_SUCCESS;
}

int psend_init(Checks& checks, const void* data, int parts, MPI_Count count, MPI_Datatype type,
               Rank to, int tag, MPI_Request* handle) {
    return make_request(checks, true, data, parts, count, type, to, tag, handle);
}

int precv_init(Checks& checks, void* data, int parts, MPI_Count count, MPI_Datatype type, Rank from,
               int tag, MPI_Request* handle) {
    return make_request(checks, false, data, parts, count, type, from, tag, handle);
}

/// The request, if it is a partitioned one for this end; nullptr: it is refused.
Partitioned* partitioned(Checks& checks, Request& request, bool sends) {
    auto* const its = static_cast<Partitioned*>(&request);
    if (request.kind == Request::Kind::collective && its->act == act_on_parts &&
        its->sends == sends)
        return its;
    checks.refuse(MPI_ERR_REQUEST, sends ? "not a partitioned send" : "not a partitioned receive");
    return nullptr;
}

int pready_range(Checks& checks, int low, int high, Request& request) {
    Partitioned* const its = partitioned(checks, request, true);
    if (its == nullptr)
        return checks.code();
    if (!its->is_active)
        return checks.refuse(MPI_ERR_REQUEST, "the request has not begun: MPI_Start() it");
    const auto parts = static_cast<int>(its->cut.parts);
    for (int number = low; number <= high; ++number) {
        if (number < 0 || number >= parts)
            return checks.refuse_number(MPI_ERR_ARG, number, parts - 1);
        Request& part = its->parts()[static_cast<std::size_t>(number)];
        if (part.is_active)
            return checks.refuse(MPI_ERR_ARG, "the part is ready already");
        begin_part(*its, part);
    }
    return MPI_SUCCESS;
}

int pready(Checks& checks, int number, Request& request) {
    return pready_range(checks, number, number, request);
}

void pready_list(Checks& checks, int count, const int* numbers, Request& request) {
    for (int at = 0; at < count && !checks.bad(); ++at)
        pready(checks, numbers[at], request);
}

// A part of the receiver has come when all parts of the sender have that have some of it.
int parrived(Checks& checks, Request& request, int number, int* flag) {
    Partitioned* const its = partitioned(checks, request, false);
    if (its == nullptr)
        return checks.code();
    const auto parts = static_cast<int>(its->own.parts);
    if (number < 0 || number >= parts)
        return checks.refuse_number(MPI_ERR_ARG, number, parts - 1);
    const auto has_come = [its, number] {
        if (!its->is_active || its->is_done)
            return true;
        const std::uint64_t begin = std::uint64_t{its->own.bytes} * static_cast<unsigned>(number);
        return its->has_posted && std::ranges::all_of(its->parts(), [&](const Request& part) {
                   const std::uint64_t place =
                       std::uint64_t{its->cut.bytes} * static_cast<unsigned>(part.tag);
                   return is_over(part) || place + its->cut.bytes <= begin ||
                          begin + its->own.bytes <= place;
               });
    };
    if (!has_come())
        pass_time();
    *flag = has_come();
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/partitions.inc"
