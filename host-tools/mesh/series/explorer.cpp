#include "explorer.hpp"

#include "host-tools/mesh/common/errors.hpp"
#include "host-tools/mesh/common/signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace mesh::host {

namespace {

constexpr std::size_t kWantedMax = 64;
constexpr std::size_t kPutOffsMax = std::size_t{1} << 16;

template <class T>
bool has(std::span<const T> all, const T& one) {
    return std::ranges::find(all, one) != all.end();
}

/// It has been waited for when the process that has started it ends.
void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

} // namespace

/// A choice of the run that is under way. The parent at this choice reads what its children write.
struct Explorer::Level {
    std::array<Turn, kWantedMax> turns; // that go first there, each in an order of its own
    std::size_t count;
    NodeSet reached; // in the one that was tried last

    std::span<const Turn> wanted() const { return std::span(turns).first(count); }
};

/// Memory of all processes of an exploration, one of which runs at a time.
struct Explorer::Shared {
    std::uint64_t runs_max;
    std::uint64_t runs;
    std::uint64_t repeated;
    bool ends;   // nothing more is to be tried
    bool cut;    // though there was more
    bool failed; // in the run with these put-offs
    std::size_t put_offs;
    std::array<std::uint32_t, kPutOffsMax> put_off;
    std::array<Level, kDepthMax> levels;

    void fail(std::span<const std::uint32_t> path) {
        failed = ends = true;
        cut = cut || path.size() > put_off.size();
        put_offs = std::min(path.size(), put_off.size());
        std::ranges::copy(path.first(put_offs), put_off.begin());
    }
    void want(std::size_t level, const Turn& turn) {
        Level& here = levels[level];
        if (here.count == here.turns.size())
            cut = true;
        else
            here.turns[here.count++] = turn;
    }
};

Explorer::Explorer(std::uint64_t runs_max) {
    void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        throw RunError("no memory for the orders that were tried");
    shared_ = static_cast<Shared*>(memory); // zero: a new page is
    shared_->runs_max = runs_max;
}

Explorer::~Explorer() { munmap(shared_, sizeof(Shared)); }

/// True in the process that runs.
bool Explorer::begin() {
    std::fflush(nullptr);
    root_ = fork();
    if (root_ < 0)
        throw RunError("no process for the orders that are tried");
    if (root_ != 0)
        return false;
    end_with_parent();
    setpgid(0, 0);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        dup2(nowhere, stream);
    return true;
}

void Explorer::end(bool good) {
    end_step();
    if (shared_->runs == shared_->runs_max)
        shared_->cut = shared_->ends = true;
    else if (++shared_->runs; !good)
        shared_->fail(put_offs());
    _exit(EXIT_SUCCESS);
}

Explorer::Found Explorer::await() {
    const Fd root(static_cast<int>(syscall(SYS_pidfd_open, root_, 0)));
    try {
        const Signals signals;
        std::array events{pollfd{root.get(), POLLIN, 0}, pollfd{signals.descriptor(), POLLIN, 0}};
        while (root.get() >= 0 && events.front().revents == 0) {
            signals.check();
            poll(events.data(), events.size(), -1);
        }
    } catch (const Interrupted&) {
        kill(-root_, SIGKILL);
        waitpid(root_, nullptr, 0);
        throw;
    }
    int status = 0;
    waitpid(root_, &status, 0);
    if (status != 0)
        shared_->fail({});
    const std::span put_off(shared_->put_off);
    const auto path = put_off.first(shared_->put_offs);
    return {.runs = shared_->runs,
            .repeated = shared_->repeated,
            .all = !shared_->cut && !shared_->failed,
            .failed = shared_->failed,
            .put_off = {path.begin(), path.end()}};
}

bool Explorer::is_asleep(const Turn& turn) const {
    return std::ranges::find(asleep_, turn, &Asleep::turn) != asleep_.end();
}

std::size_t Explorer::choose(std::span<const Turn> ready) {
    end_step();
    std::vector<Turn> awake;
    std::ranges::copy_if(ready, std::back_inserter(awake),
                         [&](const Turn& turn) { return !is_asleep(turn); });
    if (awake.empty()) {
        ++shared_->repeated;
        _exit(EXIT_SUCCESS);
    }
    if (awake.size() > 1 && levels_ < kDepthMax) {
        const std::size_t level = levels_++;
        return take(ready, tried(awake.front(), level), level);
    }
    shared_->cut = shared_->cut || awake.size() > 1;
    return take(ready, awake.front(), kNoLevel);
}

/// Returns in a child for each turn that goes first at this choice; the parent never does.
Turn Explorer::tried(const Turn& first, std::size_t level) {
    Level& here = shared_->levels[level];
    here.count = 0;
    shared_->want(level, first);
    itimerval ticks{};
    const itimerval none{};
    setitimer(ITIMER_REAL, &none, &ticks); // a child has no timer of its parent
    for (std::size_t number = 0; number < here.count; ++number) {
        const Turn turn = here.turns[number];
        if (is_asleep(turn))
            continue;
        if (shared_->ends) {
            shared_->cut = true;
            break;
        }
        const pid_t child = fork();
        if (child == 0) {
            end_with_parent();
            setitimer(ITIMER_REAL, &ticks, nullptr);
            return turn;
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
            shared_->fail(put_offs());
            break;
        }
        asleep_.push_back({turn, here.reached});
    }
    _exit(EXIT_SUCCESS);
}

/// The turn begins.
std::size_t Explorer::take(std::span<const Turn> ready, const Turn& turn, std::size_t level) {
    steps_.push_back({.turn = turn, .ready = {ready.begin(), ready.end()}, .level = level});
    reached_.reset();
    reached(turn.node);
    return place_of(steps_.back());
}

/// The number of the turn among those that could have gone.
std::size_t Explorer::place_of(const Step& step) {
    return static_cast<std::size_t>(std::ranges::find(step.ready, step.turn) - step.ready.begin());
}

/// The order of the run so far, as Order numbers its choices.
std::vector<std::uint32_t> Explorer::put_offs() const {
    std::vector<std::uint32_t> put_off;
    std::uint32_t choices = 0;
    for (const Step& step : steps_) {
        const std::size_t place = place_of(step);
        for (std::size_t before = 0; before < place; ++before)
            put_off.push_back(choices++);
        choices += place + 1 < step.ready.size() ? 1 : 0;
    }
    return put_off;
}

/// The last turn has ended: what has to come before it is known, and what could come behind it.
void Explorer::end_step() {
    if (steps_.empty())
        return;
    Step& last = steps_.back();
    last.reached = reached_;
    const auto depends = [&last](const auto& other) {
        return other.turn == last.turn || (other.reached & last.reached).any();
    };
    last.before.assign(steps_.size() - 1, false);
    std::vector<std::size_t> races; // with nothing between the two that has to be there
    for (std::size_t number = last.before.size(); number-- > 0;) {
        const Step& earlier = steps_[number];
        if (last.before[number] || !depends(earlier))
            continue;
        last.before[number] = true;
        for (std::size_t other = 0; other < number; ++other)
            last.before[other] = last.before[other] || earlier.before[other];
        if (earlier.turn != last.turn)
            races.push_back(number);
    }
    for (const std::size_t earlier : races)
        reverse(earlier);
    std::erase_if(asleep_, depends);
    if (last.level != kNoLevel)
        shared_->levels[last.level].reached = last.reached;
}

/// Has an order tried in which the last turn comes before an earlier one, if that can be: of the
/// turns that are to come before that one, one goes first at its choice.
void Explorer::reverse(std::size_t earlier) {
    const Step& first = steps_[earlier];
    const Step& last = steps_.back();
    if (first.level == kNoLevel)
        return;
    const std::span<const Turn> ready(first.ready);
    const auto between = std::span(steps_).subspan(earlier + 1).first(steps_.size() - earlier - 2);
    const bool woken = !has(ready, last.turn) && first.reached.test(number_of(last.turn.node)) &&
                       std::ranges::find(between, last.turn, &Step::turn) == between.end();
    if (woken)
        return;
    std::vector<std::size_t> moved; // that do not have to come behind the earlier one, and the last
    std::vector<Turn> may_be_first;
    for (std::size_t number = earlier + 1; number < steps_.size(); ++number) {
        const Step& step = steps_[number];
        if (&step != &last && step.before[earlier])
            continue;
        if (has(ready, step.turn) &&
            std::ranges::none_of(moved, [&](std::size_t other) { return step.before[other]; }))
            may_be_first.push_back(step.turn);
        moved.push_back(number);
    }
    const auto wanted = shared_->levels[first.level].wanted();
    if (!may_be_first.empty() &&
        std::ranges::none_of(may_be_first, [&](const Turn& turn) { return has(wanted, turn); }))
        shared_->want(first.level, may_be_first.front());
}

} // namespace mesh::host
