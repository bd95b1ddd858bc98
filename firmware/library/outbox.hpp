// Sends that do not wait for their receivers: MPI's buffered send, as textbooks assume it.
//
// An outbox has memory, in which it keeps a copy of each message until that has been taken. One
// process of the node, there for as long as something is under way, sends them all. What holds:
//
// - Messages to one node come in the order in which they were put in, with those of send().
// - All are under way at once. So a node that takes nothing holds back nobody but itself, until the
//   room is used up by what it does not take. A receiver may take them by tag in any order, as long
//   as its mailbox has room for the offers that it passes over (limits::offers_max() of its pool).
// - A message leaves at the model time at which it was put in, and its putting takes none.
#pragma once

#include "kernel/api/message.hpp"
#include "library/tether.hpp"
#include "library/values.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace mesh {

/// Messages that have been put in and not been taken yet, and the caller's memory that they lie in.
/// For processes, not for interrupts.
class Outbox {
public:
    /// A message in it costs its bytes, rounded up to 8, and at most so many more.
    static constexpr std::size_t kOverheadBytes = 256;

    /// `memory`: the caller's, for as long as the outbox is there, as kernel.workspace() is. It
    /// must not be moved.
    Outbox(Kernel& kernel, std::span<std::byte> memory);
    Outbox(const Outbox&) = delete;
    Outbox& operator=(const Outbox&) = delete;
    /// Messages that are still under way are given up, and the program has failed: flush() first.
    /// So has it if a message could not be sent and no flush() has said so.
    ~Outbox();

    class Putting;
    class Flushing;

    /// `Status s = co_await outbox.put(data, to, tag)`: keeps a copy of `data` and sends it to
    /// `to`. Waits for room only. ok: it is under way, and flush() tells of it; bad_argument: no
    /// such node, a tag that means any, or it is larger than the outbox; no_memory: the node has no
    /// process left.
    Putting put(std::span<const std::byte> data, NodeId to, Tag tag = 0);
    /// The same for one value.
    template <Plain T>
    auto put(const T& value, NodeId to, Tag tag = 0);

    /// The same, but never waits: no_memory also if there is no room now.
    Status try_put(std::span<const std::byte> data, NodeId to, Tag tag = 0);
    /// The same for one value.
    template <Plain T>
    Status try_put(const T& value, NodeId to, Tag tag = 0) {
        return try_put(detail::bytes_from(value), to, tag);
    }

    /// `Status s = co_await outbox.flush()`: waits until nothing is under way. ok: everything that
    /// was put in since the last flush() has been taken; else why the first that has not, has not:
    /// unreachable, as of send(). In model time it ends when the last one has been taken.
    Flushing flush();

    /// Nothing is under way.
    bool empty() const { return first_ == nullptr; }

private:
    friend class detail::Tether<Outbox>;
    friend struct OutboxPlaces;
    class Delivery;
    class Letter;
    class Watching;

    static Process deliver(Kernel& kernel, detail::Tether<Outbox> outbox);
    bool fits(std::size_t bytes) const;
    Letter** find_room(std::size_t bytes, std::byte*& place);
    bool go_on();
    void remove(Letter** link);
    bool unsaid() const { return first_ != nullptr || failure_ != Status::ok; }

    Kernel& kernel_;
    std::byte* begin_;
    std::byte* end_;
    Letter* first_ = nullptr; // by their addresses
    detail::Tether<Outbox>* tether_ = nullptr;
    wire::ModelTime taken_at_ = 0; // the last one
    Status failure_ = Status::ok;  // the first one since flush(), and what it was of
    Tag failed_tag_ = 0;
    NodeId failed_to_ = kNoNode;
};

/// A wait of a process for an outbox; tells a debugger of a message that it waits for.
class Outbox::Watching : public Waiting {
protected:
    Watching(Kernel& kernel, Ask ask) : Waiting(kernel.scheduler(), ask) {}
    ~Watching() = default;
    void watch(const Outbox& outbox);

private:
    friend struct OutboxPlaces;
    NodeId taker_ = kNoNode;
    Tag taken_tag_ = 0;
};

/// See put().
class MESH_AWAITED Outbox::Putting : public Watching {
public:
    Putting(Outbox& outbox, std::span<const std::byte> data, NodeId to, Tag tag)
        : Watching(outbox.kernel_, ask),
          outbox_(outbox),
          data_(data),
          to_(to),
          tag_(tag) {}
    [[gnu::warn_unused_result]] Status await_resume() const { return status_; }

private:
    static bool ask(Waiting& self);

    Outbox& outbox_;
    std::span<const std::byte> data_;
    NodeId to_;
    Tag tag_;
    Status status_ = Status::ok;
};

/// See flush().
class MESH_AWAITED Outbox::Flushing : public Watching {
public:
    explicit Flushing(Outbox& outbox) : Watching(outbox.kernel_, ask), outbox_(outbox) {}
    [[gnu::warn_unused_result]] Status await_resume() {
        outbox_.kernel_.advance_clock(outbox_.taken_at_);
        return std::exchange(outbox_.failure_, Status::ok);
    }

private:
    static bool ask(Waiting& self);

    Outbox& outbox_;
};

inline Outbox::Putting Outbox::put(std::span<const std::byte> data, NodeId to, Tag tag) {
    return {*this, data, to, tag};
}

namespace detail {
template <class T>
struct Kept {
    const T kept;
};
/// Has the value while its putting waits.
template <class T>
class MESH_AWAITED PuttingOf : Kept<T>, public Outbox::Putting {
public:
    PuttingOf(Outbox& outbox, const T& value, NodeId to, Tag tag)
        : Kept<T>{value},
          Putting(outbox, bytes_from(Kept<T>::kept), to, tag) {}
};
} // namespace detail

template <Plain T>
auto Outbox::put(const T& value, NodeId to, Tag tag) {
    return detail::PuttingOf<T>{*this, value, to, tag};
}

inline Outbox::Flushing Outbox::flush() { return Flushing{*this}; }

} // namespace mesh
