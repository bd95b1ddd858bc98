// When windows may be accessed, and when what was asked of them is done.
#include "mpi/awaited.hpp"
#include "mpi/communicators.hpp"
#include "mpi/parts.hpp"
#include "mpi/windows.hpp"

#include <utility>

namespace mesh::mpi {

namespace {

constexpr int kAnswersMax = 1 << 20;

constexpr const char* kNoEpoch = "no epoch: MPI_Win_fence(), MPI_Win_start() or MPI_Win_lock()";

Target& target_of(const Window& window, Rank rank) {
    return window.targets[static_cast<std::size_t>(rank)];
}

/// Bytes that a rank is asked, and that are not done: beyond them the caller waits. A request of
/// more bytes goes alone.
constexpr std::uint32_t kAskedMax = 16384;
/// The same of all ranks together.
constexpr std::uint32_t kAskedOfAllMax = 65536;

/// What was asked of a rank is going to be done. Gives its bytes.
std::uint32_t forget_what_is_asked(Window& window, Rank target) {
    const std::uint32_t bytes = std::exchange(target_of(window, target).asked, 0u);
    window.asked -= bytes;
    return bytes;
}

/// The answer has no data, though some was asked for: it was refused.
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

/// Ranks of the window that a group has.
template <class F>
void each_rank(const Window& window, const Group& group, F act) {
    for (Rank member = 0; member < group.size; ++member)
        act(window.group->rank_of(group.node(member)));
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

void end_exposure(Window& window) {
    while (window.exposed != nullptr)
        end_first(window, &window.exposed);
    window.is_posted = false;
}

/// Ends a call that a program may make in a loop until another rank has changed its window: if the
/// call had nothing to wait for, a little time passes, in which the window is served.
void let_others_act(bool has_waited) {
    if (!has_waited)
        pass_time();
}

bool is_lock(int kind) { return kind == MPI_LOCK_SHARED || kind == MPI_LOCK_EXCLUSIVE; }

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
    Request& request = fetch->request;
    request.kind = Request::Kind::receive;
    request.comm = &window;
    request.traffic = Traffic::collectives;
    request.peer = from;
    request.tag = tag;
    request.type = type_of(type);
    request.count = count;
    request.data = static_cast<std::byte*>(data);
    if (count == 0) { // an answer without data has room for a code
        request.type = type_of(MPI_BYTE);
        request.count = sizeof fetch->code;
        request.data = reinterpret_cast<std::byte*>(&fetch->code);
    }
    hold(request.type);
    begin(request);
}

void ask(Window& window, Ask::What what, Rank target, int kind) {
    const int tag = new_tag(window);
    expect(window, &window.fetches, nullptr, 0, MPI_BYTE, target, tag);
    Room room(sizeof(Ask));
    new (room.data()) Ask{what, tag, static_cast<std::uint32_t>(kind), 0, 1, 0, 0, 0};
    send_room(window, Traffic::messages, std::move(room), sizeof(Ask), target, 0);
}

// The program has the requests of MPI_Rget() and its kin, and may have freed them: the engine knows
// which of them have not ended.
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
    for (Rank rank = 0; rank < window.size(); ++rank)
        if (target == MPI_ANY_SOURCE || target == rank)
            if (forget_what_is_asked(window, rank) != 0)
                ask(window, Ask::What::flush, rank);
    return wait_for_answers(window, target);
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
    const Target& its = target_of(window(), rank);
    require(window().is_fenced || window().is_all_locked || its.is_started || its.lock != 0,
            MPI_ERR_RMA_SYNC, kNoEpoch);
    return *this;
}

WindowChecks& WindowChecks::access_to_any() {
    require(bad() || window().is_fenced || window().started != nullptr || window().has_lock(),
            MPI_ERR_RMA_SYNC, kNoEpoch);
    return *this;
}

namespace {

int win_fence(WindowChecks& checks, int claims) {
    Window& window = checks.window();
    checks.require(window.started == nullptr && !window.has_lock(), MPI_ERR_RMA_SYNC,
                   "another epoch has not ended");
    if (checks.bad())
        return checks.code();
    flush(window, MPI_ANY_SOURCE);
    window.is_fenced = (claims & MPI_MODE_NOSUCCEED) == 0;
    const int code = meet_all(window, checks.call());
    return code == MPI_SUCCESS ? checks.end() : code;
}

int win_post(WindowChecks& checks, const Group& origins, int) {
    checks.require(!checks.window().is_posted, MPI_ERR_RMA_SYNC,
                   "MPI_Win_wait() has not ended the one before");
    checks.require(is_part(checks.window(), origins), MPI_ERR_GROUP,
                   "not a group of ranks of the window");
    if (checks.bad())
        return checks.code();
    Window& window = checks.window();
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
    checks.require(checks.window().started == nullptr, MPI_ERR_RMA_SYNC,
                   "MPI_Win_complete() has not ended the one before");
    checks.require(is_part(checks.window(), targets), MPI_ERR_GROUP,
                   "not a group of ranks of the window");
    if (checks.bad())
        return checks.code();
    Window& window = checks.window();
    window.started = hold(&targets);
    window.is_fenced = false;
    each_rank(window, targets, [&window](Rank rank) {
        receive_part(window, {}, rank, {"MPI_Win_start", window_tag::kPosted});
        target_of(window, rank).is_started = true;
    });
    return MPI_SUCCESS;
}

int win_complete(WindowChecks& checks) {
    checks.require(checks.window().started != nullptr, MPI_ERR_RMA_SYNC,
                   "MPI_Win_start() has not begun");
    if (checks.bad())
        return checks.code();
    Window& window = checks.window();
    flush(window, MPI_ANY_SOURCE);
    each_rank(window, *window.started, [&window](Rank rank) {
        target_of(window, rank).is_started = false;
        send_part(window, {}, rank, {"MPI_Win_complete", window_tag::kDone});
    });
    release(std::exchange(window.started, nullptr));
    return checks.end();
}

int win_wait(WindowChecks& checks) {
    checks.require(checks.window().is_posted, MPI_ERR_RMA_SYNC, "MPI_Win_post() has not begun");
    if (!checks.bad())
        end_exposure(checks.window());
    return checks.code();
}

int win_test(WindowChecks& checks, int* flag) {
    checks.require(checks.window().is_posted, MPI_ERR_RMA_SYNC, "MPI_Win_post() has not begun");
    if (checks.bad())
        return checks.code();
    if (!all_have_done(checks.window()))
        pass_time();
    *flag = all_have_done(checks.window());
    if (*flag != 0)
        end_exposure(checks.window());
    return MPI_SUCCESS;
}

int win_lock(WindowChecks& checks, int kind, int rank, int) {
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    Window& window = checks.window();
    Target& its = target_of(window, rank);
    checks.require(is_lock(kind), MPI_ERR_LOCKTYPE, "MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE")
        .require(its.lock == 0 && !window.is_all_locked && !its.is_started, MPI_ERR_RMA_SYNC,
                 "another epoch has not ended there");
    if (checks.bad())
        return checks.code();
    window.is_fenced = false;
    its.lock = kind;
    ask(window, Ask::What::lock, rank, kind);
    wait_for_answers(window, rank);
    return MPI_SUCCESS;
}

int win_unlock(WindowChecks& checks, int rank) {
    if (rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    Window& window = checks.window();
    Target& its = target_of(window, rank);
    if (its.lock == 0)
        return checks.refuse(MPI_ERR_RMA_SYNC, "MPI_Win_lock() has not begun");
    its.lock = 0;
    forget_what_is_asked(window, rank);
    ask(window, Ask::What::unlock, rank);
    wait_for_answers(window, rank);
    return checks.end();
}

int win_lock_all(WindowChecks& checks, int) {
    Window& window = checks.window();
    if (window.started != nullptr || window.has_lock())
        return checks.refuse(MPI_ERR_RMA_SYNC, "another epoch has not ended");
    window.is_fenced = false;
    window.is_all_locked = true;
    for (Rank rank = 0; rank < window.size(); ++rank)
        ask(window, Ask::What::lock, rank, MPI_LOCK_SHARED);
    wait_for_answers(window, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
}

int win_unlock_all(WindowChecks& checks) {
    checks.require(checks.window().is_all_locked, MPI_ERR_RMA_SYNC,
                   "MPI_Win_lock_all() has not begun");
    if (checks.bad())
        return checks.code();
    Window& window = checks.window();
    window.is_all_locked = false;
    for (Rank rank = 0; rank < window.size(); ++rank) {
        forget_what_is_asked(window, rank);
        ask(window, Ask::What::unlock, rank);
    }
    wait_for_answers(window, MPI_ANY_SOURCE);
    return checks.end();
}

int win_flush(WindowChecks& checks, int rank) {
    if (checks.access(rank).bad() || rank == MPI_PROC_NULL)
        return checks.code();
    let_others_act(flush(checks.window(), rank));
    return checks.end();
}

int win_flush_all(WindowChecks& checks) {
    if (checks.access_to_any().bad())
        return checks.code();
    let_others_act(flush(checks.window(), MPI_ANY_SOURCE));
    return checks.end();
}

// What is sent was copied; what is fetched has to come.
int win_flush_local(WindowChecks& checks, int rank) {
    if (checks.access(rank).bad() || rank == MPI_PROC_NULL)
        return checks.code();
    let_others_act(wait_for_answers(checks.window(), rank));
    return checks.end();
}

int win_flush_local_all(WindowChecks& checks) {
    if (checks.access_to_any().bad())
        return checks.code();
    let_others_act(wait_for_answers(checks.window(), MPI_ANY_SOURCE));
    return checks.end();
}

// There is one copy of a window. A program that calls this in a loop waits for others to change it.
int win_sync(const WindowChecks&) {
    pass_time();
    return MPI_SUCCESS;
}

} // namespace

} // namespace mesh::mpi

#include "doors/window_epochs.inc"
