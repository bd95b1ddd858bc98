// Questions of a program to windows. They describe memory as runs of bytes, so that the rank that
// has it need not know the type.
#include "mpi/buffers/claims.hpp"
#include "mpi/collectives/operations.hpp"
#include "mpi/engine/meaning.hpp"
#include "mpi/windows/windows.hpp"

#include <algorithm>
#include <cstring>

namespace mesh::mpi {

namespace {

/// Data in the memory of the program that asks.
struct Ours {
    const void* data;
    int count;
    MPI_Datatype type;

    std::size_t bytes() const { return static_cast<std::size_t>(count) * type_of(type)->size; }
};

/// Data in the window of another rank.
struct Place {
    Rank rank;
    MPI_Aint displacement;
    int count;
    MPI_Datatype type;

    std::size_t bytes() const { return static_cast<std::size_t>(count) * type_of(type)->size; }
};

/// Calls `act` for each run of the memory of a window, in order, up to `most` bytes in all.
/// Neighbours are one run.
template <class F>
void each_run(const Window& window, const Place& place, std::size_t most, F act) {
    const Type& type = *type_of(place.type);
    const MPI_Aint first =
        place.displacement * window.shapes[static_cast<std::size_t>(place.rank)].unit;
    Run last{0, 0};
    for (int element = 0; element < place.count; ++element)
        for (const Run& run : type.all_runs()) {
            const auto bytes = static_cast<std::uint32_t>(std::min<std::size_t>(run.bytes, most));
            if (bytes == 0)
                continue;
            most -= bytes;
            const MPI_Aint offset = first + element * type.extent + run.offset;
            if (last.bytes != 0 && last.offset + static_cast<MPI_Aint>(last.bytes) == offset) {
                last.bytes += bytes;
                continue;
            }
            if (last.bytes != 0)
                act(last);
            last = {offset, bytes};
        }
    if (last.bytes != 0)
        act(last);
}

/// The same for the elements of a pair type with a hole: each is a run from its first byte, as long
/// as its data.
template <class F>
void each_pair(const Window& window, const Place& place, std::size_t most, F act) {
    const Type& type = *type_of(place.type);
    const MPI_Aint first =
        place.displacement * window.shapes[static_cast<std::size_t>(place.rank)].unit;
    std::uint32_t passed = 0; // bytes of the pair that the last run ended in
    for (int element = 0; element < place.count; ++element)
        for (const Run& run : type.all_runs()) {
            std::uint32_t at = (type.unit - passed) % type.unit;
            for (; at < run.bytes && most >= type.unit; at += type.unit, most -= type.unit)
                act(Run{first + element * type.extent + run.offset + static_cast<MPI_Aint>(at),
                        type.unit});
            passed = (passed + run.bytes) % type.unit;
        }
}

/// The number and the bytes of the runs of a question.
struct Runs {
    std::uint32_t count = 0;
    std::uint32_t bytes = 0;
    bool fit = true;
};
Runs runs_of(const Window& window, const Place& place, std::size_t bytes) {
    const MPI_Aint most = window.shapes[static_cast<std::size_t>(place.rank)].bytes;
    const bool is_bound = window.flavor != MPI_WIN_FLAVOR_DYNAMIC;
    Runs runs;
    each_run(window, place, bytes, [&](const Run& run) {
        ++runs.count;
        runs.bytes += run.bytes;
        if (is_bound && (run.offset < 0 || run.offset + static_cast<MPI_Aint>(run.bytes) > most))
            runs.fit = false;
    });
    return runs;
}

/// The operation has a meaning for the elements of this type, of which there may be none.
bool suits(MPI_Op op, const Type& type) {
    if (is_plain(op))
        return true;
    if (!is_fixed(op) || op_of(op) == nullptr)
        return false;
    if (type.size == 0)
        return true;
    Type basic;
    basic.size = basic.unit = type.unit;
    basic.extent = type.unit;
    basic.element = type.element;
    return Operation(*op_of(op), basic, MPI_DATATYPE_NULL).is_known();
}

/// A call for a window. Its fields are set before it starts.
struct Call {
    Ask::What what;
    Ours out{nullptr, 0, MPI_BYTE}; // what is sent
    Ours in{nullptr, 0, MPI_BYTE};  // what comes back
    const void* compared = nullptr; // sent before `out`
    MPI_Op op = MPI_REPLACE;
    MPI_Request* request = nullptr; // which the program waits for

    int start(WindowChecks& checks, const Place& place) const;

private:
    bool sends() const { return what != Ask::What::get && op != MPI_NO_OP; }
    /// The target takes the data, which may be less than it has room for.
    bool fills() const { return sends() && what <= Ask::What::accumulate; }
    bool receives() const { return what >= Ask::What::fetch || what == Ask::What::get; }
    /// The target has to see each element of this type by itself.
    bool takes_pairs(const Type& type) const {
        return !is_plain(op) && pair_with_hole(type.element) != nullptr;
    }
    int give_request(WindowChecks& checks, const Place& place, int tag) const;
    void claim_ours(const Target& target) const;
    void note(Window& window, const Place& place, std::size_t moved) const;
    void check_sizes(WindowChecks& checks, const Runs& runs, std::size_t moved) const;
    void send(Window& window, const Place& place, const Runs& runs, std::size_t moved,
              int tag) const;
};

/// Gives the program a request for the answer, or one that is done if there is none.
int Call::give_request(WindowChecks& checks, const Place& place, int tag) const {
    auto* const made = make<Request>(asked(Request::Kind::receive, in.data, in.count, in.type,
                                           receives() ? place.rank : int{MPI_PROC_NULL}, tag,
                                           checks.window(), Traffic::collectives));
    if (made == nullptr)
        return checks.refuse(MPI_ERR_NO_MEM, nullptr);
    hold(made->type);
    begin(*made);
    *request = give_handle(*made);
    return MPI_SUCCESS;
}

void Call::check_sizes(WindowChecks& checks, const Runs& runs, std::size_t moved) const {
    checks.require(runs.fit, MPI_ERR_RMA_RANGE, "outside of the window of the target")
        .require(!fills() || out.bytes() == moved, MPI_ERR_TRUNCATE,
                 "the target has fewer bytes than the origin sends")
        .require(what != Ask::What::get || in.bytes() >= moved, MPI_ERR_TRUNCATE,
                 "the origin has fewer bytes than the target sends")
        .require(what < Ask::What::fetch ||
                     (in.bytes() == moved && (!sends() || out.bytes() == moved)),
                 MPI_ERR_TYPE, "the target has not as many bytes as the origin");
}

/// Sends the question to the target, with the data for it.
void Call::send(Window& window, const Place& place, const Runs& runs, std::size_t moved,
                int tag) const {
    const Type& type = *type_of(place.type);
    const std::size_t compared_bytes = compared != nullptr ? out.bytes() : 0;
    const std::size_t bytes =
        sizeof(Ask) + runs.count * sizeof(Run) + compared_bytes + (sends() ? out.bytes() : 0);
    Room room(bytes);
    const Ask ask{what,
                  tag,
                  static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(op)),
                  static_cast<std::uint32_t>(type.element),
                  compared != nullptr ? runs.bytes : type.unit,
                  runs.count,
                  runs.bytes,
                  0};
    std::memcpy(room.data(), &ask, sizeof ask);
    std::byte* into = room.data() + sizeof ask;
    const auto add = [&into](const Run& run) {
        std::memcpy(into, &run, sizeof run);
        into += sizeof run;
    };
    if (takes_pairs(type))
        each_pair(window, place, moved, add);
    else
        each_run(window, place, moved, add);
    if (compared != nullptr)
        pack(*type_of(out.type), 1, compared, into);
    if (sends())
        pack(*type_of(out.type), static_cast<std::size_t>(out.count), out.data,
             into + compared_bytes);
    const auto asked = static_cast<std::uint32_t>(bytes + in.bytes());
    window.targets[static_cast<std::size_t>(place.rank)].asked += asked;
    window.asked += asked;
    send_room(window, Traffic::messages, std::move(room), bytes, place.rank, 0);
}

/// Notes which memory of the target is accessed.
void Call::note(Window& window, [[maybe_unused]] const Place& place,
                [[maybe_unused]] std::size_t moved) const {
    window.is_used = true;
#if MESH_NOTES
    const Target& target = window.targets[static_cast<std::size_t>(place.rank)];
    const bool has_own = target.lock != 0 || target.is_started || window.is_all_locked;
    detail::WindowAccess access{.window = window.number,
                                .target = window.group->node(place.rank),
                                .begin = 0,
                                .end = 0,
                                .name = name_of_call(),
                                .place = place_of_call(),
                                .epoch = has_own ? 0 : window.fences,
                                .changes = sends(),
                                .is_own = false,
                                .is_atomic = what >= Ask::What::accumulate,
                                .operation = 0};
    if (access.is_atomic && sends() && what != Ask::What::compare)
        access.operation = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(op));
    each_run(window, place, moved, [&](const Run& run) {
        access.begin = run.offset;
        access.end = run.offset + static_cast<std::int64_t>(run.bytes);
        note_access(access);
    });
#endif
}

/// The program may not change what is sent, nor look at what is received, until it ends the epoch.
void Call::claim_ours(const Target& target) const {
    if (sends())
        claim(&target, out.data, out.count, *type_of(out.type), Leave::loads);
    if (compared != nullptr)
        claim(&target, compared, 1, *type_of(out.type), Leave::loads);
    if (receives())
        claim(&target, in.data, in.count, *type_of(in.type), Leave::nothing);
}

int Call::start(WindowChecks& checks, const Place& place) const {
    if (checks.target(place.rank).elements(place.count, place.type).bad())
        return checks.code();
    if (sends())
        checks.data(out.data, out.count, out.type);
    if (receives())
        checks.data(in.data, in.count, in.type);
    if (checks.access(place.rank).bad())
        return checks.code();
    Window& window = checks.window();
    if (place.rank == MPI_PROC_NULL)
        return request == nullptr ? MPI_SUCCESS : give_request(checks, place, 0);
    const Type& type = *type_of(place.type);
    const std::size_t moved = fills() ? std::min(out.bytes(), place.bytes()) : place.bytes();
    Runs runs = runs_of(window, place, moved);
    check_sizes(checks, runs, moved);
    checks.require(suits(op, type), MPI_ERR_OP, "not an operation for this datatype");
    if (checks.bad())
        return checks.code();
    if (takes_pairs(type)) {
        runs.count = 0;
        each_pair(window, place, moved, [&runs](const Run&) { ++runs.count; });
    }
    bound_what_is_asked(window, place.rank, sizeof(Ask) + runs.count * sizeof(Run) + runs.bytes);
    const int tag = receives() ? new_tag(window) : 0;
    if (request != nullptr) {
        if (const int code = give_request(checks, place, tag); code != MPI_SUCCESS)
            return code;
    } else if (receives()) {
        expect(window, &window.fetches, const_cast<void*>(in.data), moved == 0 ? 0 : in.count,
               in.type, place.rank, tag);
    }
    note(window, place, moved);
    send(window, place, runs, moved, tag);
    if (request == nullptr) // else it may end by its request or by the epoch
        claim_ours(window.targets[static_cast<std::size_t>(place.rank)]);
    return MPI_SUCCESS;
}

int put(WindowChecks& checks, const void* data, int count, MPI_Datatype type, Rank target,
        MPI_Aint place, int target_count, MPI_Datatype target_type,
        MPI_Request* request = nullptr) {
    return Call{.what = Ask::What::put, .out = {data, count, type}, .request = request}.start(
        checks, {target, place, target_count, target_type});
}

int get(WindowChecks& checks, void* data, int count, MPI_Datatype type, Rank target, MPI_Aint place,
        int target_count, MPI_Datatype target_type, MPI_Request* request = nullptr) {
    return Call{.what = Ask::What::get, .in = {data, count, type}, .request = request}.start(
        checks, {target, place, target_count, target_type});
}

int accumulate(WindowChecks& checks, const void* data, int count, MPI_Datatype type, Rank target,
               MPI_Aint place, int target_count, MPI_Datatype target_type, MPI_Op op,
               MPI_Request* request = nullptr) {
    return Call{
        .what = Ask::What::accumulate, .out = {data, count, type}, .op = op, .request = request}
        .start(checks, {target, place, target_count, target_type});
}

int get_accumulate(WindowChecks& checks, const void* data, int count, MPI_Datatype type,
                   void* result, int result_count, MPI_Datatype result_type, Rank target,
                   MPI_Aint place, int target_count, MPI_Datatype target_type, MPI_Op op,
                   MPI_Request* request = nullptr) {
    return Call{.what = Ask::What::fetch,
                .out = {data, count, type},
                .in = {result, result_count, result_type},
                .op = op,
                .request = request}
        .start(checks, {target, place, target_count, target_type});
}

int fetch_and_op(WindowChecks& checks, const void* data, void* result, MPI_Datatype type,
                 Rank target, MPI_Aint place, MPI_Op op) {
    return get_accumulate(checks, data, 1, type, result, 1, type, target, place, 1, type, op);
}

int compare_and_swap(WindowChecks& checks, const void* data, const void* compared, void* result,
                     MPI_Datatype type, Rank target, MPI_Aint place) {
    const Type* const its = checks.any_type(type);
    if (its == nullptr)
        return checks.code();
    const bool is_integer = family_of(its->element) == Family::integers;
    if (its->size != its->unit || !(is_integer || its->element == Element::bytes))
        return checks.refuse(MPI_ERR_TYPE, "only for integers and bytes");
    return Call{.what = Ask::What::compare,
                .out = {data, 1, type},
                .in = {result, 1, type},
                .compared = compared}
        .start(checks, {target, place, 1, type});
}

} // namespace

} // namespace mesh::mpi

#include "doors/window_operations.inc"
