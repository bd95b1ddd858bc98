// Begin and end of MPI in a program, and questions about the place where it runs.
#include "fiber/fiber.hpp"
#include "library/words.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/datatypes/attributes.hpp"
#include "mpi/engine/under_way.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <functional>
#include <utility>

namespace mesh::mpi {

namespace {

bool has_begun = false; // MPI_Init() was called
bool has_ended = false; // MPI_Finalize() was
Comm self;

/// The word for what the program has left undone, by which its run fails; nullptr: nothing.
const char* undone = nullptr;
const void* undone_at = nullptr; // in the program; nullptr: it is not known
constexpr const char* kUndone = "requests neither completed nor freed";

/// `where`: the place of the first one; "": it is not known.
void tell_left(unsigned count, const char* what, const char* where = "") {
    if (count != 0)
        std::printf("MPI_Finalize(): %s: %u%s%s\n", what, count,
                    *where == '\0' ? ""
                    : count == 1   ? ", "
                                   : ", the first ",
                    where);
}

/// Tells of objects of a kind that the program has not freed. A request may be one that it has
/// freed, and that has not ended.
void tell_objects(const ObjectKind& kind, const char* what) {
    const Object* first = nullptr;
    unsigned count = 0;
    find_object_if(kind, [&](const Object& one) {
        const bool is_ours =
            one.owners > kOwnersForever / 2 ||
            (&kind == &kCommunicator && static_cast<const Comm&>(one).is_within_a_call);
        if (is_ours || (one.handles == 0 && &kind != &kRequest))
            return false;
        first = first == nullptr ? &one : first;
        ++count;
        return false;
    });
    if (first == nullptr)
        return;
    tell_left(count, what, where_made(*first));
#if MESH_NOTES
    if (is_strict() && undone == nullptr) {
        undone = what;
        undone_at = first->made_at;
    }
#endif
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
    if (first == nullptr || of_collectives)
        return;
    undone = whose;
    std::printf("MPI_Finalize(): the first has %u bytes, from rank %d with tag %d\n",
                static_cast<unsigned>(first->bytes), static_cast<int>(first->source),
                static_cast<int>(first->tag));
}

/// A communicator of the standard, whose first rank is on node number `first`.
void make_communicator(Comm& comm, MPI_Comm handle, std::uint32_t number, std::uint32_t first,
                       std::uint32_t ranks) {
    comm.handles = 1;
    comm.handle = static_cast<std::uint32_t>(number_of(handle));
    comm.number = number;
    comm.group = new_group(static_cast<Rank>(ranks));
    for (NodeId& node : std::span(comm.group->nodes, ranks))
        node = node_at(first++);
    find_own(*comm.group);
    comm.peers = hold(comm.group);
    comm.is_whole = ranks == fiber::node().nodes();
}

} // namespace

Comm the_world;

void start_mpi() {
    make_communicator(the_world, MPI_COMM_WORLD, 1, 0, fiber::parameters().ranks);
    make_communicator(self, MPI_COMM_SELF, 2, index(fiber::node().id()), 1);
    if (!start_engine())
        end_run("MPI_Init(): the board has no room for MPI", MPI_ERR_NO_MEM);
}

Comm* comm_of(MPI_Comm handle) {
    if (handle == MPI_COMM_WORLD)
        return &the_world;
    if (handle == MPI_COMM_SELF)
        return &self;
    return find_object<Comm>(handle);
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

void query_thread(int* provided) { *provided = MPI_THREAD_SINGLE; }

void is_thread_main(int* flag) { *flag = 1; }

void initialized(int* flag) { *flag = has_begun; }

void finalized(int* flag) { *flag = has_ended; }

int finalize(Checks& checks) {
    drop_attributes(&self.attributes, MPI_COMM_SELF);
    drain_engine();
    tell_objects(kRequest, kUndone);
    tell_objects(kCommunicator, "communicators not freed");
    tell_objects(kDatatype, "datatypes not freed");
#if MESH_NOTES // no image has room for all words
    tell_objects(kGroup, "groups not freed");
    tell_objects(kOperation, "operations not freed");
    tell_objects(kWindow, "windows not freed");
#endif
    const Object* const open = find_object_if(kRequest, [](const Object& one) {
        return one.handles != 0 && static_cast<const Request&>(one).is_active;
    });
    if (open != nullptr)
        undone = kUndone;
    // By default meet_all() ends the run itself; if the program has errors returned, this does.
    if (meet_at_end(the_world, checks.call()) != MPI_SUCCESS)
        end_run("MPI_Finalize(): a node does not answer", MPI_ERR_OTHER);
    has_ended = true;
    close_mpi();
    tell_messages(false, "messages that nobody has received");
    tell_messages(true, "messages of collectives that did not agree");
    return MPI_SUCCESS;
}

void abort(MPI_Comm, int code) {
    std::array<char, 48> words;
    std::snprintf(words.data(), words.size(), "MPI_Abort(%d)", code);
    end_run(words.data(), code);
}

void get_version(int* version, int* subversion) {
    *version = MPI_VERSION;
    *subversion = MPI_SUBVERSION;
}

void get_library_version(char* version, int* length) {
    give_text("meshputer MPI, a subset: firmware/mpi/README.md", version, length);
}

void get_processor_name(char* name, int* length) {
    *length = fiber::put_name(name, MPI_MAX_PROCESSOR_NAME);
}

double wtick() { return 1e-3 / wire::kTicksPerUnit; }

// A loop that does nothing but look at the clock would stop it, so each 1000th look takes some
// time.
double wtime() {
    static unsigned looks = 0;
    constexpr unsigned kFreeLooks = 1000;
    if (++looks % kFreeLooks == 0)
        fiber::await(fiber::node().sleep(wire::kTicksPerUnit / 10));
    return static_cast<double>(fiber::node().now()) * wtick();
}

// All ranks begin at once.
void comm_get_parent(MPI_Comm* parent) { *parent = MPI_COMM_NULL; }

void comm_rank(Checks& checks, int* rank) { *rank = checks.comm().rank(); }

void comm_size(Checks& checks, int* size) { *size = checks.comm().size(); }

} // namespace

} // namespace mesh::mpi

void mesh::fiber::before_end(int status) {
    using namespace mesh::mpi;
    if (the_life == Life::after &&
        undone != nullptr) { // which ends the program, and comes here again
        const char* const why = std::exchange(undone, nullptr);
        if (undone_at != nullptr)
            end_run_at(undone_at, why);
        mpi::end_run(why, MPI_ERR_OTHER);
    }
    if (the_life != Life::now)
        return;
    std::array<char, 80> words;
    std::snprintf(words.data(), words.size(),
                  "the program has ended without MPI_Finalize(), with status %d", status);
    note_call("", nullptr);
    mpi::end_run(words.data(), status);
}

extern "C" {
int PMPI_Pcontrol(const int, ...) { return MPI_SUCCESS; }
int MPI_Pcontrol(const int, ...) __attribute__((weak, alias("PMPI_Pcontrol")));
}

#include "doors/init_finalize.inc"
