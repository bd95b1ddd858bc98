#include "mpi/behind.hpp"

#include "fiber/fiber.hpp"
#include "fiber/strand.hpp"
#include "mpi/operations.hpp"
#include "mpi/queue.hpp"

#include <algorithm>

namespace mesh::mpi {

namespace {

/// Strands of one node; collectives beyond begin when one of these is done.
constexpr unsigned kStrandsMax = 12;
/// Enough for the call and for a function of the program's own that prints.
constexpr std::size_t kStackBytes = 8192 * sizeof(void*);

/// A collective. The object that it calls lies behind it.
struct Behind : Collective {
    Comm* owned = nullptr; // its communicator
    Comm shadow;           // the same ranks and topology, a context of its own
    Held held;
    int (*run)(const void* self, MPI_Comm comm, MPI_Op op) = nullptr;
    bool has_begun = false;

    const void* self() const { return this + 1; }
};

Queue<Request> waiting; // each a Behind
unsigned strands = 0;

void for_each_type(const Behind& behind, void (*act)(Type*)) {
    const auto act_on = [act](MPI_Datatype handle) {
        if (Type* const type = type_of(handle); type != nullptr)
            act(type);
    };
    act_on(behind.held.one);
    act_on(behind.held.other);
    const auto act_on_each = [&](const MPI_Datatype* types, int count) {
        const int there = count == Held::kEachRank ? behind.shadow.peers->size : count;
        for (int at = 0; types != nullptr && at < there; ++at)
            act_on(types[at]);
    };
    act_on_each(behind.held.ones, behind.held.ones_count);
    act_on_each(behind.held.others, behind.held.others_count);
}

void give_back(Behind& behind) {
    release(*behind.owned);
    for_each_type(behind, release);
    if (Op* const op = op_of(behind.held.op); op != nullptr)
        release(op);
    unlist(behind.shadow);
    release(behind.shadow.errhandler);
    release(behind.shadow.peers);
    release(behind.shadow.group);
}

void run(Behind& behind) {
    Kernel& node = fiber::node();
    behind.has_begun = true;
    node.advance_clock(behind.clock);
    behind.error = behind.run(behind.self(), handle_of(behind.shadow), behind.held.op);
    behind.clock = node.now();
    if (!behind.is_persistent)
        give_back(behind);
    behind.is_done = true;
    node.scheduler().touch();
}

void run_all() {
    while (*waiting.begin() != nullptr)
        run(static_cast<Behind&>(*waiting.take(waiting.begin())));
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

/// Puts it behind those that wait, and lets it go as far as it can.
void start(Behind& behind) {
    behind.is_active = true;
    behind.is_done = behind.has_begun = false;
    behind.error = MPI_SUCCESS;
    behind.clock = fiber::node().now();
    waiting.push(behind);
    if (start_strand())
        fiber::await(fiber::node().wait_until([&behind] { return behind.has_begun; }));
    else if (strands == 0)
        end_run("no memory for a collective that does not wait", MPI_ERR_NO_MEM);
}

void start_or_give_back(Collective& collective, bool begins) {
    auto& behind = static_cast<Behind&>(collective);
    if (begins)
        start(behind);
    else if (!behind.is_active)
        give_back(behind);
}

// The calls of a communicator come in one order at all ranks: their numbers agree.
std::uint32_t number_of_call(Comm& comm, bool is_persistent) {
    const std::uint32_t call = is_persistent ? kCallsMax + comm.prepared++ % kPreparedMax + 1
                                             : comm.begun++ % kCallsMax + 1;
    return comm.number | call << kCallShift;
}

/// nullptr: `checks` say why not.
Behind* make_behind(Checks& checks, const Held& held, const LaterCall& call, bool is_persistent) {
    void* const place = mesh_malloc(sizeof(Behind) + call.bytes);
    if (place == nullptr) {
        checks.refuse(MPI_ERR_NO_MEM, nullptr);
        return nullptr;
    }
    auto* const behind = new (place) Behind;
    ++left<Request>;
    std::copy_n(static_cast<const std::byte*>(call.self), call.bytes,
                reinterpret_cast<std::byte*>(behind + 1));
    behind->run = call.run;
    behind->held = held;
    Comm& comm = checks.comm();
    Comm& shadow = behind->shadow;
    behind->owned = &comm;
    ++comm.owners;
    shadow.group = hold(comm.group);
    shadow.peers = hold(comm.peers);
    shadow.across = comm.across;
    shadow.number = number_of_call(comm, is_persistent);
    shadow.errhandler = comm.errhandler;
    hold(shadow.errhandler);
    shadow.grid = comm.grid;
    shadow.graph = comm.graph;
    behind->comm = &shadow;
    behind->type = type_of(MPI_BYTE);
    behind->kind = Request::Kind::collective;
    behind->is_persistent = is_persistent;
    behind->act = start_or_give_back;
    shadow.is_within_a_call = true;
    give_handle(shadow);
    if (Op* const op = op_of(held.op); op != nullptr)
        ++op->owners;
    for_each_type(*behind, hold);
    return behind;
}

} // namespace

int begin_behind(Checks& checks, const Held& held, const LaterCall& call, MPI_Request* request) {
    Behind* const behind = make_behind(checks, held, call, false);
    if (behind == nullptr)
        return checks.code();
    start(*behind);
    if (const int error = behind->error; behind->is_done && error != MPI_SUCCESS) {
        destroy<Request>(behind);
        *request = MPI_REQUEST_NULL;
        return error;
    }
    *request = give_handle<Request>(*behind);
    return MPI_SUCCESS;
}

int prepare_behind(Checks& checks, const Held& held, const LaterCall& call, MPI_Request* request) {
    Behind* const behind = make_behind(checks, held, call, true);
    if (behind == nullptr)
        return checks.code();
    behind->is_active = false;
    *request = give_handle<Request>(*behind);
    return MPI_SUCCESS;
}

} // namespace mesh::mpi
