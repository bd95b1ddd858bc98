// The steps that collectives do at a node again and again, in one place: a packet leaves when the
// pool can start it, or a packet of a known node is waited for and judged.
//
// A part of a collective that consists of such steps is no coroutine. It is an object that says,
// whenever a step is done, which step comes next; walk() is the coroutine that takes them.
#pragma once

#include "collectives/await.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

namespace mesh {

/// `co_await step`: takes the step that was set last. Steps of one process, one after the other.
class Step : public Waiting {
public:
    /// Steps of the call that `label` names.
    Step(Kernel& kernel, CallLabel label)
        : Waiting(kernel.scheduler(), ask),
          kernel_(kernel),
          label_(label) {}

    /// Sends a packet with this header, which the caller may change before the step is taken.
    /// `payload` must stay where it is until then.
    wire::PacketHeader& send(const wire::PacketHeader& header,
                             std::span<const std::byte> payload = {});
    /// Sends a packet of the call across `port` to the neighbour. `says`: its number of a message,
    /// which single packets do not need; `flags`: see wire::packet_flag.
    wire::PacketHeader& tell(Port port, std::uint32_t says, std::uint8_t flags = 0,
                             std::span<const std::byte> payload = {});
    /// Waits for the next packet of the call that `source` sends by `path`, with the number `says`.
    void take(NodeId source, std::uint32_t says, Path path = {});
    /// The same of the neighbour across `port`.
    void take_across(Port port, std::uint32_t says) { take(kernel_.neighbor(port), says); }
    /// The packet that has come, judged; to be called after each take().
    Awaited taken();

    void await_resume() const {}

    /// The first status that was not ok.
    Status status() const { return status_; }
    /// The part has failed with `status`; the first failure stays.
    void fail(Status status) { status_ = first_failure(status_, status); }

private:
    friend struct StepPlaces;
    static bool ask(Waiting& self);

    Kernel& kernel_;
    CallLabel label_;
    Status status_ = Status::ok;
    bool takes_ = false;
    Match match_;
    wire::PacketHeader header_;
    std::span<const std::byte> payload_;
    std::optional<SourceWait> wait_;
};

/// A part of a collective at one node: an object of any class that can be copied as bytes and has
/// `bool next(Kernel& kernel, Step& step)`. That function hears the outcome of the step before, if
/// there was one, and sets the next step; false: there is none. The verdict is that of `step`.
class Walk {
public:
    /// Copies `steps`, which must fit in kBytes and be trivially copyable: else it does not
    /// compile.
    template <class Steps>
    Walk(const Steps& steps) : next_(next_of<Steps>) {
        static_assert(sizeof(Steps) <= kBytes);
        static_assert(alignof(Steps) <= kAlignment);
        static_assert(std::is_trivially_copyable_v<Steps>);
        new (memory_) Steps(steps);
    }
    /// Sets the next step; false: there is none.
    bool next(Kernel& kernel, Step& step) { return next_(memory_, kernel, step); }

private:
    static constexpr std::size_t kBytes = 12 * sizeof(void*) + 64;
    static constexpr std::size_t kAlignment = 8;

    template <class Steps>
    static bool next_of(void* steps, Kernel& kernel, Step& step) {
        return static_cast<Steps*>(steps)->next(kernel, step);
    }

    bool (*next_)(void* steps, Kernel& kernel, Step& step);
    alignas(kAlignment) std::byte memory_[kBytes];
};

/// Goes through the steps, in the call of `tag` that is under way. Their verdict; no_memory.
Task<Status> walk(Kernel& kernel, Tag tag, Walk steps);

} // namespace mesh
