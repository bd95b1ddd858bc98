// Epochs: the times at which windows may be accessed, and at which questions to them are done.
#include "mpi/buffers/claims.hpp"
#include "mpi/collectives/parts.hpp"
#include "mpi/communicators/communicators.hpp"
#include "mpi/engine/awaited.hpp"
#include "mpi/windows/windows.hpp"

#include <utility>

namespace mesh::mpi {

namespace {

constexpr int kAnswersMax = 1 << 20;

Target& target_of(const Window& window, Rank rank) {
    return window.targets[static_cast<std::size_t>(rank)];
}

/// Most bytes of questions to a rank that are not done: beyond them the caller waits. A question of
/// more bytes goes alone.
constexpr std::uint32_t kAskedMax = 16384;
/// The same of all ranks together.
constexpr std::uint32_t kAskedOfAllMax = 65536;

/// Takes the questions to a rank off the count, since they are going to be done. Gives their bytes.
std::uint32_t forget_what_is_asked(Window& window, Rank target) {
    const std::uint32_t bytes = std::exchange(target_of(window, target).asked, 0u);
    window.asked -= bytes;
    return bytes;
}

/// An answer has no data, though the question was for some: that was refused.
bool lacks_data(const Fetch& fetch) {
    return fetch.request.data != reinterpret_cast<const std::byte*>(&fetch.code) &&
           fetch.request.bytes == 0;
}

/// Waits for a message that begins a list, and takes it from there.
void end_first(Window& window, Fetch** link) {
    Fetch* const fetch = *link;
    wait(fetch->request);
    release(fetch->request.type);
    if (fetch->code != MPI_SUCCESS || lacks_data(*fetch))
        window.was_refused = true;
    *link = fetch->next;
    destroy(fetch);
}

/// Calls `act` with the rank in the window of each member of a group.
template <class F>
void each_rank(const Window& window, const Group& group, F act) {
    for (Rank member = 0; member < group.size; ++member)
        act(window.group->rank_of(group.node(member)));
}

/// Calls `act` with one rank, or, for MPI_ANY_SOURCE, with all.
template <class F>
void each_target(const Window& window, Rank target, F act) {
    for (Rank rank = 0; rank < window.size(); ++rank)
        if (target == MPI_ANY_SOURCE || target == rank)
            act(rank);
}

bool is_part(const Window& window, const Group& group) {
    bool is_in = true;
    each_rank(window, group, [&is_in](Rank rank) { is_in = is_in && rank != MPI_UNDEFINED; });
    return is_in;
}

bool all_have_done(const Window& window) {
    for (const Fetch* one = window.exposed; one != nullptr; one = one->next)
        if (!one->request.is_done)
            return false;
    return true;
}

} // namespace

int new_tag(Window& window) {
    window.answers = (window.answers + 1) % kAnswersMax;
    return window_tag::kFirstAnswer + window.answers;
}

void expect(Window& window, Fetch** list, void* data, int count, MPI_Datatype type, Rank from,
            int tag) {
    auto* const fetch = make<Fetch>();
    if (fetch == nullptr)
        end_run("no memory for what a window is asked", MPI_ERR_NO_MEM);
    fetch->next = *list;
    *list = fetch;
    if (count == 0) { // an answer without data has room for a code
        data = &fetch->code;
        count = sizeof fetch->code;
        type = MPI_BYTE;
    }
    fetch->request =
        asked(Request::Kind::receive, data, count, type, from, tag, window, Traffic::collectives);
    hold(fetch->request.type);
    begin(fetch->request);
}

void ask(Window& window, Ask::What what, Rank target, int kind) {
    const int tag = new_tag(window);
    expect(window, &window.fetches, nullptr, 0, MPI_BYTE, target, tag);
    Room room(sizeof(Ask));
    new (room.data()) Ask{what, tag, static_cast<std::uint32_t>(kind), 0, 1, 0, 0, 0};
    send_room(window, Traffic::messages, std::move(room), sizeof(Ask), target, 0);
}

// The program has the requests of MPI_Rget() and its kin, and may have freed them. The engine knows
// the requests that have not ended.
bool wait_for_answers(Window& window, Rank target) {
    bool has_waited = false;
    for (Fetch** link = &window.fetches; *link != nullptr;) {
        if (target == MPI_ANY_SOURCE || (*link)->request.peer == target) {
            end_first(window, link);
            has_waited = true;
        } else {
            link = &(*link)->next;
        }
    }
    while (Request* const one = part_under_way(window, target, window_tag::kFirstAnswer)) {
        const bool was_ours = std::exchange(one->is_ours, false); // else it is gone when it is done
        wait(*one);
        if (was_ours)
            leave_to_engine(*one);
        has_waited = true;
    }
    return has_waited;
}

bool flush(Window& window, Rank target) {
    each_target(window, target, [&window](Rank rank) {
        if (forget_what_is_asked(window, rank) != 0)
            ask(window, Ask::What::flush, rank);
    });
    return wait_for_answers(window, target);
}

void end_claims(const Window& window, Rank target) {
    each_target(window, target,
                [&window](Rank rank) { mpi::end_claims(&target_of(window, rank)); });
}

void bound_what_is_asked(Window& window, Rank target, std::size_t bytes) {
    const std::uint32_t before = target_of(window, target).asked;
    if (before != 0 && before + bytes > kAskedMax)
        flush(window, target);
    if (window.asked != 0 && window.asked + bytes > kAskedOfAllMax)
        flush(window, MPI_ANY_SOURCE);
}

// Checks ------------------------------------------------------------------------------------------

WindowChecks::WindowChecks(const char* call, MPI_Win handle)
    : Checks(call, find_object<Window>(handle), number_of(handle), kWindow) {}

int WindowChecks::end() {
    if (std::exchange(window().was_refused, false))
        refuse(MPI_ERR_RMA_RANGE, "an access outside of what the target has attached");
    return code();
}

WindowChecks& WindowChecks::target(Rank rank) {
    peer(rank);
    return *this;
}

WindowChecks& WindowChecks::access(Rank rank) {
    if (bad() || rank == MPI_PROC_NULL)
        return *this;
    const bool is_any = rank == MPI_ANY_SOURCE;
    const bool has_begun =
        is_any ? window().started != nullptr || window().has_lock()
               : target_of(window(), rank).is_started || target_of(window(), rank).lock != 0;
    require(window().is_fenced || window().is_all_locked || has_begun, MPI_ERR_RMA_SYNC,
            "no epoch: MPI_Win_fence(), MPI_Win_start() or MPI_Win_lock()");
    return *this;
}

namespace {

constexpr const char* kNotEnded = "another epoch has not ended";

/// Claims of a fence that are not so, and epochs that it would overlap (MPI 4.1, 12.5.1).
Checks& check_strictly(WindowChecks& checks, int claims) {
    const Window& window = checks.window();
    if ((claims & MPI_MODE_NOPRECEDE) == 0)
        return checks.require(!window.has_locked, MPI_ERR_RMA_SYNC,
                              "an epoch of another kind lies between it and the last fence");
    return checks.require(!window.is_fenced || !window.is_used, MPI_ERR_RMA_SYNC,
                          "MPI_MODE_NOPRECEDE is not so: the window was accessed");
}

/// An access epoch of another kind begins.
void leave_fences(Window& window) {
    window.has_locked = window.has_locked || window.is_fenced;
    window.is_fenced = false;
}

int win_fence(WindowChecks& checks, int claims) {
    Window& window = checks.window();
    if (window.started != nullptr || window.has_lock())
        return checks.refuse(MPI_ERR_RMA_SYNC, kNotEnded);
    if (is_strict() && check_strictly(checks, claims).bad())
        return checks.code();
    flush(window, MPI_ANY_SOURCE);
    end_claims(window, MPI_ANY_SOURCE);
    ++window.fences;
    window.is_used = window.has_locked = false;
    if ((claims & MPI_MODE_NOPUT) != 0)
        claim_no_put(window);
    window.is_fenced = (claims & MPI_MODE_NOSUCCEED) == 0;
    const int code = meet_all(window, checks.call());
    return code == MPI_SUCCESS ? checks.end() : code;
}

int win_post(WindowChecks& checks, const Group& origins, int) {
    Window& window = checks.window();
    if (window.is_posted)
        return checks.refuse(MPI_ERR_RMA_SYNC, "MPI_Win_wait() has not ended the one before");
    if (!is_part(window, origins))
        return checks.refuse(MPI_ERR_GROUP, "not a group of ranks of the window");
    window.is_posted = true;
    window.is_fenced = false;
    each_rank(window, origins, [&window](Rank rank) {
        expect(window, &window.exposed, nullptr, 0, MPI_BYTE, rank, window_tag::kDone);
    });
    each_rank(window, origins, [&window](Rank rank) {
        send_part(window, {}, rank, {"MPI_Win_post", window_tag::kPosted});
    });
    return MPI_SUCCESS;
}

int win_start(WindowChecks& checks, Group& targets, int) {
    Window& window = checks.window();
    if (window.started != nullptr)
        return checks.refuse(MPI_ERR_RMA_SYNC, "MPI_Win_complete() has not ended the one before");
    if (!is_part(window, targets))
        return checks.refuse(MPI_ERR_GROUP, "not a group of ranks of the window");
    window.started = hold(&targets);
    leave_fences(window);
    each_rank(window, targets, [&window](Rank rank) {
        receive_part(window, {}, rank, {"MPI_Win_start", window_tag::kPosted});
        target_of(window, rank).is_started = true;
    });
    return MPI_SUCCESS;
}

int win_complete(WindowChecks& checks) {
    Window& window = checks.window();
    if (window.started == nullptr)
        return checks.refuse(MPI_ERR_RMA_SYNC, "MPI_Win_start() has not begun");
    order_accesses(window, MPI_ANY_SOURCE);
    flush(window, MPI_ANY_SOURCE);
    end_claims(window, MPI_ANY_SOURCE);
    each_rank(window, *window.started, [&window](Rank rank) {
        target_of(window, rank).is_started = false;
        send_part(window, {}, rank, {"MPI_Win_complete", window_tag::kDone});
    });
    release(std::exchange(window.started, nullptr));
    return checks.end();
}

/// Ends an exposure. `flag`: the call does not wait, and says there whether it has ended.
int end_exposure(WindowChecks& checks, int* flag) {
    Window& window = checks.window();
    if (!window.is_posted)
        return checks.refuse(MPI_ERR_RMA_SYNC, "MPI_Win_post() has not begun");
    if (flag != nullptr && !all_have_done(window))
        pass_time();
    if (flag != nullptr)
        *flag = all_have_done(window);
    if (flag != nullptr && *flag == 0)
        return MPI_SUCCESS;
    while (window.exposed != nullptr)
        end_first(window, &window.exposed);
    order_accesses(window, window.rank());
    window.is_posted = false;
    return MPI_SUCCESS;
}

int lock(WindowChecks& checks, int kind, Rank target) {
    Window& window = checks.window();
    leave_fences(window);
    each_target(window, target, [&](Rank rank) { ask(window, Ask::What::lock, rank, kind); });
    wait_for_answers(window, target);
    return MPI_SUCCESS;
}

int unlock(WindowChecks& checks, Rank target) {
    Window& window = checks.window();
    order_accesses(window, target); // before another rank gets the lock
    each_target(window, target, [&window](Rank rank) {
        forget_what_is_asked(window, rank);
        ask(window, Ask::What::unlock, rank);
    });
    wait_for_answers(window, target);
    end_claims(window, target);
    return checks.end();
}

int win_lock(WindowChecks& checks, int kind, int rank, int) {
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    Target& its = target_of(checks.window(), rank);
    if (kind != MPI_LOCK_SHARED && kind != MPI_LOCK_EXCLUSIVE)
        return checks.refuse(MPI_ERR_LOCKTYPE, "MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE");
    if (its.lock != 0 || checks.window().is_all_locked || its.is_started)
        return checks.refuse(MPI_ERR_RMA_SYNC, "another epoch has not ended there");
    its.lock = kind;
    return lock(checks, kind, rank);
}

int win_unlock(WindowChecks& checks, int rank) {
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    const int was_locked = std::exchange(target_of(checks.window(), rank).lock, 0);
    return was_locked == 0 ? checks.refuse(MPI_ERR_RMA_SYNC, "MPI_Win_lock() has not begun")
                           : unlock(checks, rank);
}

int win_lock_all(WindowChecks& checks, int) {
    Window& window = checks.window();
    if (window.started != nullptr || window.has_lock())
        return checks.refuse(MPI_ERR_RMA_SYNC, kNotEnded);
    window.is_all_locked = true;
    return lock(checks, MPI_LOCK_SHARED, MPI_ANY_SOURCE);
}

int win_unlock_all(WindowChecks& checks) {
    const bool was_locked = std::exchange(checks.window().is_all_locked, false);
    return was_locked ? unlock(checks, MPI_ANY_SOURCE)
                      : checks.refuse(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all() has not begun");
}

/// Waits for questions to a rank, or to all, by flush(), or only for their answers, by
/// wait_for_answers(): data that is sent was copied.
int flush_window(WindowChecks& checks, bool (*wait_for)(Window&, Rank),
                 Rank rank = MPI_ANY_SOURCE) {
    if (checks.access(rank).bad() || rank == MPI_PROC_NULL)
        return checks.code();
    order_accesses(checks.window(), rank);
    if (!wait_for(checks.window(), rank)) // a little time passes, in which the window is served
        pass_time();
    end_claims(checks.window(), rank);
    return checks.end();
}

// A window has one copy. A program that calls this in a loop waits for others to change it.
void win_sync(const WindowChecks&) { pass_time(); }

} // namespace

} // namespace mesh::mpi

#include "doors/window_epochs.inc"
