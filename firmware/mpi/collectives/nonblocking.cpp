#include "mpi/collectives/nonblocking.hpp"

#include "fiber/fiber.hpp"
#include "fiber/strand.hpp"
#include "mpi/collectives/operations.hpp"
#include "mpi/objects/queue.hpp"

#include <algorithm>

namespace mesh::mpi {

namespace {

/// Strands of one node; collectives beyond begin when one of these is done.
constexpr unsigned kStrandsMax = 12;
/// The stack of a strand: enough for the call and for a function of the program's own that prints.
constexpr std::size_t kStackBytes = 8192 * sizeof(void*);

/// A collective that does not wait. The object that it calls lies behind it.
struct Nonblocking : Collective {
    Comm* owned = nullptr; // its communicator
    Comm shadow;           // the same ranks and topology, a context of its own
    Held held;
    int (*run)(const void* self, MPI_Comm comm, MPI_Op op) = nullptr;
    bool has_begun = false;

    const void* self() const { return this + 1; }
};

Queue<Request> waiting; // each a Nonblocking
unsigned strands = 0;

void for_each_type(const Nonblocking& call, void (*act)(Type*)) {
    const auto act_on = [act](MPI_Datatype handle) {
        if (Type* const type = type_of(handle); type != nullptr)
            act(type);
    };
    act_on(call.held.one);
    act_on(call.held.other);
    const auto act_on_each = [&](const MPI_Datatype* types, int count) {
        const int there = count == Held::kEachRank ? call.shadow.peers->size : count;
        for (int at = 0; types != nullptr && at < there; ++at)
            act_on(types[at]);
    };
    act_on_each(call.held.ones, call.held.ones_count);
    act_on_each(call.held.others, call.held.others_count);
}

void give_back(Nonblocking& call) {
    release(*call.owned);
    for_each_type(call, release);
    if (Op* const op = find_object<Op>(call.held.op); op != nullptr)
        release(op);
    unlist(call.shadow);
    release(call.shadow.errhandler);
    release(call.shadow.peers);
    release(call.shadow.group);
}

void run(Nonblocking& call) {
    Kernel& node = fiber::node();
    call.has_begun = true;
    node.advance_clock(call.clock);
    call.error = call.run(call.self(), handle_of(call.shadow), call.held.op);
    call.clock = node.now();
    if (!call.is_persistent)
        give_back(call);
    call.is_done = true;
    node.scheduler().touch();
}

void run_all() {
    while (*waiting.begin() != nullptr)
        run(static_cast<Nonblocking&>(*waiting.take(waiting.begin())));
}

Process work(Kernel& kernel, void* stack) {
    fiber::Strand strand{{static_cast<std::byte*>(stack), kStackBytes}, run_all};
    const Status status = co_await fiber::run(kernel, strand);
    mesh_free(stack);
    --strands;
    co_return status;
}

bool start_strand() {
    if (strands == kStrandsMax)
        return false;
    void* const stack = mesh_malloc(kStackBytes);
    if (stack == nullptr)
        return false;
    Kernel& node = fiber::node();
    if (!node.spawn_alone(work(node, stack))) {
        mesh_free(stack);
        return false;
    }
    ++strands;
    return true;
}

/// Puts a collective behind those that wait, and lets it go as far as it can.
void start(Nonblocking& call) {
    call.is_active = true;
    call.is_done = call.has_begun = false;
    call.error = MPI_SUCCESS;
    call.clock = fiber::node().now();
    waiting.push(call);
    if (start_strand())
        fiber::await(fiber::node().wait_until([&call] { return call.has_begun; }));
    else if (strands == 0)
        end_run("no memory for a collective that does not wait", MPI_ERR_NO_MEM);
}

void start_or_give_back(Collective& collective, bool begins) {
    auto& call = static_cast<Nonblocking&>(collective);
    if (begins)
        start(call);
    else if (!call.is_active)
        give_back(call);
}

// The calls of a communicator come in one order at all ranks, so their numbers agree.
std::uint32_t number_of_call(Comm& comm, bool is_persistent) {
    const std::uint32_t call = is_persistent ? kCallsMax + comm.prepared++ % kPreparedMax + 1
                                             : comm.begun++ % kCallsMax + 1;
    return comm.number | call << kCallShift;
}

} // namespace

int begin_collective(Checks& checks, bool is_persistent, const Held& held, const LaterCall& later,
                     MPI_Request* request) {
    void* const place = mesh_malloc(sizeof(Nonblocking) + later.bytes);
    if (place == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    Nonblocking& call = *new (place) Nonblocking;
    std::copy_n(static_cast<const std::byte*>(later.self), later.bytes,
                reinterpret_cast<std::byte*>(&call + 1));
    call.run = later.run;
    call.held = held;
    Comm& comm = checks.comm();
    Comm& shadow = call.shadow;
    call.owned = &comm;
    ++comm.owners;
    shadow.group = hold(comm.group);
    shadow.peers = hold(comm.peers);
    shadow.across = comm.across;
    shadow.number = number_of_call(comm, is_persistent);
    shadow.errhandler = comm.errhandler;
    hold(shadow.errhandler);
    shadow.grid = comm.grid;
    shadow.graph = comm.graph;
    call.comm = &shadow;
    call.type = type_of(MPI_BYTE);
    call.kind = Request::Kind::collective;
    call.is_persistent = is_persistent;
    call.is_active = false;
    call.act = start_or_give_back;
    shadow.is_within_a_call = true;
    give_handle(shadow);
    if (Op* const op = find_object<Op>(held.op); op != nullptr)
        ++op->owners;
    for_each_type(call, hold);
    if (!is_persistent)
        start(call);
    if (const int error = call.error; call.is_done && error != MPI_SUCCESS) {
        destroy<Request>(&call);
        *request = MPI_REQUEST_NULL;
        return error;
    }
    *request = give_handle<Request>(call);
    return MPI_SUCCESS;
}

} // namespace mesh::mpi
