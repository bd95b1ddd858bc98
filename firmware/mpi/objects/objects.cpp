// The parts of objects; the errors of calls, and the checks that find them.
#include "mpi/objects/objects.hpp"

#include "fiber/fiber.hpp"
#include "library/words.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

namespace mesh::mpi {

namespace {

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

} // namespace

Life the_life = Life::before;

const char* words_of_standard(int code) {
    if (code == MPI_ERR_NO_MEM)
        return "no memory";
    if (code == MPI_ERR_KEYVAL)
        return "not a key of attributes";
    return code >= 0 && static_cast<std::size_t>(code) < kErrors.size()
               ? kErrors[static_cast<std::size_t>(code)]
               : "unknown error";
}

void give_text(const char* text, char* into, int* length) {
    *length = static_cast<int>(std::strlen(text));
    std::memcpy(into, text, static_cast<std::size_t>(*length) + 1);
}

void copy_text(const char* from, char* into, std::size_t room) {
    *std::copy_n(from, std::min(std::strlen(from), room - 1), into) = '\0';
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

#if MESH_NOTES

/// The first address behind the code of the program itself.
extern "C" const char mesh_library[];

namespace {

const void* called_from = nullptr;
const char* called = "";
bool is_first = false; // no call of MPI's own has begun since the program's

/// Puts the place of the program's call behind the words. Gives the length of both.
std::size_t add_place(std::span<char> words, std::size_t length) {
    const std::size_t begin = std::min(length + 1, words.size() - sizeof called_from);
    if (called_from == nullptr)
        return length;
    words[begin - 1] = '\0';
    std::memcpy(&words[begin], &called_from, sizeof called_from);
    return begin + sizeof called_from;
}

} // namespace

bool is_in_program(const void* place) { return std::less<>()(place, mesh_library); }

void note_call(const char* name, const void* place) {
    if (!is_in_program(place))
        return;
    called_from = place;
    called = name;
    is_first = true;
    if (auto* const notes = detail::rank_notes(); notes != nullptr && place != nullptr)
        notes->enters(index(fiber::node().id()), name, place);
}

const void* place_of_call() { return called_from; }

const char* name_of_call() { return called; }

bool is_strict() {
    const auto* const notes = detail::rank_notes();
    return notes != nullptr && notes->is_strict();
}

const char* where(const void* place) {
    static std::array<char, 400> words;
    words[0] = '\0';
    if (auto* const notes = detail::rank_notes(); notes != nullptr)
        notes->name_place(index(fiber::node().id()), place, words);
    return words.data();
}

const char* where_made(const Object& object) {
    return where(object.made_at != nullptr ? object.made_at : called_from);
}

void note_joint(const Checks& checks, const Joint& joint) {
    const Comm& comm = checks.comm();
    auto* const notes = detail::rank_notes();
    if (notes == nullptr || comm.is_within_a_call || !std::exchange(is_first, false))
        return;
    const char* const name = is_fixed(checks.handle()) ? "MPI_COMM_WORLD" : comm.name;
    detail::JointCall call{.name = checks.call(),
                           .communicator = comm.number,
                           .ranks = comm.group->all(),
                           .peers = comm.peers->all(),
                           .communicator_name = *name == '\0' ? joint.communicator : name,
                           .is_told = comm.errhandler == MPI_ERRORS_ARE_FATAL,
                           .root = joint.root,
                           .operation = joint.operation,
                           .type = joint.type,
                           .kind = joint.kind,
                           .bytes = joint.bytes};
    if (comm.across != nullptr) { // the groups give and take different things
        call.root = detail::JointCall::kNoRoot;
        call.kind = 0;
        call.bytes = -1;
    }
    const char* const differs = notes->joins(index(fiber::node().id()), call);
    if (differs == nullptr)
        return;
    std::array<char, 100> words;
    std::snprintf(words.data(), words.size(), "%s: the ranks do not agree about %s", checks.call(),
                  differs);
    end_run(words.data(), MPI_ERR_OTHER);
}

#else

namespace {

std::size_t add_place(std::span<char> /*words*/, std::size_t length) { return length; }

} // namespace

#endif

namespace {

/// Ends the run from any process of the node, which goes on until it is ended.
void end_run_soon(const char* why) {
    Kernel& node = fiber::node();
    std::array<char, MESH_NOTES ? 800 : 160> words; // with two lines, in a simulation
    std::snprintf(words.data(), words.size(), "rank %u: %s",
                  static_cast<unsigned>(index(node.id())), why);
    mesh::end_run(node, {words.data(), add_place(words, std::strlen(words.data()))});
}

} // namespace

void end_run(const char* why, int code) {
    end_run_soon(why);
    the_life = Life::after;
    fiber::end(code == 0 ? 1 : code);
}

void end_run_at([[maybe_unused]] const void* place, const char* why) {
#if MESH_NOTES
    called_from = place;
#endif
    end_run(why, MPI_ERR_OTHER);
}

void tell_mistake(const Object& about, const char* words) {
#if MESH_NOTES
    if (is_strict()) {
        const void* const last =
            std::exchange(called_from, about.made_at != nullptr ? about.made_at : called_from);
        end_run_soon(words);
        called_from = last;
        return;
    }
#endif
    const char* const where = where_made(about);
    std::printf("MPI: %s%s%s\n", words, *where == '\0' ? "" : ", ", where);
}

int fail(const Comm* comm, int code, const char* call, const char* why) {
    if (comm == nullptr)
        comm = &the_world;
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

Checks::Checks(const char* call) : call_(call), comm_(&the_world) {
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

// A call within another one may use objects that the program has freed since that began.
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

} // namespace mesh::mpi
