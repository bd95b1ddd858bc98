// Begin and end of MPI in a program, errors, and what a program may ask about where it runs.
#include "fiber/fiber.hpp"
#include "library/words.hpp"
#include "mpi/attributes.hpp"
#include "mpi/parts.hpp"
#include "mpi/under_way.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <functional>

namespace mesh::mpi {

namespace {

bool has_begun = false; // MPI_Init() was called
bool has_ended = false; // MPI_Finalize() was
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

/// Tells of messages that have come, and that no receive has taken: of the program, or of its
/// collectives, whose contexts are odd.
void tell_messages(bool of_collectives, const char* whose) {
    const Envelope* first = nullptr;
    unsigned count = 0;
    unexpected.find([&](const Unexpected& message) {
        if ((message.envelope.context % 2 != 0) != of_collectives)
            return false;
        first = first == nullptr ? &message.envelope : first;
        ++count;
        return false;
    });
    tell_left(count, whose);
    if (first != nullptr && !of_collectives)
        std::printf("MPI_Finalize(): the first has %u bytes, from rank %d with tag %d\n",
                    static_cast<unsigned>(first->bytes), static_cast<int>(first->source),
                    static_cast<int>(first->tag));
}

/// The world, and the node alone.
void make_communicators() {
    const Kernel& node = fiber::node();
    const std::uint32_t ranks = fiber::parameters().ranks;
    for (Comm* const comm : {&world, &self})
        comm->handles = 1;
    world.handle = static_cast<std::uint32_t>(number_of(MPI_COMM_WORLD));
    self.handle = static_cast<std::uint32_t>(number_of(MPI_COMM_SELF));
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

Life the_life = Life::before;

void start_mpi() {
    make_communicators();
    if (!start_engine())
        end_run("MPI_Init(): the board has no room for MPI", MPI_ERR_NO_MEM);
}

const char* words_of_standard(int code) {
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
    return find_object<Comm>(handle);
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

#if MESH_NOTES

/// Behind the code of the program itself.
extern "C" const char mesh_library[];

namespace {

const void* called_from = nullptr;

/// Puts where the program is behind the words.
std::size_t add_place(std::span<char> words, std::size_t length) {
    const std::size_t begin = std::min(length + 1, words.size() - sizeof called_from);
    if (called_from == nullptr)
        return length;
    words[begin - 1] = '\0';
    std::memcpy(&words[begin], &called_from, sizeof called_from);
    return begin + sizeof called_from;
}

} // namespace

void note_call(const void* place) {
    if (std::less<>()(place, mesh_library))
        called_from = place;
}

#else

namespace {

std::size_t add_place(std::span<char> /*words*/, std::size_t length) { return length; }

} // namespace

#endif

void end_run(const char* why, int code) {
    Kernel& node = fiber::node();
    std::array<char, 160> words;
    std::snprintf(words.data(), words.size(), "rank %u: %s",
                  static_cast<unsigned>(index(node.id())), why);
    mesh::end_run(node, {words.data(), add_place(words, std::strlen(words.data()))});
    the_life = Life::after;
    fiber::end(code == 0 ? 1 : code);
}

int fail(const Comm* comm, int code, const char* call, const char* why) {
    if (comm == nullptr)
        comm = &world;
    if (comm->errhandler == MPI_ERRORS_RETURN)
        return code;
    if (const Errhandler* const own = errhandler_of(comm->errhandler); own != nullptr) {
        int told = code;
        MPI_Comm handle = handle_of(*comm);
        own->function(&handle, &told);
        return code;
    }
    std::array<char, 120> words;
    std::snprintf(words.data(), words.size(), "%s: %s", call,
                  why != nullptr ? why : words_of(code));
    end_run(words.data(), code);
}

Checks::Checks(const char* call) : call_(call), comm_(&world) {
    if (the_life != Life::now)
        end_run(the_life == Life::before ? "a call of MPI before MPI_Init()"
                                         : "a call of MPI after MPI_Finalize()",
                MPI_ERR_OTHER);
}

Checks::Checks(const char* call, Comm* comm, std::uintptr_t number, const ObjectKind& kind)
    : Checks(call) {
    if (usable(comm, number, kind) != nullptr)
        comm_ = comm;
}

Checks::Checks(const char* call, MPI_Comm handle)
    : Checks(call, comm_of(handle), number_of(handle), kCommunicator) {}

int Checks::refuse(int code, const char* why) {
    if (!bad())
        code_ = fail(comm_, code, call_, why);
    return code_;
}

int Checks::end(int code) { return code == MPI_SUCCESS ? code_ : refuse(code, nullptr); }

int Checks::refuse_number(int code, int value, int most) {
    std::array<char, 80> words;
    std::snprintf(words.data(), words.size(), "%s: %d, of 0 to %d", words_of(code), value, most);
    return refuse(code, words.data());
}

int Checks::refuse_handle(std::uintptr_t number, const ObjectKind& kind) {
    std::array<char, kWhyNone> words;
    say_why_none(number, kind, words.data());
    return refuse(kind.error, words.data());
}

// A call that another one makes may use what the program has freed since that began.
Object* Checks::usable(Object* object, std::uintptr_t number, const ObjectKind& kind) {
    if (object != nullptr && (object->handles != 0 || comm_->is_within_a_call))
        return object;
    refuse_handle(number, kind);
    return nullptr;
}

Checks& Checks::require(bool good, int code, const char* why) {
    if (!good)
        refuse(code, why);
    return *this;
}

Checks& Checks::result(const void* place) {
    return require(place != nullptr, MPI_ERR_ARG, "no place for the result: a null pointer");
}

Checks& Checks::count(int value) {
    if (value < 0)
        refuse_number(MPI_ERR_COUNT, value, INT_MAX);
    return *this;
}

Type* Checks::any_type(MPI_Datatype handle) { return usable(type_of(handle), handle); }

Checks& Checks::elements(int number, MPI_Datatype handle) { return data(this, number, handle); }

// A null pointer is MPI_BOTTOM, too, where the type has addresses in it.
Checks& Checks::data(const void* data, int number, MPI_Datatype handle) {
    constexpr MPI_Aint kAddressesBegin = 4096;
    if (count(number).type(handle).bad())
        return *this;
    const Type& type = *type_of(handle);
    if (static_cast<std::int64_t>(number) * type.size > INT_MAX)
        refuse(MPI_ERR_COUNT, "2 GiB or more of data");
    if (data == nullptr && number != 0 && type.size != 0 &&
        std::abs(type.runs[0].offset) < kAddressesBegin)
        refuse(MPI_ERR_BUFFER, "not a buffer: it is null");
    return *this;
}

Checks& Checks::type(MPI_Datatype handle) {
    const Type* const type = any_type(handle);
    if (type != nullptr && !type->is_committed)
        refuse(MPI_ERR_TYPE, "the datatype was not committed: MPI_Type_commit()");
    return *this;
}

Checks& Checks::peer(Rank rank, bool any) {
    const bool good = rank == MPI_PROC_NULL || (any && rank == MPI_ANY_SOURCE) ||
                      (rank >= 0 && rank < comm_->peers->size);
    if (!good)
        refuse_number(MPI_ERR_RANK, rank, comm_->peers->size - 1);
    return *this;
}

Checks& Checks::member(Rank rank) {
    if (rank < 0 || rank >= comm_->size())
        refuse_number(MPI_ERR_RANK, rank, comm_->size() - 1);
    return *this;
}

Checks& Checks::tag(int value, bool any) {
    if (value < 0 && !(any && value == MPI_ANY_TAG))
        refuse_number(MPI_ERR_TAG, value, INT_MAX);
    return *this;
}

Checks& Checks::message(const void* memory, int number, MPI_Datatype handle, Rank rank, int label,
                        bool receives) {
    if (!peer(rank, receives).tag(label, receives).bad() && rank != MPI_PROC_NULL)
        data(memory, number, handle);
    return *this;
}

Checks& Checks::root(Rank rank) {
    const bool is_other_side = rank == MPI_ROOT || rank == MPI_PROC_NULL;
    const bool good =
        comm_->across != nullptr && is_other_side ? true : rank >= 0 && rank < comm_->peers->size;
    if (!good)
        refuse_number(MPI_ERR_ROOT, rank, comm_->peers->size - 1);
    return *this;
}

Checks& Checks::one_group() {
    if (comm_->across != nullptr)
        refuse(MPI_ERR_COMM, "not for a communicator between two groups");
    return *this;
}

Rank Group::rank_of(NodeId node) const {
    Rank rank = 0;
    while (rank < size && nodes[rank] != node)
        ++rank;
    return rank < size ? rank : MPI_UNDEFINED;
}

namespace {

int init(int*, char***) {
    if (std::exchange(has_begun, true))
        end_run("MPI_Init(): called twice", MPI_ERR_OTHER);
    open_mpi();
    return MPI_SUCCESS;
}

int init_thread(int* count, char*** words, int, int* provided) {
    *provided = MPI_THREAD_SINGLE;
    return init(count, words);
}

int query_thread(int* provided) {
    *provided = MPI_THREAD_SINGLE;
    return MPI_SUCCESS;
}

int is_thread_main(int* flag) {
    *flag = 1;
    return MPI_SUCCESS;
}

int initialized(int* flag) {
    *flag = has_begun;
    return MPI_SUCCESS;
}

int finalized(int* flag) {
    *flag = has_ended;
    return MPI_SUCCESS;
}

int finalize(Checks& checks) {
    drop_attributes(&self.attributes, MPI_COMM_SELF);
    drain_engine();
    tell_left(left<Request>, "requests neither completed nor freed");
    tell_left(left<Comm>, "communicators not freed");
    tell_left(left<Type>, "datatypes not freed");
    // By default meet_all() ends the run itself; if the program has errors returned, this does.
    if (meet_at_end(world, checks.call()) != MPI_SUCCESS)
        end_run("MPI_Finalize(): a node does not answer", MPI_ERR_OTHER);
    has_ended = true;
    close_mpi();
    tell_messages(false, "messages that nobody has received");
    tell_messages(true, "messages of collectives that did not agree");
    return MPI_SUCCESS;
}

int abort(MPI_Comm, int code) {
    std::array<char, 48> words;
    std::snprintf(words.data(), words.size(), "MPI_Abort(%d)", code);
    end_run(words.data(), code);
}

int get_version(int* version, int* subversion) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
    return MPI_SUCCESS;
}

int get_library_version(char* version, int* length) {
    return write(version, length, "meshputer MPI, a subset: firmware/mpi/README.md");
}

int get_processor_name(char* name, int* length) {
    *length = fiber::put_name(name, MPI_MAX_PROCESSOR_NAME);
    return MPI_SUCCESS;
}

double wtick() { return 1e-3 / wire::kTicksPerUnit; }

// A loop that does nothing but look at the clock would stop it: each so many looks take some time.
double wtime() {
    static unsigned looks = 0;
    constexpr unsigned kFreeLooks = 1000;
    if (++looks % kFreeLooks == 0)
        fiber::await(fiber::node().sleep(wire::kTicksPerUnit / 10));
    return static_cast<double>(fiber::node().now()) * wtick();
}

// All ranks begin at once.
int comm_get_parent(MPI_Comm* parent) {
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int comm_rank(Checks& checks, int* rank) {
    *rank = checks.comm().rank();
    return MPI_SUCCESS;
}

int comm_size(Checks& checks, int* size) {
    *size = checks.comm().size();
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

void mesh::fiber::before_end(int status) {
    using namespace mesh::mpi;
    if (the_life != Life::now)
        return;
    std::array<char, 80> words;
    std::snprintf(words.data(), words.size(),
                  "the program has ended without MPI_Finalize(), with status %d", status);
    note_call(nullptr);
    mpi::end_run(words.data(), status);
}

extern "C" {
int PMPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }
int MPI_Pcontrol(const int, ...) __attribute__((weak, alias("PMPI_Pcontrol")));
}

#include "doors/life.inc"
