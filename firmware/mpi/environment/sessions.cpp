// Sessions: MPI without the communicator MPI_COMM_WORLD. A part of the program opens one, asks
// which sets of processes there are, and makes communicators of groups of them.
//
// A session is a communicator of this node alone, so it has an error handler as one. Members of a
// new communicator agree on its number by messages among them on the world, as in
// MPI_Comm_create_group().
#include "mpi/communicators/communicators.hpp"
#include "mpi/objects/errors.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace mesh::mpi {

namespace {

struct Session : Comm {
    using Handle = MPI_Session;
    static constexpr const ObjectKind& kKind = kSession;
    Session() { object_kind = &kKind; }
};

class SessionChecks : public Checks {
public:
    SessionChecks(const char* call, MPI_Session handle)
        : Checks(call, find_object<Session>(handle), number_of(handle), kSession) {}
};

constexpr std::array<const char*, 2> kSets{"mpi://WORLD", "mpi://SELF"};

unsigned users = 0; // MPI_Init() and the sessions

/// The ranks of a set of processes; nullptr: there is none of this name.
Group* set_named(std::string_view name) {
    if (name == kSets[0])
        return the_world.group;
    return name == kSets[1] ? comm_of(MPI_COMM_SELF)->group : nullptr;
}

int refuse_set(Checks& checks) {
    return checks.refuse(MPI_ERR_ARG, "there is no such set: mpi://WORLD and mpi://SELF are");
}

} // namespace

void open_mpi() {
    if (the_world.group == nullptr)
        start_mpi();
    ++users;
    the_life = Life::now;
}

void close_mpi() {
    if (--users == 0)
        the_life = Life::after;
}

namespace {

int session_init(MPI_Errhandler handler, MPI_Session* handle) {
    open_mpi();
    Checks checks("MPI_Session_init");
    auto* const session =
        !checks.result(handle).bad() && is_errhandler(checks, handler) ? make<Session>() : nullptr;
    if (session == nullptr) {
        checks.refuse(MPI_ERR_NO_MEM, nullptr); // unless another error was told
        close_mpi();
        return checks.code();
    }
    Group* const self = comm_of(MPI_COMM_SELF)->group;
    set_up(*session, self, self, comm_of(MPI_COMM_SELF)->number);
    session->errhandler = handler;
    hold(session->errhandler);
    *handle = give_handle(*session);
    return MPI_SUCCESS;
}

void session_finalize(Checks& checks, MPI_Session* handle) {
    auto& session = static_cast<Session&>(checks.comm());
    release(session.errhandler);
    release(session.group);
    release(session.peers);
    destroy(&session);
    *handle = MPI_SESSION_NULL;
    drain_engine();
    close_mpi();
}

void session_get_num_psets(const Checks&, int* count) { *count = static_cast<int>(kSets.size()); }

// `length` counts the end of the name, before and after; with 0 the program asks for it alone.
int session_get_nth_pset(Checks& checks, int number, int* length, char* name) {
    if (number < 0 || static_cast<std::size_t>(number) >= kSets.size())
        return checks.refuse_number(MPI_ERR_ARG, number, static_cast<int>(kSets.size()) - 1);
    const std::string_view its = kSets[static_cast<std::size_t>(number)];
    if (*length > 0)
        name[its.copy(name, static_cast<std::size_t>(*length) - 1)] = '\0';
    *length = static_cast<int>(its.size()) + 1;
    return MPI_SUCCESS;
}

int session_get_info(const Checks&, MPI_Info* info) { return PMPI_Info_create(info); }

int session_get_pset_info(Checks& checks, const char* name, MPI_Info* info) {
    const Group* const group = set_named(name);
    if (group == nullptr)
        return refuse_set(checks);
    std::array<char, 12> size;
    std::snprintf(size.data(), size.size(), "%d", group->size);
    const int code = PMPI_Info_create(info);
    return code != MPI_SUCCESS ? code : PMPI_Info_set(*info, "mpi_size", size.data());
}

int group_from_session_pset(Checks& checks, const char* name, MPI_Group* group) {
    Group* const found = set_named(name);
    if (found == nullptr)
        return refuse_set(checks);
    *group = give_handle(*hold(found));
    return MPI_SUCCESS;
}

// The words are not looked at: calls of overlapping groups come in one order at all ranks.
int comm_create_from_group(Checks& checks, Group& group, const char*, MPI_Errhandler handler,
                           MPI_Comm* made) {
    if (group.own == MPI_UNDEFINED)
        return checks.refuse(MPI_ERR_GROUP, "this rank is not in the group");
    if (!is_errhandler(checks, handler))
        return checks.code();
    const std::uint32_t number = greatest_among(the_world, group, next_number);
    use_number(number);
    Comm* const comm = new_communicator(*comm_of(MPI_COMM_SELF), &group, &group, number);
    release(comm->errhandler);
    comm->errhandler = handler;
    hold(handler);
    *made = give_handle(*comm);
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/sessions.inc"
