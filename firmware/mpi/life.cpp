// Begin and end of MPI in a program, errors, and what a program may ask about where it runs.
#include "fiber/fiber.hpp"
#include "library/words.hpp"
#include "mpi/attributes.hpp"
#include "mpi/parts.hpp"
#include "mpi/under_way.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace mesh::mpi {

namespace {

Life the_life = Life::before;
Comm world;
Comm self;

constexpr std::array<const char*, 20> kErrors{"no error",
                                              "not a buffer",
                                              "not a count",
                                              "not a datatype",
                                              "not a tag",
                                              "not a communicator",
                                              "not a rank",
                                              "not a request",
                                              "not a root",
                                              "not a group",
                                              "not an operation for this datatype",
                                              "no such topology",
                                              "not a number of dimensions",
                                              "not an argument for this",
                                              "error",
                                              "message truncated: the buffer is too small for it",
                                              "other error",
                                              "internal error",
                                              "the request is not done",
                                              "the error is in the status"};

int write(char* text, int* length, const char* words) {
    *length = static_cast<int>(std::strlen(words));
    std::memcpy(text, words, static_cast<std::size_t>(*length) + 1);
    return MPI_SUCCESS;
}

void tell_left(unsigned count, const char* what) {
    if (count != 0)
        std::printf("MPI_Finalize(): %s: %u\n", what, count);
}

/// Messages of the program that have come, and that no receive has taken.
unsigned messages_left() {
    unsigned count = 0;
    unexpected.find([&count](const Unexpected& message) {
        count += message.envelope.context % 2 == 0 ? 1 : 0; // else of a collective
        return false;
    });
    return count;
}

/// The world, and the node alone.
void make_communicators() {
    const Kernel& node = fiber::node();
    const std::uint32_t ranks = fiber::parameters().ranks;
    world.group = new_group(static_cast<Rank>(ranks));
    for (Rank rank = 0; rank < world.group->size; ++rank)
        world.group->nodes[rank] = node_at(static_cast<unsigned>(rank));
    find_own(*world.group);
    world.peers = hold(world.group);
    world.number = 1;
    world.is_whole = ranks == node.nodes();
    self.group = new_group(1);
    self.group->nodes[0] = node.id();
    find_own(*self.group);
    self.peers = hold(self.group);
    self.number = 2;
    self.is_whole = node.nodes() == 1;
}

} // namespace

Life life() { return the_life; }

const char* words_of(int code) {
    if (code == MPI_ERR_NO_MEM)
        return "no memory";
    if (code == MPI_ERR_KEYVAL)
        return "not a key of attributes";
    return code >= 0 && static_cast<std::size_t>(code) < kErrors.size()
               ? kErrors[static_cast<std::size_t>(code)]
               : "unknown error";
}

Comm* comm_of(MPI_Comm handle) {
    if (handle == MPI_COMM_WORLD)
        return &world;
    if (handle == MPI_COMM_SELF)
        return &self;
    return is_fixed(handle) ? nullptr : handle;
}

Group* new_group(Rank size) {
    auto* const group = make<Group>();
    auto* const nodes = static_cast<NodeId*>(
        mesh_malloc(sizeof(NodeId) * static_cast<std::size_t>(std::max(size, 1))));
    if (group == nullptr || nodes == nullptr)
        end_run("no memory for a group", MPI_ERR_NO_MEM);
    group->size = size;
    group->nodes = nodes;
    return group;
}

void find_own(Group& group) { group.own = group.rank_of(fiber::node().id()); }

void release(Group* group) {
    if (--group->owners != 0)
        return;
    mesh_free(group->nodes);
    destroy(group);
}

Room::Room(std::size_t bytes) : bytes_(static_cast<std::byte*>(mesh_malloc(bytes))) {
    if (bytes_ == nullptr)
        end_run("no memory for a copy of data", MPI_ERR_NO_MEM);
}

// Errors ------------------------------------------------------------------------------------------

void end_run(const char* why, int code) {
    Kernel& node = fiber::node();
    std::array<char, 160> words;
    std::snprintf(words.data(), words.size(), "rank %u: %s",
                  static_cast<unsigned>(index(node.id())), why);
    mesh::end_run(node, words.data());
    the_life = Life::after;
    fiber::end(code == 0 ? 1 : code);
}

int fail(const Comm* comm, int code, const char* call, const char* why) {
    if (comm == nullptr)
        comm = &world;
    if (comm->errhandler == MPI_ERRORS_RETURN)
        return code;
    if (!is_fixed(comm->errhandler)) {
        int told = code;
        MPI_Comm handle = comm == &world  ? MPI_COMM_WORLD
                          : comm == &self ? MPI_COMM_SELF
                                          : const_cast<Comm*>(comm);
        comm->errhandler->function(&handle, &told);
        return code;
    }
    std::array<char, 120> words;
    std::snprintf(words.data(), words.size(), "%s: %s", call,
                  why != nullptr ? why : words_of(code));
    end_run(words.data(), code);
}

Checks::Checks(const char* call, MPI_Comm handle) : call_(call), comm_(comm_of(handle)) {
    if (the_life == Life::before)
        end_run("a call of MPI before MPI_Init()", MPI_ERR_OTHER);
    if (the_life == Life::after)
        end_run("a call of MPI after MPI_Finalize()", MPI_ERR_OTHER);
    if (comm_ == nullptr)
        refuse(MPI_ERR_COMM, nullptr);
}

int Checks::refuse(int code, const char* why) {
    if (!bad())
        code_ = fail(comm_, code, call_, why);
    return code_;
}

Checks& Checks::count(int value) {
    if (value < 0)
        refuse(MPI_ERR_COUNT, nullptr);
    return *this;
}

Checks& Checks::type(MPI_Datatype handle) {
    const Type* const type = type_of(handle);
    if (type == nullptr)
        refuse(MPI_ERR_TYPE, nullptr);
    else if (!type->is_committed)
        refuse(MPI_ERR_TYPE, "the datatype was not committed: MPI_Type_commit()");
    return *this;
}

Checks& Checks::peer(Rank rank, bool any) {
    const bool good = rank == MPI_PROC_NULL || (any && rank == MPI_ANY_SOURCE) ||
                      (!bad() && rank >= 0 && rank < comm_->peers->size);
    if (!good)
        refuse(MPI_ERR_RANK, nullptr);
    return *this;
}

Checks& Checks::tag(int value, bool any) {
    if (value < 0 && !(any && value == MPI_ANY_TAG))
        refuse(MPI_ERR_TAG, nullptr);
    return *this;
}

Checks& Checks::root(Rank rank) {
    const bool is_other_side = rank == MPI_ROOT || rank == MPI_PROC_NULL;
    const bool good =
        !bad() &&
        (comm_->across != nullptr && is_other_side ? true : rank >= 0 && rank < comm_->peers->size);
    if (!good)
        refuse(MPI_ERR_ROOT, nullptr);
    return *this;
}

Checks& Checks::one_group() {
    if (!bad() && comm_->across != nullptr)
        refuse(MPI_ERR_COMM, "not for a communicator between two groups");
    return *this;
}

} // namespace mesh::mpi

void mesh::fiber::before_end(int status) {
    using namespace mesh::mpi;
    if (the_life != Life::now)
        return;
    std::array<char, 80> words;
    std::snprintf(words.data(), words.size(),
                  "the program has ended without MPI_Finalize(), with status %d", status);
    mpi::end_run(words.data(), status);
}

mesh::mpi::Rank MPI_ABI_Group::rank_of(mesh::NodeId node) const {
    mesh::mpi::Rank rank = 0;
    while (rank < size && nodes[rank] != node)
        ++rank;
    return rank < size ? rank : MPI_UNDEFINED;
}

using namespace mesh::mpi;

extern "C" {

int MPI_Init(int*, char***) {
    if (the_life != Life::before)
        end_run("MPI_Init(): called twice", MPI_ERR_OTHER);
    make_communicators();
    if (!start_engine())
        end_run("MPI_Init(): the board has no room for the processes of MPI", MPI_ERR_NO_MEM);
    the_life = Life::now;
    return MPI_SUCCESS;
}

int MPI_Init_thread(int* count, char*** words, int, int* provided) {
    *provided = MPI_THREAD_SINGLE;
    return MPI_Init(count, words);
}

int MPI_Query_thread(int* provided) {
    *provided = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
}

int MPI_Is_thread_main(int* flag) {
    *flag = 1;
    return MPI_SUCCESS;
}

int MPI_Initialized(int* flag) {
    *flag = the_life != Life::before;
    return MPI_SUCCESS;
}

int MPI_Finalized(int* flag) {
    *flag = the_life == Life::after;
    return MPI_SUCCESS;
}

int MPI_Finalize() {
    const Checks checks("MPI_Finalize", MPI_COMM_WORLD);
    if (checks.bad())
        return checks.code();
    drop_attributes(&self.attributes, MPI_COMM_SELF);
    drain_engine();
    tell_left(left<Request>, "requests neither completed nor freed");
    tell_left(left<Comm>, "communicators not freed");
    tell_left(left<Type>, "datatypes not freed");
    // By default meet_all() ends the run itself; if the program has errors returned, this does.
    if (meet_all(world, "MPI_Finalize") != MPI_SUCCESS)
        end_run("MPI_Finalize(): a node does not answer", MPI_ERR_OTHER);
    the_life = Life::after;
    tell_left(messages_left(), "messages that nobody has received");
    return MPI_SUCCESS;
}

int MPI_Abort(MPI_Comm, int code) {
    std::array<char, 48> words;
    std::snprintf(words.data(), words.size(), "MPI_Abort(%d)", code);
    end_run(words.data(), code);
}

int MPI_Get_version(int* version, int* subversion) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int MPI_Get_library_version(char* version, int* length) {
    return write(version, length, "meshputer MPI, a subset: firmware/mpi/README.md");
}

int MPI_Get_processor_name(char* name, int* length) {
    *length = mesh::fiber::put_name(name, MPI_MAX_PROCESSOR_NAME);
    return MPI_SUCCESS;
}

// A loop that does nothing but look at the clock would stop it: each so many looks take some time.
double MPI_Wtime() {
    static unsigned looks = 0;
    constexpr unsigned kFreeLooks = 1000;
    if (++looks % kFreeLooks == 0)
        mesh::fiber::await(mesh::fiber::node().sleep(mesh::wire::kTicksPerUnit / 10));
    return static_cast<double>(mesh::fiber::node().now()) * MPI_Wtick();
}

double MPI_Wtick() { return 1e-3 / mesh::wire::kTicksPerUnit; }

// All ranks begin at once.
int MPI_Comm_get_parent(MPI_Comm* parent) {
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }

int MPI_Comm_rank(MPI_Comm handle, int* rank) {
    const Checks checks("MPI_Comm_rank", handle);
    if (!checks.bad())
        *rank = checks.comm().rank();
    return checks.code();
}

int MPI_Comm_size(MPI_Comm handle, int* size) {
    const Checks checks("MPI_Comm_size", handle);
    if (!checks.bad())
        *size = checks.comm().size();
    return checks.code();
}
}
