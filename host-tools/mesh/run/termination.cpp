#include "termination.hpp"

#include "host-tools/mesh/common/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mesh::host {

namespace {

/// No packet for this long, and the nodes are asked whether anything is under way.
constexpr Deadlines::Seconds kQuiet{0.1};
/// While nodes work, no more than this share of their time goes into such questions, of which many
/// nodes on few cores answer slowly.
constexpr double kShareOfQuestions = 0.25;
/// All done: time between two questions.
constexpr Deadlines::Seconds kQuestionPeriod{0.005};
/// While packets come all the time, the nodes are asked this often in a --timeout how many came.
constexpr double kQuestionsPerTimeout = 4;
/// Lockstep: a process that computes between so many turns does not merely poll for an event.
constexpr std::uint64_t kTurnsOfLivelock = 5000;

} // namespace

FreeTermination::FreeTermination(NodeTable& node_table, const Deadlines& deadlines, bool app,
                                 std::function<bool()> hopeless)
    : node_table_(node_table),
      deadlines_(deadlines),
      app_(app),
      hopeless_(std::move(hopeless)),
      asked_at_(deadlines.now()),
      last_packet_(deadlines.now()),
      last_progress_(deadlines.now()) {}

bool FreeTermination::over(std::uint64_t packets) {
    if (std::exchange(packets_, packets) != packets)
        last_packet_ = deadlines_.now();
    if (node_table_.asked() != 0) {
        if (deadlines_.silent(asked_at_))
            node_table_.give_up(node_table_.who_owe_answers());
        return false;
    }
    if (std::exchange(round_open_, false)) {
        round_took_ = deadlines_.now() - asked_at_;
        if (round_ended())
            return true;
    }
    if (question_due())
        ask();
    return false;
}

/// All nodes have answered the question: true if the run is over.
bool FreeTermination::round_ended() {
    node_table_.give_up_computing();
    const Progress now = progress();
    const bool goes_on = std::exchange(progress_, now) != now;
    const auto busy = [&](std::uint32_t node) { return !node_table_[node].settled(); };
    const bool rests = packets_ == packets_at_question_ && node_table_.those(busy).empty();
    return (rests && confirmed()) || wedged(goes_on);
}

FreeTermination::Progress FreeTermination::progress() const {
    Progress all{.live = node_table_.live()};
    for (std::uint32_t node = 0; node < node_table_.size(); ++node) {
        all.delivered += node_table_[node].result().counts.of(Counter::packets_delivered);
        all.starts += node_table_[node].starts();
    }
    return all;
}

/// Nothing is under way: true if nothing was when the nodes were told to ask again, either, and
/// that has brought nothing.
bool FreeTermination::confirmed() {
    if (confirms())
        return true;
    progress_at_rest_ = progress_;
    tells_to_ask_again_ = true;
    return false;
}

/// True if there was no progress for much longer than a link takes to find out that it is dead.
/// Then, if packets cross the loom all the same, nodes are full of packets that wait for one that a
/// dead link has lost: they refuse all others, which are offered again for ever. If no packets
/// cross, nodes say that something is under way which cannot be seen: no op waits for a time, as an
/// app may. Not while a node computes: computing has a time limit of its own.
bool FreeTermination::wedged(bool goes_on) {
    const auto computes = [&](std::uint32_t node) { return node_table_[node].result().computes(); };
    if (!goes_on && node_table_.those(computes).empty())
        return deadlines_.stuck(last_progress_) &&
               (packets_ != packets_at_progress_ || !app_ || hopeless_());
    packets_at_progress_ = packets_;
    last_progress_ = deadlines_.now();
    return false;
}

bool FreeTermination::question_due() const {
    const Seconds since = deadlines_.now() - asked_at_;
    if (tells_to_ask_again_ || node_table_.done() == node_table_.live())
        return since >= kQuestionPeriod;
    const bool quiet = (!app_ || confirms()) && deadlines_.now() - last_packet_ >= kQuiet;
    const Seconds pause = std::max(kQuiet, round_took_ / kShareOfQuestions);
    return (quiet && since >= pause) || since > deadlines_.rules().timeout / kQuestionsPerTimeout;
}

void FreeTermination::ask() {
    round_open_ = true;
    packets_at_question_ = packets_;
    asked_at_ = deadlines_.now();
    node_table_.ask_all(std::exchange(tells_to_ask_again_, false));
}

bool LockstepTermination::over(bool moved) {
    if (loom_.quiescent())
        return true;
    if (moved)
        last_movement_ = deadlines_.now();
    if (std::exchange(rounds_, loom_.rounds()) != loom_.rounds())
        last_round_ = deadlines_.now();
    NodeNumbers hung = silent();
    if (hung.empty() && deadlines_.rules().real_time && deadlines_.stuck(last_round_))
        hung = awaited();
    node_table_.give_up(hung);
    if (!hung.empty())
        last_movement_ = last_round_ = deadlines_.now();
    if (hung.empty() && deadlines_.stuck(last_movement_) && awaited().empty())
        throw RunError("lockstep: nobody is awaited, yet nothing moves (a bug)");
    look_for_livelock();
    return false;
}

void LockstepTermination::look_for_livelock() {
    if (std::exchange(moves_, loom_.moves()) != loom_.moves()) {
        last_move_ = deadlines_.now();
        rounds_at_move_ = loom_.rounds();
    }
    if (!deadlines_.endless(last_move_) || loom_.rounds() - rounds_at_move_ < kTurnsOfLivelock)
        return;
    const NodeNumbers turning =
        node_table_.those([&](std::uint32_t node) { return loom_.has_turn(node_at(node)); });
    throw RunError(turning.empty() ? "the mesh comes to no rest: its nodes ask on and on"
                                   : endless_.livelock(turning));
}

NodeNumbers LockstepTermination::awaited() const {
    return node_table_.those([&](std::uint32_t node) { return loom_.awaited(node_at(node)); });
}

NodeNumbers LockstepTermination::silent() {
    return node_table_.silent([&](std::uint32_t node) { return loom_.awaited(node_at(node)); });
}

} // namespace mesh::host
