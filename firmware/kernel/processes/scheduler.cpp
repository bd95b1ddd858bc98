#include "kernel/processes/scheduler.hpp"

#include "core/base/expect.hpp"
#include "hal/check.hpp"
#include "hal/notes.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace mesh {

/// Nothing at all in an image that does not trace.
inline void Scheduler::tell([[maybe_unused]] ProcessEvent event, [[maybe_unused]] unsigned number) {
#if MESH_WATCHES_PROCESSES
    if (watch_ != nullptr)
        watch_->happened(event, static_cast<std::uint8_t>(number));
#elif MESH_TRACES_PROCESSES
    const ProcessSlot& slot = slots_[number];
    const auto* const object = reinterpret_cast<const std::byte*>(slot.waiting);
    const bool waits = event == ProcessEvent::blocked;
    send_trace({.clock = slot.clock,
                .object = reinterpret_cast<std::uintptr_t>(object),
                .event = static_cast<std::uint8_t>(event),
                .process = static_cast<std::uint8_t>(number)},
               {object, waits ? wire::ProcessTrace::kObjectBytes : 0});
#endif
}

bool Scheduler::spawn(Process process, ProcessId* id) {
    std::uint8_t number = 0;
    while (number < slots_.size() && !slots_[number].is_free())
        ++number;
    if (number == slots_.size())
        return false;
    const auto handle = process.release();
    if (!handle)
        return false;
    ProcessSlot& slot = slots_[number];
    slot.root = handle;
    slot.resume_at = handle;
    slot.waiting = nullptr;
    slot.scope = slots_[current_].scope;
    slot.clock = slots_[current_].clock;
    slot.status = Status::ok;
    ++slot.generation;
    slot.will_be_joined = id != nullptr;
    if (id != nullptr)
        *id = {number, slot.generation};
    used_ = std::max(used_, number + 1u);
    wake(number);
    if ((high_ & bit_of(current_)) != 0)
        high_ |= bit_of(number);
    touch();
    tell(ProcessEvent::spawned, number);
    return true;
}

void Scheduler::start(ProcessId id) {
    const unsigned caller = std::exchange(current_, id.slot);
    ProcessSlot& slot = slots_[id.slot];
    due_ &= ~bit_of(id.slot);
    slot.resume_at.resume();
    if (slot.root.done())
        end(slot);
    current_ = caller;
}

// The link to `scope` in a chain of scopes; nullptr: it is not there.
Scope** Scheduler::link_to(const Scope& scope, Scope** from) {
    while (*from != nullptr && *from != &scope)
        from = &(*from)->outer;
    return *from != nullptr ? from : nullptr;
}

Waiting* Scheduler::run_part(Scope& scope, std::coroutine_handle<>& part) {
    ProcessSlot& slot = slots_[current_];
    scope.outer = std::exchange(slot.scope, &scope);
    part.resume();
    slot.scope = scope.outer;
    part = slot.resume_at;
    return std::exchange(slot.waiting, nullptr);
}

const ProcessSlot* Scheduler::next_in(const Scope& scope, const ProcessSlot* after) const {
    std::size_t number = after == nullptr ? 0 : static_cast<std::size_t>(after - slots_.data()) + 1;
    for (; number < used_; ++number)
        if (slots_[number].will_be_joined && link_to(scope, &slots_[number].scope) != nullptr)
            return &slots_[number];
    return nullptr;
}

// A process that ends here may end others: operations in its frames are given up, too.
void Scheduler::end_scope(const Scope& scope, bool given_up) {
    for (unsigned number = 0; number < used_; ++number) {
        ProcessSlot& slot = slots_[number];
        Scope** const link = link_to(scope, &slot.scope);
        if (link == nullptr)
            continue;
        *link = scope.outer;
        if (!given_up || !slot.will_be_joined)
            continue;
        slot.will_be_joined = false;
        slot.status = Status::timed_out;
        if (!slot.root)
            continue;
        tell(ProcessEvent::ended, number);
        slot.waiting = nullptr;
        forget(number);
        std::exchange(slot.root, nullptr).destroy();
    }
}

bool Waiting::await_suspend(std::coroutine_handle<> caller) {
    return scheduler_.block(caller, *this);
}

std::uint8_t Waiting::sleep(std::coroutine_handle<> caller) {
    scheduler_.suspend(caller, *this);
    return static_cast<std::uint8_t>(scheduler_.current_);
}

bool Scheduler::block(std::coroutine_handle<> resume_at, Waiting& waiting) {
    const CriticalSection section(critical_depth_);
    if (waiting.ask_(waiting))
        return false;
    suspend(resume_at, waiting);
    polled_ |= bit_of(current_);
    return true;
}

inline void Scheduler::suspend(std::coroutine_handle<> resume_at, Waiting& waiting) {
    ProcessSlot& slot = slots_[current_];
    slot.resume_at = resume_at;
    slot.waiting = &waiting;
    blocked_ = 1;
    tell(ProcessEvent::blocked, current_);
#if MESH_NOTES
    detail::note_wait();
#endif
}

// A process that waits is asked in its own name: the steps that its wait makes move its clock.
template <bool kMeasured>
inline void Scheduler::give_turn(unsigned number) {
    ProcessSlot& slot = slots_[number];
    current_ = number;
    due_ &= ~bit_of(number);            // before it is asked: a step of its wait may wake it
    if (kMeasured && meter_ != nullptr) // it may go in any turn
        meter_->asks(number);
    if (!slot.root || (slot.waiting != nullptr && !slot.waiting->ask_(*slot.waiting)))
        return;
    if (slot.waiting != nullptr)
        tell(ProcessEvent::woken, number);
    slot.waiting = nullptr;
    polled_ &= ~bit_of(number);
    if (holds(number)) {
        due_ |= bit_of(number);
        return;
    }
    critical_depth_.leave();
    slot.resume_at.resume();
    MESH_CHECK(!critical_depth_.inside(), critical_section_out_of_balance);
    critical_depth_.enter();
    if (kMeasured && meter_ != nullptr)
        meter_->ended(number);
    touch();
    if (slot.root.done())
        end(slot);
}

// True if that low process has this turn behind the others.
inline bool Scheduler::puts_off([[maybe_unused]] unsigned number) const {
#if MESH_WATCHES_PROCESSES
    return watch_ != nullptr && watch_->puts_off(static_cast<std::uint8_t>(number));
#else
    return false;
#endif
}

// True if that process, which can go on, does not yet.
inline bool Scheduler::holds([[maybe_unused]] unsigned number) const {
#if MESH_WATCHES_PROCESSES
    return watch_ != nullptr && watch_->holds(static_cast<std::uint8_t>(number));
#else
    return false;
#endif
}

// In a simulation: those that sleep would be asked in vain.
inline void Scheduler::expect_sleep() {
#if MESH_WATCHES_PROCESSES
    const unsigned last = current_;
    for (current_ = 0; current_ < used_; ++current_)
        if (Waiting* const wait = slots_[current_].waiting; wait != nullptr)
            MESH_EXPECT((polled_ & bit_of(current_)) != 0 || !wait->ask_(*wait));
    current_ = last;
#endif
}

template <bool kMeasured>
bool Scheduler::take_turn() {
    if (touched_ == 0)
        return false;
    if (!kMeasured && meter_ != nullptr)
        return meter_->run_turn();
    touched_ = 0; // only if it was set: what an interrupt sets meanwhile stays (Kernel::wake())
    Set left = left_;
    Set late = 0; // low ones that are put off
    bool behind_others = false;
    Set high = kAll;     // high ones that have not been asked since something changed
    unsigned rounds = 0; // of them
    in_turn_ = 0;
    left_ = kAll;
    for (;;) {
        const Set all = due_ | polled_;
        Set may = all & left & ~high_;
        Set urgent = 0;
        if (high_ != 0) {
            urgent = all & high_ & high;
            if (urgent == 0 && touched_ != 0) {
                if (++rounds == limits::kTurnsMax) {
                    in_turn_ = 1;
                    left_ = left | late;
                    break;
                }
                touched_ = 0;
                urgent = all & high_;
            }
        }
        if (urgent != 0) {
            may = urgent;
            high = behind(first_of(urgent));
        } else if (may != 0) {
            left &= behind(first_of(may));
            high = kAll;
            if (!behind_others && puts_off(first_of(may))) {
                late |= bit_of(first_of(may));
                continue;
            }
        } else if (late != 0) {
            left = std::exchange(late, 0u);
            behind_others = true;
            continue;
        } else {
            break;
        }
        give_turn<kMeasured>(first_of(may));
    }
    if (rounds != 0)
        touch();
    if (touched_ == 0)
        expect_sleep();
    return touched();
}

template bool Scheduler::take_turn<false>();
template bool Scheduler::take_turn<true>(); // an image has it if somebody calls it

// There is no process there any more.
void Scheduler::forget(unsigned number) {
    const Set others = ~bit_of(number);
    polled_ &= others;
    high_ &= others;
    due_ |= joining_ &= others;
}

void Scheduler::end(ProcessSlot& slot) {
    ended_ = true;
    slot.status = slot.root.promise().value;
    tell(ProcessEvent::ended, current_);
    slot.root.destroy();
    slot.root = nullptr;
    forget(current_);
    if (!slot.will_be_joined && failure_ == Status::ok)
        failure_ = slot.status;
}

std::uint64_t Scheduler::next_wake() const {
    if (touched())
        return 0;
    std::uint64_t earliest = any_gives_way() ? moment() : wire::kNever;
    for (Set left = polled_; left != 0;) {
        const unsigned number = first_of(left);
        left &= ~bit_of(number);
        if (slots_[number].waiting != nullptr)
            earliest = std::min(earliest, slots_[number].waiting->wake_);
    }
    return earliest;
}

bool Scheduler::any() const {
    for (const ProcessSlot& slot : slots_.first(used_))
        if (slot.root)
            return true;
    return false;
}

bool Scheduler::ended(ProcessId id) const { return !known(id) || !slots_[id.slot].root; }

Status Scheduler::join(ProcessId id, wire::ModelTime& end) {
    if (!known(id))
        return Status::ok;
    ProcessSlot& slot = slots_[id.slot];
    slot.will_be_joined = false;
    end = slot.clock;
    return slot.status;
}

void Scheduler::let_go(ProcessId id) {
    if (!will_be_joined(id))
        return;
    ProcessSlot& slot = slots_[id.slot];
    slot.will_be_joined = false;
    if (!slot.root && failure_ == Status::ok)
        failure_ = slot.status;
}

Status Scheduler::failure() const {
    for (const ProcessSlot& slot : slots_.first(used_))
        if (!slot.root && slot.will_be_joined && slot.status != Status::ok)
            return slot.status;
    return failure_;
}

} // namespace mesh
