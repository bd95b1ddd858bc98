#include "kernel/scheduler.hpp"

#include "hal/check.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace mesh {

bool Scheduler::spawn(Process process, wire::ModelTime clock, ProcessId* id) {
    const auto free = std::find_if(slots_.begin(), slots_.end(),
                                   [](const ProcessSlot& slot) { return slot.is_free(); });
    if (free == slots_.end())
        return false;
    const auto handle = process.release();
    if (!handle)
        return false;
    const auto generation = static_cast<std::uint8_t>(free->generation + 1);
    *free = ProcessSlot{.root = handle,
                        .resume_at = handle,
                        .clock = clock,
                        .generation = generation,
                        .will_be_joined = id != nullptr};
    const auto number = static_cast<std::uint8_t>(free - slots_.begin());
    if (id != nullptr)
        *id = {number, generation};
    used_ = std::max(used_, static_cast<std::uint8_t>(number + 1));
    touch();
    return true;
}

void Scheduler::block(std::coroutine_handle<> resume_at, Ready ready, void* context,
                      std::uint64_t wake) {
    ProcessSlot& slot = slots_[current_];
    slot.resume_at = resume_at;
    slot.ready = ready;
    slot.context = context;
    slot.wake = wake;
}

bool Scheduler::run_round() {
    if (!std::exchange(touched_, false))
        return false;
    bool ran = false;
    for (unsigned number = 0; number < used_; ++number) {
        ProcessSlot& slot = slots_[number];
        if (!slot.root || (slot.ready != nullptr && !slot.ready(slot.context)))
            continue;
        current_ = static_cast<std::uint8_t>(number);
        slot.ready = nullptr;
        slot.wake = wire::kNever;
        holds_.lower();
        slot.resume_at.resume();
        MESH_CHECK(!holds_.any(), hold_out_of_balance);
        holds_.raise();
        ran = touched_ = true;
        if (slot.root.done())
            end(slot);
    }
    return ran;
}

void Scheduler::end(ProcessSlot& slot) {
    slot.status = slot.root.promise().value;
    slot.root.destroy();
    slot.root = nullptr;
    if (!slot.will_be_joined && failure_ == Status::ok)
        failure_ = slot.status;
}

void Scheduler::on_time(std::uint64_t now) {
    if (next_wake() <= now)
        touch();
}

std::uint64_t Scheduler::next_wake() const {
    if (touched_)
        return 0;
    std::uint64_t earliest = wire::kNever;
    for (const ProcessSlot& slot : slots_.first(used_))
        if (slot.root)
            earliest = std::min(earliest, slot.wake);
    return earliest;
}

bool Scheduler::any() const {
    const auto slots = slots_.first(used_);
    return std::any_of(slots.begin(), slots.end(),
                       [](const ProcessSlot& slot) { return !!slot.root; });
}

bool Scheduler::ended(ProcessId id) const {
    asked_ = id;
    return !known(id) || !slots_[id.slot].root;
}

Status Scheduler::join(ProcessId id) {
    if (!known(id))
        return Status::ok;
    slots_[id.slot].will_be_joined = false;
    return slots_[id.slot].status;
}

Status Scheduler::failure() const {
    for (const ProcessSlot& slot : slots_.first(used_))
        if (!slot.root && slot.will_be_joined && slot.status != Status::ok)
            return slot.status;
    return failure_;
}

} // namespace mesh
