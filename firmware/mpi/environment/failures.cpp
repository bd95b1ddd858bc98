// Members that fail, as User Level Failure Mitigation has them (ULFM; Bland, Bouteiller, Herault,
// Bosilca and Dongarra, 2013): a call that needs a dead member gives an error, the members that are
// left agree (library/agree.hpp), and go on without the dead.
//
// All of this is there only in a program that makes one of these calls. While a request waits for a
// member, `watch` asks the kernel of that node whether it is there; requests that wait for a dead
// node end then. A rank that has learned of a failure says so in each message of a collective of
// such a communicator, and goes on with it: so no other rank waits for it in vain, and each rank
// that needs data of the dead member has an error. Collectives go by messages.
//
// MPIX_Comm_revoke() floods: each member tells all others when it hears of it first. Requests that
// wait on the communicator end with MPIX_ERR_REVOKED. Data that was called for comes all the same,
// in its order among the data of other communicators; so a large message that is announced stays as
// a copy.
#include "fiber/fiber.hpp"
#include "kernel/api/await.hpp"
#include "library/agree.hpp"
#include "mpi/communicators/communicators.hpp"
#include "mpi/engine/meaning.hpp"
#include "mpi/engine/under_way.hpp"

#include <algorithm>

namespace mesh::mpi {

namespace {

/// Tags of the kernel's messages: none has kNeverTag, each communicator has one of the last.
constexpr Tag kNeverTag = 3;
constexpr Tag kRevokeTag = 4;
constexpr Tag kAgreeTags = 0x100;
constexpr std::uint32_t kAgreeTagCount = 0x7000;

/// A node that has failed.
struct Failed {
    Failed* next;
    NodeId node;
};
Queue<Failed> failed; // in the order in which this rank has learned of them

/// The failures of a communicator, by its number, as this rank knows them.
struct Known {
    Known* next;
    std::uint32_t number;
    bool is_revoked = false;
    bool is_broken = false;    // a message of a collective said that a member has failed
    unsigned acknowledged = 0; // so many of its members that have failed, the first ones
};
Queue<Known> known;

/// The number of the communicator that a call, or a message, belongs to.
std::uint32_t own_number(std::uint32_t number) { return number % (1u << kCallShift); }

Known* find_known(std::uint32_t number) {
    return *known.find([number](const Known& one) { return one.number == number; });
}

Known& known_of(std::uint32_t number) {
    Known* one = find_known(number);
    if (one == nullptr && (one = make<Known>(nullptr, number)) == nullptr)
        end_run("no memory to note a failure", MPI_ERR_NO_MEM);
    else if (find_known(number) == nullptr)
        known.push(*one);
    return *one;
}

bool has_failed(NodeId node) {
    return *failed.find([node](const Failed& one) { return one.node == node; }) != nullptr;
}

/// Calls `act` with each member that has failed, in the order of learning; gives how many.
template <class Act>
unsigned each_failed(const Group& members, Act act) {
    unsigned count = 0;
    failed.find([&](const Failed& one) {
        if (members.rank_of(one.node) != MPI_UNDEFINED) {
            ++count;
            act(one.node);
        }
        return false;
    });
    return count;
}
unsigned count_failed(const Group& members) {
    return each_failed(members, [](NodeId) {});
}

unsigned acknowledged(const Comm& comm) {
    const Known* const one = find_known(own_number(comm.number));
    return one == nullptr ? 0 : one->acknowledged;
}

/// Ends all requests of a queue that `is_it` holds for.
template <class Predicate>
void end_with(Queue<Request>& queue, int error, Predicate is_it) {
    while (Request* const request = queue.take_first(is_it)) {
        request->error = error;
        request->room = Room{};
        request->is_done = true;
        if (request->is_ours)
            leave_to_engine(*request);
    }
}

// The watch --------------------------------------------------------------------------------------

struct Watched {
    Watched* next;
    NodeId node;
    SourceWait wait;
};
Queue<Watched> watched;

/// A receive from `source` may take a message of this node.
bool may_take_from(const Comm& comm, Rank source, NodeId node) {
    return source == MPI_ANY_SOURCE ? comm.peers->rank_of(node) != MPI_UNDEFINED
                                    : comm.peers->node(source) == node;
}
bool may_take_from(const Request& request, NodeId node) {
    return request.node == node ||
           (request.node == kNoNode && may_take_from(*request.comm, MPI_ANY_SOURCE, node));
}

bool is_awaited(NodeId node) {
    const auto awaits = [node](const Request& request) { return request.node == node; };
    if (probing.comm != nullptr && may_take_from(*probing.comm, probing.source, node))
        return true;
    return *posted.find([node](const Request& one) { return may_take_from(one, node); }) ||
           *announced.find(awaits) || *expected.find(awaits);
}

void watch(NodeId node) {
    if (node == fiber::node().id() || has_failed(node) ||
        *watched.find([node](const Watched& one) { return one.node == node; }) != nullptr)
        return;
    void* const place = mesh_malloc(sizeof(Watched));
    if (place == nullptr)
        return; // it may be watched later
    constexpr Match kNever{.service = Service::message, .tag = kNeverTag};
    watched.push(*new (place) Watched{nullptr, node, {fiber::node(), node, kNever}});
}

void watch(const Comm& comm, Rank source) {
    if (source != MPI_ANY_SOURCE)
        return watch(comm.peers->node(source));
    for (const NodeId node : comm.peers->all())
        watch(node);
}

bool see_who_fails(Waiting&) {
    while (Watched* const one = watched.take_first(
               [](Watched& other) { return !is_awaited(other.node) || other.wait.over(); })) {
        const NodeId node = one->node;
        const bool is_dead = one->wait.status() != Status::ok;
        destroy(one);
        if (is_dead)
            lose_node(node, nullptr);
    }
    for (Queue<Request>* const queue : {&posted, &announced, &expected})
        queue->find([](const Request& request) {
            if (request.node != kNoNode)
                watch(request.node);
            else
                watch(*request.comm, MPI_ANY_SOURCE);
            return false;
        });
    if (probing.comm != nullptr)
        watch(*probing.comm, probing.source);
    return false;
}

// Revoked communicators --------------------------------------------------------------------------

/// The communicator with this number; nullptr: this rank has none, or not yet.
Comm* find_comm(std::uint32_t number) {
    for (const MPI_Comm fixed : {MPI_COMM_WORLD, MPI_COMM_SELF})
        if (comm_of(fixed)->number == number)
            return comm_of(fixed);
    return static_cast<Comm*>(find_object_if(kCommunicator, [number](const Object& object) {
        return static_cast<const Comm&>(object).number == number;
    }));
}

/// A copy of what was announced, in place of the request that has ended.
void leave_copy(Request& request) {
    auto* const copy = make<Request>();
    if (copy == nullptr)
        end_run("no memory for a message on a revoked communicator", MPI_ERR_NO_MEM);
    copy->type = type_of(MPI_BYTE);
    hold(copy->type);
    copy->is_ours = true;
    copy->node = request.node;
    copy->number = request.number;
    copy->bytes = request.bytes;
    copy->clock = request.clock;
    copy->room = Room(request.bytes);
    copy->place = copy->room.data();
    std::copy_n(request.place, request.bytes, copy->place);
    announced.push(*copy);
}

Process tell_revoked(Kernel& kernel, NodeId node, std::uint32_t number) {
    [[maybe_unused]] const Status status =
        co_await send(kernel, node, {.tag = kRevokeTag}, std::as_bytes(std::span{&number, 1}));
    co_return Status::ok; // a dead one need not know
}

/// Drops a message that has come on this communicator. False: there is none.
bool drop_unexpected(std::uint32_t number) {
    Unexpected* const message = unexpected.take_first([number](const Unexpected& other) {
        return own_number(other.envelope.context / 2) == number;
    });
    destroy(message);
    return message != nullptr;
}

void revoke(std::uint32_t number) {
    Known& one = known_of(number);
    if (std::exchange(one.is_revoked, true))
        return;
    const auto is_its = [number](const Request& request) {
        return request.comm != nullptr && own_number(request.context / 2) == number;
    };
    announced.find([&](Request& request) {
        if (is_its(request))
            leave_copy(request);
        return false;
    });
    end_with(announced, MPIX_ERR_REVOKED, is_its);
    end_with(posted, MPIX_ERR_REVOKED, is_its);
    while (drop_unexpected(number))
        continue;
    if (const Comm* const comm = find_comm(number); comm != nullptr)
        for (const Group* const group : {comm->group, comm->peers})
            for (const NodeId node : group->all()) {
                if (node == fiber::node().id() || has_failed(node))
                    continue;
                if (!fiber::node().spawn_alone(tell_revoked(fiber::node(), node, number)))
                    end_run("no memory to tell that a communicator is revoked", MPI_ERR_NO_MEM);
            }
    fiber::node().scheduler().touch();
}

/// Takes the messages of other members about revoked communicators.
Process hear_all(Kernel& kernel) {
    for (;;) {
        std::uint32_t number = 0;
        const Received got = co_await receive(kernel, std::as_writable_bytes(std::span{&number, 1}),
                                              kAnySource, kRevokeTag);
        if (got.status == Status::ok)
            revoke(number);
    }
}

} // namespace

// Collectives go by messages, each of which may find out that a rank is dead.
bool start_engine() {
    the_world.is_whole = false;
    Kernel& node = fiber::node();
    return start_processes() && node.spawn_alone(always<see_who_fails>(node)) &&
           node.spawn_alone(hear_all(node));
}

void lose_node(NodeId node, Request* request) {
    if (request != nullptr)
        request->error = MPIX_ERR_PROC_FAILED;
    if (has_failed(node))
        return;
    auto* const gone = make<Failed>(nullptr, node);
    if (gone == nullptr)
        end_run("no memory to note a failure", MPI_ERR_NO_MEM);
    failed.push(*gone);
    const auto is_its = [node](const Request& one) { return one.node == node; };
    end_with(posted, MPIX_ERR_PROC_FAILED, is_its);
    end_with(announced, MPIX_ERR_PROC_FAILED, is_its);
    end_with(expected, MPIX_ERR_PROC_FAILED, is_its);
    end_with(posted, MPIX_ERR_PROC_FAILED_PENDING,
             [node](const Request& one) { return may_take_from(one, node); });
    fiber::node().scheduler().touch();
}

int failure_of(const Comm& comm, Rank peer) {
    const Known* const one = find_known(own_number(comm.number));
    if (one != nullptr && one->is_revoked)
        return MPIX_ERR_REVOKED;
    if (peer == MPI_PROC_NULL || *failed.begin() == nullptr)
        return MPI_SUCCESS;
    if (peer == MPI_ANY_SOURCE)
        return count_failed(*comm.peers) > acknowledged(comm) ? MPIX_ERR_PROC_FAILED_PENDING
                                                              : MPI_SUCCESS;
    return has_failed(comm.peers->node(peer)) ? MPIX_ERR_PROC_FAILED : MPI_SUCCESS;
}

namespace {

bool is_broken(const Comm& comm) {
    const Known* const one = find_known(own_number(comm.number));
    return one != nullptr && one->is_broken;
}

/// True: the request that begins cannot be, and has an error. A message that has come is received
/// all the same; one of a collective says that a member has failed.
bool refuse(Request& request) {
    const Comm& comm = *request.comm;
    if (request.kind == Request::Kind::send && request.traffic == Traffic::collectives &&
        (is_broken(comm) || count_failed(*comm.peers) != 0))
        request.meaning = kOfFailure;
    const int error = failure_of(comm, request.peer);
    if (error == MPI_SUCCESS ||
        (request.kind == Request::Kind::receive &&
         *find_unexpected(comm.context(request.traffic), request.peer, request.tag) != nullptr))
        return false;
    request.error = error;
    return true;
}

} // namespace

void begin(Request& request) {
    if (!refuse(request))
        return begin_now(request);
    request.next = nullptr;
    request.is_active = request.is_done = true;
    request.is_cancelled = false;
    request.source = MPI_PROC_NULL;
    request.its_tag = MPI_ANY_TAG;
    request.bytes = request.capacity = 0;
    request.clock = fiber::node().now();
}

bool send_at_once(const Comm& comm, std::uint32_t context, const Type& type, std::size_t count,
                  const void* data, Rank to, int tag, std::uint16_t meaning) {
    return failure_of(comm, to) == MPI_SUCCESS &&
           send_now(comm, context, type, count, data, to, tag, meaning);
}

void compare(Request& request, const Envelope& envelope) {
    note_meaning(request, envelope);
    if (request.traffic != Traffic::collectives || envelope.meaning != kOfFailure)
        return;
    request.error = MPIX_ERR_PROC_FAILED;
    known_of(own_number(request.comm->number)).is_broken = true;
}

int code_of_part(const Request& request, const char* call) {
    return request.error >= MPIX_ERR_PROC_FAILED ? fail(request.comm, request.error, call, nullptr)
                                                 : disagreement_in(request, call);
}

const char* words_of(int code) {
    if (code == MPIX_ERR_REVOKED)
        return "the communicator was revoked";
    const bool is_ours = code == MPIX_ERR_PROC_FAILED || code == MPIX_ERR_PROC_FAILED_PENDING;
    return is_ours ? "a member has failed" : words_of_standard(code);
}

void forget_revoked() {
    known.find([](const Known& one) {
        while (one.is_revoked && drop_unexpected(one.number))
            continue;
        return false;
    });
    while (Request* const copy =
               announced.take_first([](const Request& request) { return request.comm == nullptr; }))
        destroy(copy);
}

namespace {

/// Members that are left agree. `room`: for as many nodes as there are members.
mesh::Agreed agree_on(const Comm& comm, std::uint32_t flags, std::uint32_t mine, const Room& room) {
    Kernel& node = fiber::node();
    const auto tag = static_cast<Tag>(kAgreeTags + own_number(comm.number) % kAgreeTagCount);
    const std::span<NodeId> nodes{reinterpret_cast<NodeId*>(room.data()), comm.group->all().size()};
    const mesh::Agreed agreed =
        fiber::await(agree(node, mesh::Group{node, comm.group->all(), tag}, flags, nodes, mine));
    if (agreed.status == Status::ok)
        for (const NodeId member : comm.group->all())
            if (std::ranges::find(agreed.left, member) == agreed.left.end())
                lose_node(member, nullptr);
    return agreed;
}

/// Gives the program the group of the first `count` members that have failed.
int give_failed(const Checks& checks, unsigned count, MPI_Group* handle) {
    const Group& members = *checks.comm().group;
    Group* const group = new_group(static_cast<Rank>(count));
    NodeId* next = group->nodes;
    each_failed(members, [&](NodeId node) {
        if (next != group->nodes + count)
            *next++ = node;
    });
    *handle = give_handle(*group);
    return MPI_SUCCESS;
}

void comm_revoke(const Checks& checks) { revoke(own_number(checks.comm().number)); }

void comm_is_revoked(const Checks& checks, int* flag) {
    *flag = failure_of(checks.comm(), MPI_PROC_NULL) == MPIX_ERR_REVOKED;
}

// A second agreement tells whether all have acknowledged all failures, so that all return the same.
int comm_agree(Checks& checks, int* flag) {
    const Comm& comm = checks.comm();
    const Room room(comm.group->all().size_bytes());
    const mesh::Agreed first = agree_on(comm, static_cast<std::uint32_t>(*flag), 0, room);
    if (first.status != Status::ok)
        return checks.refuse(MPIX_ERR_PROC_FAILED, nullptr);
    *flag = static_cast<int>(first.flags);
    const std::size_t missing = comm.group->all().size() - first.left.size();
    if (missing == 0)
        return MPI_SUCCESS;
    const bool knows_all = acknowledged(comm) >= missing;
    const mesh::Agreed second = agree_on(comm, knows_all ? 1 : 0, 0, room);
    return second.status == Status::ok && second.flags != 0
               ? MPI_SUCCESS
               : checks.refuse(MPIX_ERR_PROC_FAILED, nullptr);
}

int comm_shrink(Checks& checks, MPI_Comm* made) {
    Comm& comm = checks.comm();
    const Room room(comm.group->all().size_bytes());
    const mesh::Agreed agreed = agree_on(comm, 0, next_number, room);
    if (agreed.status != Status::ok)
        return checks.refuse(MPIX_ERR_PROC_FAILED, nullptr);
    use_number(agreed.greatest);
    Group* const group = new_group(static_cast<Rank>(agreed.left.size()));
    std::ranges::copy(agreed.left, group->nodes);
    find_own(*group);
    *made = give_handle(new_communicator(comm, group, group, agreed.greatest));
    release(group);
    return MPI_SUCCESS;
}

int comm_get_failed(const Checks& checks, MPI_Group* group) {
    return give_failed(checks, count_failed(*checks.comm().group), group);
}

int comm_ack_failed(const Checks& checks, int most, int* done) {
    const Comm& comm = checks.comm();
    unsigned& count = known_of(own_number(comm.number)).acknowledged;
    count = std::max(count,
                     std::min(count_failed(*comm.group), static_cast<unsigned>(std::max(most, 0))));
    *done = static_cast<int>(count);
    return MPI_SUCCESS;
}

int comm_failure_ack(const Checks& checks) {
    int done = 0;
    return comm_ack_failed(checks, checks.comm().size(), &done);
}

int comm_failure_get_acked(const Checks& checks, MPI_Group* group) {
    return give_failed(checks, acknowledged(checks.comm()), group);
}

} // namespace

int meet_at_end(Comm& world, const char* /*call*/) {
    const Room room(world.group->all().size_bytes());
    const Status met = agree_on(world, 0, 0, room).status;
    forget_revoked();
    return met == Status::ok ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED;
}

} // namespace mesh::mpi

#include "doors/failures.inc"
