// Joins an object of a program to the process that works for it. Either may go first, and the
// object may move: each knows where the other is, or that it has gone.
#pragma once

#include "kernel/base/status.hpp"

#include <utility>

namespace mesh::detail {

/// The process's side: a parameter of its coroutine, by value. Owner has a member `tether_`, a
/// pointer to this, nullptr without a process.
template <class Owner>
class Tether {
public:
    explicit Tether(Owner& owner) : owner_(&owner) { owner.tether_ = this; }
    Tether(Tether&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)),
          verdict_(other.verdict_) {
        if (owner_ != nullptr)
            owner_->tether_ = this;
    }
    Tether(const Tether&) = delete;
    Tether& operator=(const Tether&) = delete;
    Tether& operator=(Tether&&) = delete;
    ~Tether() {
        if (owner_ != nullptr)
            owner_->tether_ = nullptr;
    }

    /// nullptr: it has gone.
    Owner* owner() const { return owner_; }
    /// The verdict that the owner left when it went.
    Status verdict() const { return verdict_; }

    /// The owner moves to another place.
    void move_to(Owner& owner) { owner_ = &owner; }
    /// The owner goes.
    void cut(Status verdict = Status::ok) {
        owner_ = nullptr;
        verdict_ = verdict;
    }

private:
    Owner* owner_;
    Status verdict_ = Status::ok;
};

} // namespace mesh::detail
