#include "kernel/api/within.hpp"

namespace mesh {

// The wait inside has been asked, and is not over.
bool Attempt::await_suspend(std::coroutine_handle<> caller) {
    const CriticalSection section(scheduler_.critical_depth());
    if (scope_ == nullptr && !inner_.await_suspend(caller))
        return false;
    ProcessSlot& slot = scheduler_.slots_[scheduler_.current_];
    const bool over = leave();
    slot.waiting = over ? nullptr : this;
    slot.resume_at = caller;
    if (!over) // what wakes `inner_` does not know of the guard
        scheduler_.polled_ |= Scheduler::bit_of(scheduler_.current_);
    return !over;
}

// Once the guard was ready what it waits for makes no more steps.
bool Attempt::go_on() { return (!leaves_ && inner_.ask_(inner_)) || leave(); }

// True if it is given up.
bool Attempt::leave() {
    if (!leaves_ && ready_(*this)) {
        leaves_ = true;
        const bool begun =
            !all_of([](Waiting* wait) { return wait != nullptr && !is_begun(*wait); });
        verdict_ = begun ? Status::in_doubt : Status::timed_out;
    }
    ask_again_at(leaves_ ? wire::kNever : least(limit_, inner_.wake_));
    return leaves_ &&
           all_of([this](Waiting* wait) { return wait == nullptr || withdraw(kernel_, *wait); }) &&
           all_of([](Waiting* wait) { return wait == nullptr || leave_channel(*wait); });
}

// The waits of the operation and of its processes; nullptr: one that has ended. Processes of
// operations inside it are its own.
template <class Visit>
bool Attempt::all_of(Visit visit) const {
    if (!visit(innermost(&inner_)))
        return false;
    const ProcessSlot* one = nullptr;
    while (scope_ != nullptr && (one = scheduler_.next_in(*scope_, one)) != nullptr) {
        const bool runs = one->root && one->waiting == nullptr;
        if (!runs && !visit(one->root ? innermost(one->waiting) : nullptr))
            return false;
    }
    return true;
}

Waiting* Attempt::innermost(Waiting* wait) {
    while (wait->ask_ == Attempt::ask)
        wait = &static_cast<Attempt*>(wait)->inner_;
    return wait;
}

// Of a message that is sent; else nullptr.
Outgoing* Attempt::outgoing_of(Waiting& wait) {
    return wait.ask_ == Sending::ask ? &static_cast<Sending&>(wait).outgoing_ : nullptr;
}

bool Attempt::is_begun(Waiting& wait) {
    if (wait.ask_ == Receiving::ask)
        return static_cast<Receiving&>(wait).message_.has_value();
    const Outgoing* const outgoing = outgoing_of(wait);
    return outgoing != nullptr && (outgoing->offered || outgoing->taken);
}

namespace {

/// Words to a receiver that an offer counts no more: the position is its name. They say a call, so
/// no process takes one.
constexpr Match kWithdrawals{.tag = kWithdrawTag, .call = 3};

void drop_offer(Kernel& kernel, NodeId source, std::uint32_t message) {
    const Match offer{.service = Service::message, .source = source, .message = message};
    if (kernel.has(offer))
        const Packet withdrawn = kernel.take_control(offer);
}

} // namespace

// Tells the receiver of an offer that it counts no more. False if the pool cannot start that now.
// A word goes the way of the offer, behind that.
bool Attempt::withdraw(Kernel& kernel, Waiting& wait) {
    Outgoing* const outgoing = outgoing_of(wait);
    if (outgoing == nullptr || !outgoing->offered || outgoing->taken || outgoing->unknown ||
        !outgoing->has_way())
        return true;
    if (outgoing->to == kernel.id()) {
        drop_offer(kernel, outgoing->to, outgoing->message);
        return true;
    }
    wire::PacketHeader word{.destination = outgoing->to,
                            .tag = kWithdrawals.tag,
                            .flags = wire::packet_flag::kTimeless,
                            .position = outgoing->message,
                            .call = kWithdrawals.call};
    put_paths(word, {.out = outgoing->paths.out}, outgoing->route);
    outgoing->unknown = kernel.try_post(word, {}, 0, 0); // so it is told once
    return outgoing->unknown;
}

bool Attempt::leave_channel(Waiting& wait) {
    if (wait.ask_ == detail::ChannelWait::ask)
        static_cast<detail::ChannelWait&>(wait).give_up();
    return true;
}

// The node calls it before its processes have their turn, so none has seen an offer that goes. One
// that is taken already goes on.
void drop_withdrawn(Kernel& kernel) {
    while (kernel.has(kWithdrawals)) {
        const Packet word = kernel.take_control(kWithdrawals);
        drop_offer(kernel, word.header().source, word.header().position);
    }
}

} // namespace mesh
